"""The other routes of the settings file, in their order: each entry judged alone, and what is wrong with the rest."""

from collections.abc import Sequence

import msgspec

from limen.config.fallback_entry import FallbackEntry
from limen.config.problem import Problem
from limen.config.schema import Config
from limen.core.fault import ConfigFault, Refusal
from limen.core.route import Route
from limen.models.resolve import Routes
from limen.net.url import parse


def chain_of(config: Config, routes: Routes, primary: Route | None = None) -> tuple[tuple[Route, ...], tuple[Problem, ...]]:
    """The routes of `fallback_providers`, then those of the older `fallback_model`; each says in `because` which entry it is.

    An entry that names nothing that can be, or that stands there twice, is a Problem with its place in the file; the others
    hold. One that is `primary` itself is a Problem too, and a route of the chain all the same: another route may be asked first.
    Reaches for no network and no key.
    """
    chain: list[Route] = []
    problems: list[Problem] = []
    for entry in (*config.fallback_providers, *config.fallback_model):
        found = judged(entry, routes, chain)
        if isinstance(found, Problem):
            problems.append(found)
            continue
        chain.append(found)
        if primary is not None and same_backend(found, primary):
            problems.append(is_first(entry, primary))
    return tuple(chain), tuple(problems)


def judged(entry: FallbackEntry, routes: Routes, before: Sequence[Route]) -> Route | Problem:
    """The route of one entry that stands behind the routes `before`, or why it is passed over."""
    try:
        route = routes.entry(entry)
    except ConfigFault as fault:
        return _passed_over(entry, "fallback.bad_entry", f"cannot be used: {fault.reason}", fault.mend)
    twin = next((other for other in before if same_backend(route, other)), None)
    if twin is not None:
        return _passed_over(entry, "fallback.duplicate", f"is the route of `{twin.because}` again", _remove(entry))
    return msgspec.structs.replace(route, because=entry.at)


def is_first(entry: FallbackEntry, primary: Route) -> Problem:
    """The finding on an entry that names the route that is asked first anyway."""
    return _passed_over(entry, "fallback.is_first", f"is {primary.name} itself, which answers first", _remove(entry))


def same_backend(one: Route, other: Route) -> bool:
    """Whether two routes end at the same model of the same endpoint, whatever they are called."""
    if one.model != other.model:
        return False
    if not one.endpoint or not other.endpoint:
        return one.provider == other.provider and one.endpoint == other.endpoint
    return _address(one.endpoint) == _address(other.endpoint)


def _address(endpoint: str) -> str:
    parsed = parse(endpoint)
    return (endpoint if isinstance(parsed, Refusal) else str(parsed)).rstrip("/")


def _remove(entry: FallbackEntry) -> str:
    return f"remove it: limen fallback remove {entry.handle}"


def _passed_over(entry: FallbackEntry, code: str, what: str, mend: str) -> Problem:
    return Problem("warning", code, f"`{entry.at}` {what}; it is passed over", mend, entry.place, entry.at)
