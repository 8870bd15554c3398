"""Puts the tiers together, once for each session."""

from collections.abc import Collection
from datetime import datetime

from limen.core.ledger import Origin, Trust
from limen.core.message import Text
from limen.core.prompt import Prompt, PromptPart
from limen.prompt.identity import stable_tier


def assemble(*, session: str, now: datetime, tools: Collection[str]) -> Prompt:
    """The prompt of a new session, which has these tools.

    `now` is the person's local time; only its date enters, to keep the bytes still.
    """
    line = f"Session {session}, begun on {now:%A, %d %B %Y}."
    facts = PromptPart(Text(line), Origin("identity", "session", Trust.OPERATOR))
    return Prompt(stable=stable_tier(tools), session=(facts,))
