"""Puts the tiers together, once for each session."""

from datetime import datetime

from limen.core.ledger import Origin, Trust
from limen.core.message import Text
from limen.core.prompt import Prompt, PromptPart
from limen.prompt.identity import stable_tier


def assemble(*, session: str, now: datetime, tools: bool) -> Prompt:
    """The prompt of a new session. `now` is the person's local time; only its date enters, to keep the bytes still."""
    line = f"Session {session}, begun on {now:%A, %d %B %Y}."
    facts = PromptPart(Text(line), Origin("identity", "session", Trust.OPERATOR))
    return Prompt(stable=stable_tier(tools=tools), session=(facts,))
