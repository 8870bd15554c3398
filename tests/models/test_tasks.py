"""The table of small jobs is the table of their settings."""

import msgspec

from limen.builtin.providers import provider_table
from limen.config.schema import Auxiliary
from limen.models.resolve import Routes
from limen.models.tasks import AUTO, TASKS, task_of, task_problems


def test_every_task_has_its_setting_and_is_left_to_itself_by_default():
    assert msgspec.to_builtins(Auxiliary()) == {task.name: AUTO for task in TASKS}
    assert all(task_of(task.name) is task and task.purpose and task.output_tokens > 0 for task in TASKS)


def test_only_a_question_about_a_text_can_be_answered_with_its_passages():
    assert [task.name for task in TASKS if task.quotable] == ["fetch"]
    assert [task.name for task in TASKS if task.looks] == ["vision"]


def test_every_chosen_route_that_cannot_be_is_named_by_its_setting():
    chosen = {"title": "nobody/x", "fold": "off", "fetch": "limen/extractive", "vision": "limen/extractive", "memory": "openai/x"}
    found = task_problems(chosen, Routes(provider_table()))
    assert [(problem.code, problem.key, problem.mend) for problem in found] == [
        ("auxiliary.bad_route", "auxiliary.title", "limen config set auxiliary.title ROUTE"),
        ("auxiliary.bad_route", "auxiliary.vision", "limen config set auxiliary.vision off"),
    ]
    assert all(len(problem.text) < 120 for problem in found)
