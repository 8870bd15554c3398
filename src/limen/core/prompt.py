"""The prompt's tiers, frozen for a session so that every request starts with the bytes of the one before."""

import msgspec

from limen.core.ledger import Origin
from limen.core.message import Text


class PromptPart(msgspec.Struct, frozen=True):
    """One block of a tier with where it came from."""

    block: Text
    origin: Origin


class Prompt(msgspec.Struct, frozen=True):
    """Identity and guidance (stable), the project's own text (project), and this session's facts (session)."""

    stable: tuple[PromptPart, ...] = ()
    project: tuple[PromptPart, ...] = ()
    session: tuple[PromptPart, ...] = ()

    @property
    def parts(self) -> tuple[PromptPart, ...]:
        """All parts in the order they are sent; tiers end where vendors' cache marks may stand."""
        return (*self.stable, *self.project, *self.session)
