"""The small jobs that a second model does, in one table: what each is for, and who can do it."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from limen.config.problem import Problem
from limen.core.fault import ConfigFault
from limen.core.route import Route
from limen.models.resolve import Routes

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


def chosen_route(task: Task, chosen: str, routes: Routes) -> Route | None:
    """The route that a person chose for a task, None where none was. Raises ConfigFault `auxiliary.bad_route`."""
    if chosen in (AUTO, OFF):
        return None
    key = f"auxiliary.{task.name}"
    try:
        route = routes.route(chosen, f"{key} says so")
    except ConfigFault as fault:
        raise ConfigFault(
            "auxiliary.bad_route", f"`{key}` cannot be used: {fault.reason}", f"limen config set {key} ROUTE"
        ) from fault
    if route.wire == "embedded" and not task.quotable:
        reason = f"`{key}` cannot be used: {route.name} is no language model"
        raise ConfigFault("auxiliary.bad_route", reason, f"limen config set {key} off")
    return route


def task_problems(chosen: Mapping[str, str], routes: Routes) -> tuple[Problem, ...]:
    """What is wrong with the routes chosen for small jobs, by task; such a job is not done. Reaches for no network and no key."""
    problems: list[Problem] = []
    for task in TASKS:
        try:
            chosen_route(task, chosen.get(task.name, AUTO), routes)
        except ConfigFault as fault:
            key = f"auxiliary.{task.name}"
            problems.append(Problem("warning", fault.code, fault.reason, fault.mend, key, key))
    return tuple(problems)
