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

    @property
    def ends(self) -> frozenset[int]:
        """Behind how many parts a tier ends: the neutral boundaries where a wire sets its vendor's marks, three at most."""
        tiers = (len(self.stable), len(self.stable) + len(self.project), len(self.parts))
        return frozenset(tiers) - {0}
