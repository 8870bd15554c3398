"""What is known to be out of order: routes and keys that failed rest a while, for all sessions and processes of a home."""

from collections.abc import Mapping, Sequence

import msgspec

from limen.core.fault import ModelFault, Refusal, StoreFault
from limen.core.route import Route
from limen.kit.clock import Clock, monotonic_s, wall_s
from limen.kit.log import failed_open
from limen.models.recovery import recovery_of
from limen.net.url import parse
from limen.store.ports import HealthStore, Rest

# How long one caller may take to find out whether something works again, in seconds; others pass it over meanwhile.
_TRIAL_S = 30.0
# What other processes have found out is known here after so many seconds.
_FRESH_S = 1.0


class Health:
    """Rests, judged by the action table. A store that cannot be used is said in the log, and then nothing rests."""

    def __init__(self, store: HealthStore, clock: Clock = wall_s, ticks: Clock = monotonic_s) -> None:
        self._store = store
        self._clock = clock
        self._ticks = ticks
        self._known: Mapping[str, Rest] = {}
        self._trials: set[str] = set()
        self._read_at = float("-inf")

    async def known(self) -> Mapping[str, Rest]:
        """What has failed and not worked since, by subject; that whose time is over as well."""
        if self._ticks() - self._read_at > _FRESH_S:
            noted = self._known
            try:
                known = {rest.subject: rest for rest in await self._store.rests()}
            except StoreFault as fault:
                failed_open("model.health_unknown", fault)
                known = {}
            if self._known is noted:  # else something was found out here meanwhile
                self._known, self._read_at = known, self._ticks()
        return self._known

    async def is_resting(self, subject: str) -> bool:
        """Whether a subject rests now. Unlike `resting` this promises nobody a trial."""
        rest = (await self.known()).get(subject)
        return rest is not None and rest.until > self._clock()

    async def resting(self, subject: str) -> Rest | None:
        """The rest of a subject, None where it may be asked.

        Of several that want to know whether it works again when its time is over only the first may ask.
        """
        rest = (await self.known()).get(subject)
        if rest is None:
            return None
        if rest.until > self._clock():
            return rest
        try:
            if not await self._store.claim_trial(subject, self._clock() + _TRIAL_S):
                return rest
            self._trials.add(subject)
            return None
        except StoreFault as fault:
            failed_open("model.health_unknown", fault)
            return None

    async def failed(self, subject: str, fault: ModelFault) -> None:
        """Let a subject rest as the action table says.

        One that rests already, and was asked at the same time as others or for want of them, has not failed once more in a row;
        and until a time that its provider named it goes on resting.
        """
        recovery = recovery_of(fault)
        before = (await self.known()).get(subject)
        now = self._clock()
        rests_on = before is not None and before.until > now and subject not in self._trials
        self._trials.discard(subject)
        failures = (before.failures if rests_on else before.failures + 1) if before is not None else 1
        guess_s = min(recovery.rest_s * 2.0 ** min(failures - 1, 20), recovery.longest_rest_s)
        # A time that did not hold when it was over is not believed again.
        rest_s = max(fault.retry_after_s or 0.0, 0.0 if fault.retry_after_s and failures == 1 else guess_s)
        rest = Rest(subject, fault.fault_class, fault.reason, now, now + rest_s, bool(fault.retry_after_s), failures)
        if before is not None and rests_on and before.known and not rest.known:
            rest = msgspec.structs.replace(rest, until=max(rest.until, before.until), known=True)
        try:
            await self._store.rest(rest)
        except StoreFault as error:
            failed_open("model.health_unknown", error)
        self._known = {**self._known, subject: rest}

    async def worked(self, subject: str) -> None:
        """Forget a subject's failures."""
        self._trials.discard(subject)
        if subject not in await self.known():
            return
        try:
            await self._store.works(subject)
        except StoreFault as fault:
            failed_open("model.health_unknown", fault)
        self._known = {name: rest for name, rest in self._known.items() if name != subject}

    async def least_used(self, subjects: Sequence[str]) -> str:
        """Of several keys the one used least, now used once more; the first where that cannot be known."""
        try:
            return await self._store.least_used(subjects)
        except StoreFault as fault:
            failed_open("model.health_unknown", fault)
            return subjects[0]

    async def uses(self) -> Mapping[str, int]:
        """How often each key was chosen for being used least."""
        try:
            return await self._store.uses()
        except StoreFault as fault:
            failed_open("model.health_unknown", fault)
            return {}


def route_subject(route: Route) -> str:
    """What a route is called among the rests: its name and where it goes."""
    parsed = parse(route.endpoint) if route.endpoint else None
    origin = "" if parsed is None or isinstance(parsed, Refusal) else parsed.origin
    return f"route {route.name} {origin}".rstrip()
