"""The table of small jobs is the table of their settings."""

import msgspec

from limen.config.schema import Auxiliary
from limen.models.tasks import AUTO, TASKS, task_of


def test_every_task_has_its_setting_and_is_left_to_itself_by_default():
    assert msgspec.to_builtins(Auxiliary()) == {task.name: AUTO for task in TASKS}
    assert all(task_of(task.name) is task and task.purpose and task.output_tokens > 0 for task in TASKS)


def test_only_a_question_about_a_text_can_be_answered_with_its_passages():
    assert [task.name for task in TASKS if task.quotable] == ["fetch"]
    assert [task.name for task in TASKS if task.looks] == ["vision"]
