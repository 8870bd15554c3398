"""What a browser goes by: where it is, how long it may take, and who judges where it may go."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.net.policy import AddressPolicy
from limen.net.resolve import Resolver

# Whether an address may be reached, by what is judged without the circumstances.
Vet = Callable[[str], Awaitable[Refusal | None]]
# All gates of a page's address, for one that was named; the circumstances say what the window has shown.
VetNamed = Callable[[str, CallContext], Awaitable[Refusal | None]]
# Whether a text holds a credential.
VetText = Callable[[str], Refusal | None]


class BrowserRules(msgspec.Struct, frozen=True):
    """What an operator sets. `executable` empty: the browser that Playwright installed, else one of this system."""

    executable: str = ""
    timeout_s: float = 30.0
    idle_s: float = 600.0
    snapshot_chars: int = 15_000


class Judges(NamedTuple):
    """Who judges: an address that was named, a page that a page leads to, whatever else a page asks for, a text to be typed;
    and a page that a person goes to."""

    named: VetNamed
    navigation: Vet
    resource: Vet
    typed: VetText
    by_person: Vet

    def for_person(self) -> "Judges":
        """The same for a window in which a person acts."""
        return self._replace(navigation=self.by_person)


class BrowserMeans(NamedTuple):
    """What browsers work with: the folder of their profiles, the network as it is now, the judges, the rules."""

    profiles: Path
    policy: Callable[[], AddressPolicy]
    resolver: Resolver
    judges: Judges
    rules: BrowserRules
