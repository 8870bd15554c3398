"""Trying a route: one small question, and how long its answer took."""

import time
from typing import TYPE_CHECKING, Any

import msgspec

from limen.core.event import Event, Notice, ReplyDelta
from limen.core.exchange import Course, ModelReply, ModelRequest
from limen.core.message import Message, Text, text_of
from limen.core.prompt import Prompt
from limen.core.route import Route
from limen.kit.text import clip
from limen.surfaces.cli.screen import Screen

if TYPE_CHECKING:
    from limen.models.model import Model

_QUESTION = "Answer with the one word: ready"
# Room for a model that thinks before it says its one word.
_OUTPUT_TOKENS = 512
_REPLY_CHARS = 200
# What is wanted to know is how this route does, not those behind it.
_ALONE = Course(alone=True)

NO_TRIAL: dict[str, Any] = {"reply": None, "first_s": None, "took_s": None, "attempts": 0, "usage": None}
"""The fields of a trial that did not have to be made."""


class Trial(msgspec.Struct, frozen=True):
    """How it went. Times are in seconds; `first_s` None when nothing was streamed."""

    reply: ModelReply
    took_s: float
    first_s: float | None

    def shape(self) -> dict[str, Any]:
        """The trial as JSON shows it."""
        return {
            "reply": text_of(self.reply.blocks),
            "first_s": self.first_s,
            "took_s": self.took_s,
            "attempts": self.reply.attempts,
            "usage": self.reply.usage,
        }


async def try_out(model: "Model", route: Route, screen: Screen) -> Trial:
    """Ask a route for one word. Raises ModelFault."""
    request = ModelRequest(route, Prompt(), (Message("user", (Text(_QUESTION),)),), output_tokens=_OUTPUT_TOKENS, course=_ALONE)
    started = time.monotonic()
    first: list[float] = []

    async def hear(event: Event) -> None:
        if isinstance(event, ReplyDelta):
            first.append(time.monotonic() - started)
        elif isinstance(event, Notice):
            screen.note(event.text, "warn")

    reply = await model.ask(request, hear)
    return Trial(reply, time.monotonic() - started, first[0] if first else None)


def show_trial(screen: Screen, trial: Trial) -> None:
    """Say how it went."""
    route, usage = trial.reply.route, trial.reply.usage
    screen.line(f"{route.name} answers", "good")
    screen.line(f"  {clip(text_of(trial.reply.blocks), _REPLY_CHARS) or '(it thought, and said nothing aloud)'}")
    remarks = (
        f"first word after {trial.first_s:.1f} s" if trial.first_s is not None else "",
        f"done after {trial.took_s:.1f} s",
        f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out",
        f"${usage.cost_usd:.6f}" if usage.cost_usd else "",
        f"window {route.window_tokens:,} tokens",
    )
    screen.line("  " + " · ".join(remark for remark in remarks if remark), "dim")
