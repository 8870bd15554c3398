"""Settings that name a provider which is not there, or which does not do what it is named for."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from limen.builtin.web.offered import Offer
from limen.config.load import Loaded
from limen.config.paths import Home
from limen.config.problem import Problem
from limen.config.schema import Config
from limen.config.secrets import Secrets
from limen.core.fault import ConfigFault, Refusal
from limen.core.late import LateReader
from limen.web.choice import choose
from limen.web.ring import Member
from limen.web.search_call import LIBRARY
from limen.wiring.net import Net, address_policy
from limen.wiring.vendors import nobody_reads, vendors_of


class _Always(NamedTuple):
    """A provider of ours, which needs nothing to be used."""

    name: str

    def unavailable(self) -> Refusal | None:
        return None


def backend_problems(config: Config, offer: Offer) -> tuple[Problem, ...]:
    """What is wrong with the names of providers in the settings. Codes are those of the calls that would fail."""
    web = config.web
    search: dict[str, Member] = {**offer.search, **{one.name: one for one in offer.domains}, LIBRARY: _Always(LIBRARY)}
    extract: dict[str, Member] = {"local": _Always("local"), **offer.extract}
    found = [_wrong("web.search_backend", web.search_backend, "search", search, extract)]
    found += [_wrong("web.extract_backend", web.extract_backend, "extract", extract, search)]
    found += [_wrong("web.search_chain", name, "search", search, extract) for name in web.search_chain]
    found += [_wrong("web.extract_chain", name, "extract", extract, search) for name in web.extract_chain]
    shared = web.backend.strip()
    if shared and shared not in search and shared not in extract:
        found += [_wrong("web.backend", shared, "search", {**extract, **search}, {})]
    elif not web.search_backend.strip():
        found += [_wrong("web.backend", shared, "search", search, extract)]
    if shared in search and not web.extract_backend.strip():
        found += [_wrong("web.backend", shared, "extract", extract, search)]
    return tuple(problem for problem in found if problem is not None)


def _wrong(
    key: str, name: str, doing: Literal["search", "extract"], ours: Mapping[str, Member], others: Mapping[str, Member]
) -> Problem | None:
    """Why that name cannot stand in that setting, whether what it names can be used now or not."""
    if not name.strip() or name.strip() in ours:
        return None
    chosen = choose(name.strip(), ours, doing, others=others)
    if not isinstance(chosen, Refusal):
        return None
    mend = chosen.mend.replace(f"web.{doing}_backend", key) if chosen.code == "web.unknown_provider" else chosen.mend
    return Problem("warning", chosen.code, f"`{key}`: {chosen.reason}", mend, key, key)


def check_backends(home: Home, env: Mapping[str, str], loaded: Loaded) -> tuple[Problem, ...]:
    """The same for a home that no process has opened."""
    try:
        loaded, policy = address_policy(loaded)
        offer = vendors_of(loaded.config, Net(loaded.config, policy), LateReader(nobody_reads), Secrets.load(home, env).get)
    except ConfigFault:
        return ()  # said already by whoever loaded the settings
    return backend_problems(loaded.config, offer)
