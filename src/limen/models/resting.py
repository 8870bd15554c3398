"""What keeps a route from being asked now: its own rest, or that of all its keys."""

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from limen.core.fault import ModelFault
from limen.core.route import Route
from limen.kit.clock import Clock, wall_s
from limen.models.credentials import Keyring
from limen.models.health import Health, route_subject
from limen.store.ports import Rest

Resting = Callable[[Route], Awaitable[Rest | None]]
"""What keeps a route from being asked now, None where nothing does."""


async def rest_of(route: Route, health: Health, keys: Keyring, clock: Clock = wall_s) -> Rest | None:
    """The rest that ends last of a route's own and its keys', of several keys that which ends first; None where it may be asked.

    Promises nobody a trial, and asks nobody.
    """
    known, now = await health.known(), clock()
    own = known.get(route_subject(route))
    if own is not None and own.until > now:
        return own
    resting: list[Rest] = []
    for reference in route.references:
        try:
            subject = keys.subject(reference, route.endpoint)
        except ModelFault:
            continue  # a key that is not there keeps nobody from asking with the others
        rest = known.get(subject) if subject is not None else None
        if rest is None or rest.until <= now:
            return None
        resting.append(rest)
    return min(resting, key=lambda rest: rest.until, default=None)


async def ways_of(route: Route, health: Health, keys: Keyring) -> Sequence[Route]:
    """`route` with each of its keys that is there and does not rest, in their order; as it is where there is no such key.

    Promises nobody a trial, but runs what gives a key. For questions that need no model, which book no failure.
    """
    if len(route.references) < 2:
        return (route,)
    ways: list[Route] = []
    for reference in route.references:
        await keys.ready(reference)
        try:
            subject = keys.subject(reference, route.endpoint)
        except ModelFault:
            continue
        if subject is not None and not await health.is_resting(subject):
            ways.append(msgspec.structs.replace(route, credential=reference, pool=()))
    return ways or (route,)
