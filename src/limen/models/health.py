"""What is known to be out of order: routes and keys that failed rest a while, for all sessions and processes of a home."""

from collections.abc import Mapping

from limen.core.fault import ModelFault, StoreFault
from limen.core.route import Route
from limen.kit.clock import Clock, iso_utc, wall_s
from limen.kit.log import failed_open
from limen.models.recovery import recovery_of
from limen.net.url import parse
from limen.store.ports import HealthStore, Rest

# How long one caller may take to find out whether something works again, in seconds; others pass it over meanwhile.
_TRIAL_S = 30.0


class Health:
    """Rests, judged by the action table. A store that cannot be used is said in the log, and then nothing rests."""

    def __init__(self, store: HealthStore, clock: Clock = wall_s) -> None:
        self._store = store
        self._clock = clock

    async def resting(self) -> Mapping[str, Rest]:
        """What rests now, by subject. What is over is not among them: its next user finds out, see `may_try`."""
        now = self._clock()
        return {rest.subject: rest for rest in await self._rests() if rest.until > now}

    async def all(self) -> Mapping[str, Rest]:
        """Everything that has failed and not worked since, by subject."""
        return {rest.subject: rest for rest in await self._rests()}

    async def may_try(self, subject: str) -> bool:
        """Whether the caller may ask a subject whose rest is over; of several only the first may, until it has an answer."""
        try:
            return await self._store.claim_trial(subject, self._clock() + _TRIAL_S)
        except StoreFault as fault:
            failed_open("model.health_unknown", fault)
            return True

    async def failed(self, subject: str, fault: ModelFault, before: Rest | None) -> Rest | None:
        """Let a subject rest as the table says; None where the class of its failure rests nothing."""
        recovery = recovery_of(fault)
        if not recovery.rests:
            return None
        now = self._clock()
        failures = before.failures + 1 if before is not None else 1
        guess_s = min(recovery.rest_s * 2.0 ** min(failures - 1, 20), recovery.longest_rest_s)
        known = fault.retry_after_s is not None and fault.retry_after_s > 0
        rest_s = fault.retry_after_s if fault.retry_after_s else guess_s
        rest = Rest(subject, fault.fault_class, fault.reason, now, now + rest_s, known, failures)
        try:
            await self._store.rest(rest)
        except StoreFault as error:
            failed_open("model.health_unknown", error)
        return rest

    async def works(self, subject: str) -> None:
        """Forget a subject's failures."""
        try:
            await self._store.works(subject)
        except StoreFault as fault:
            failed_open("model.health_unknown", fault)

    async def _rests(self) -> tuple[Rest, ...]:
        try:
            return tuple(await self._store.rests())
        except StoreFault as fault:
            failed_open("model.health_unknown", fault)
            return ()


def route_subject(route: Route) -> str:
    """What a route is called among the rests: its name and where it goes."""
    parsed = parse(route.endpoint) if route.endpoint else None
    return f"route {route.name} {getattr(parsed, 'origin', '')}".rstrip()


def ends(rest: Rest) -> str:
    """When a rest is over, for people."""
    return f"until {iso_utc(rest.until)}"
