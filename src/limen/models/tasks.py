"""The small jobs that a second model does, in one table: what each is for, and who can do it."""

from typing import Literal

import msgspec

TaskName = Literal["title", "fold", "fetch", "vision", "memory", "schedule"]

AUTO = "auto"
OFF = "off"


class Task(msgspec.Struct, frozen=True):
    """One kind of small job. `output_tokens` caps its reply; `quotable` says that passages of the text itself can answer where
    no second model does, which needs no model; `looks` that it is about a picture."""

    name: TaskName
    purpose: str
    output_tokens: int
    quotable: bool = False
    looks: bool = False


TASKS: tuple[Task, ...] = (
    # Far more than a title needs: a model that thinks first spends its thoughts from the same tokens.
    Task("title", "a short title for a conversation, after its first answer", 512),
    Task("fold", "a summary of what leaves the model's window", 2_048),
    Task("fetch", "an answer to a question about one page", 1_024, quotable=True),
    Task("vision", "what a picture shows, for a model that sees none", 1_024, looks=True),
    Task("memory", "what of a conversation is worth remembering", 1_024),
    Task("schedule", "a scheduled prompt that needs no conversation", 2_048),
)


def task_of(name: TaskName) -> Task:
    """The row of that name."""
    return next(task for task in TASKS if task.name == name)
