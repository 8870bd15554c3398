"""The gate `credentials`: the right key or none, and of several one that is in order."""

import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal

import anyio
import msgspec

from limen.core.event import Notice
from limen.core.exchange import ModelReply, ModelRequest
from limen.core.fault import ModelFault, ModelFaultKind
from limen.core.route import Route
from limen.kit.clock import Clock, iso_utc, wall_s
from limen.kit.log import failed_open
from limen.models.asking import Asking, ProceedAsking, Unasked
from limen.models.credentials import Keyring
from limen.models.health import Health
from limen.models.recovery import recovery_of
from limen.models.references import shown
from limen.store.ports import Rest

Sleep = Callable[[float], Awaitable[None]]
KeyStrategy = Literal["least_used", "round_robin", "fill_first"]

# How many conversations are remembered with the key that each one uses.
_CONVERSATIONS = 1_000


class PoolKey(msgspec.Struct, frozen=True):
    """One key that may be used: its reference, and what it is called among the rests and uses."""

    reference: str
    subject: str


class KeyChoice:
    """Which of several healthy keys is used next, by each provider's strategy."""

    def __init__(self, health: Health, strategies: Mapping[str, KeyStrategy] | None = None) -> None:
        self._health = health
        self._strategies = dict(strategies or {})
        self._latest: dict[str, str] = {}
        self._stays: dict[int, str] = {}

    async def choose(self, keys: Sequence[PoolKey], healthy: Sequence[PoolKey], request: ModelRequest) -> PoolKey:
        """One of those that are `healthy` among `keys`, both in the order that a person gave them."""
        provider = request.route.provider
        strategy = self._strategies.get(provider, "least_used")
        if len(keys) == 1 or strategy == "fill_first":
            return healthy[0]
        if strategy == "round_robin":
            return self._next(provider, keys, healthy)
        return await self._kept(healthy, request)

    def _next(self, provider: str, keys: Sequence[PoolKey], healthy: Sequence[PoolKey]) -> PoolKey:
        subjects = [key.subject for key in keys]
        latest = self._latest.get(provider)
        start = subjects.index(latest) + 1 if latest in subjects else 0
        chosen = next(key for key in (*keys[start:], *keys[:start]) if key in healthy)
        self._latest[provider] = chosen.subject
        return chosen

    async def _kept(self, keys: Sequence[PoolKey], request: ModelRequest) -> PoolKey:
        """The key that the conversation has used so far, as its prompt cache is with that one; else the one used least."""
        conversation = hash((request.route.provider, request.messages[:1]))
        kept = next((key for key in keys if key.subject == self._stays.get(conversation)), None)
        if kept is not None:
            return kept
        subject = await self._health.least_used([key.subject for key in keys])
        if len(self._stays) >= _CONVERSATIONS:
            self._stays.clear()
        self._stays[conversation] = subject
        return next(key for key in keys if key.subject == subject)


class Credentials:
    """Stops a request whose key is missing or does not belong to its endpoint, before anything is dialled.

    Where a provider has several keys, one that fails for itself rests and the next is asked at once, whatever attempts are left.
    Where all rest, the first to return is waited for if that takes `wait_s` seconds at most.
    """

    def __init__(
        self,
        keys: Keyring,
        health: Health,
        choice: KeyChoice | None = None,
        wait_s: float = 10.0,
        *,
        sleep: Sleep = anyio.sleep,
        clock: Clock = wall_s,
    ) -> None:
        self._keys = keys
        self._health = health
        self._choice = choice or KeyChoice(health)
        self._wait_s = wait_s
        self._sleep = sleep
        self._clock = clock
        self._told: set[str] = set()

    async def __call__(self, asking: Asking, proceed: ProceedAsking) -> ModelReply:
        """Raises ModelFault: `auth` where no key can be used, that of the rests where all keys rest and another route can
        answer, that of the last key where all have failed, which names what became of each."""
        route = asking.request.route
        if not route.endpoint or not route.references:
            return await proceed(asking)
        keys = await self._usable(route.references, route)
        if not keys:  # keys that need not be there, and are not
            return await proceed(_with_key(asking, route.references[0], other_keys=False))
        try:
            return await self._walk(asking, proceed, keys)
        except ModelFault as fault:
            if len(keys) == 1 or isinstance(fault, Unasked) or not recovery_of(fault).rotate:
                raise
            raise await self._of_each(fault, keys, asking) from fault

    async def _of_each(self, last: ModelFault, keys: Sequence[PoolKey], asking: Asking) -> ModelFault:
        """The last key's failure, with what became of each by its reference."""
        rests = await self._health.known()
        became = []
        for key in keys:
            rest = rests.get(key.subject)
            kind = asking.attempts.spent.get(key.reference) or (f"rests, {rest.kind}" if rest is not None else "not asked")
            became.append(f"{shown(key.reference)} ({kind})")
        reason = f"{last.reason}. None of {len(keys)} keys works: {', '.join(became)}"
        mend = f"limen credentials status {shlex.quote(asking.request.route.provider)}"
        return ModelFault(last.kind, reason, mend, last.status, last.retry_after_s)

    async def _walk(self, asking: Asking, proceed: ProceedAsking, keys: list[PoolKey]) -> ModelReply:
        unspent = [key for key in keys if key.reference not in asking.attempts.spent] or keys
        resting = [key for key in unspent if await self._health.is_resting(key.subject)]
        left = [key for key in unspent if key not in resting]
        last: ModelFault | None = None
        while left:
            key = await self._choice.choose(keys, left, asking.request)
            left.remove(key)
            if await self._health.resting(key.subject) is not None:
                resting.append(key)  # somebody else finds out whether it works again
                continue
            try:
                return await self._ask(asking, proceed, key, last, other_keys=bool(left))
            except ModelFault as fault:
                if not recovery_of(fault).rotate:
                    raise
                last = fault
        if last is not None and asking.other_routes:
            raise last
        return await self._ask_anyway(asking, proceed, resting, last)

    async def _ask_anyway(
        self, asking: Asking, proceed: ProceedAsking, keys: list[PoolKey], last: ModelFault | None
    ) -> ModelReply:
        """No key that is in order has answered: one is waited for, or another route answers, or these are asked all the same. One
        whose provider named a time is asked only where no other was."""
        known = await self._health.known()
        rests = {key.subject: known[key.subject] for key in keys if key.subject in known}
        order = sorted(keys, key=lambda key: rests[key.subject].until if key.subject in rests else 0.0)
        anyway = [key for key in order if key.subject not in rests or not rests[key.subject].known]
        if last is None:
            soonest = rests.get(order[0].subject)
            if soonest is not None and await self._waited(asking, soonest):
                others = [] if asking.other_routes else anyway
                anyway = [order[0], *(key for key in others if key != order[0])]
            elif soonest is not None and asking.other_routes:
                raise self._refusal(soonest, asking.request.route, len(keys))
        for number, key in enumerate(anyway or order[: last is None], 1):
            try:
                return await self._ask(asking, proceed, key, last, other_keys=number < len(anyway))
            except ModelFault as fault:
                if not recovery_of(fault).rotate:
                    raise
                last = fault
        assert last is not None
        raise last

    async def _waited(self, asking: Asking, rest: Rest) -> bool:
        """Whether the end of a rest was near enough to be waited for."""
        left_s = rest.until - self._clock()
        if not asking.request.course.patient or not 0 < left_s <= self._wait_s:
            return False
        name = asking.request.route.provider
        await asking.emit(Notice("model.waiting", f"{name} takes requests again in {left_s:.0f} s. Waiting for it."))
        asking.attempts.waited_s += left_s
        await self._sleep(left_s)
        return True

    async def _ask(
        self, asking: Asking, proceed: ProceedAsking, key: PoolKey, last: ModelFault | None, *, other_keys: bool
    ) -> ModelReply:
        """Ask with one key after the one that failed `last`, renewed once where it is refused. Its failure is booked to it and to
        the host that sent it."""
        if last is not None:
            await asking.begin_anew(last, asking.request.route)
        request = _with_key(asking, key.reference, other_keys=other_keys)
        renewed = False
        while True:
            try:
                reply = await proceed(request)
            except ModelFault as fault:
                if fault.kind == "auth" and fault.status == 401 and not renewed and await self._keys.renew(key.reference):
                    renewed = True
                    subject = self._keys.subject(key.reference, request.request.route.endpoint)
                    key = PoolKey(key.reference, subject or key.subject)
                    await asking.begin_anew(fault, asking.request.route)
                    continue
                if recovery_of(fault).rotate:
                    asking.attempts.spent[key.reference] = fault.fault_class
                await self._book(asking, key, fault, other_keys)
                raise
            await self._health.worked(key.subject)
            return reply

    async def _book(self, asking: Asking, key: PoolKey, fault: ModelFault, other_keys: bool) -> None:
        if recovery_of(fault).rests != "key":
            return
        await self._health.failed(key.subject, fault)
        rest = (await self._health.known()).get(key.subject)
        if rest is not None and other_keys:
            name = f"{asking.request.route.provider}: the key {shown(key.reference)}"
            await asking.emit(Notice("model.key_rests", f"{name} rests {until(rest)}: {fault.reason}. Another key is asked."))

    async def _usable(self, references: Sequence[str], route: Route) -> list[PoolKey]:
        """The keys that are there and may go to the route's endpoint, in their order.

        Raises the first one's ModelFault where none may, unless the keys need not be there.
        """
        await self._fetch(references)
        usable: list[PoolKey] = []
        faults: list[ModelFault] = []
        for reference in references:
            try:
                subject = self._keys.subject(reference, route.endpoint)
                if subject is not None:
                    usable.append(PoolKey(reference, subject))
            except ModelFault as fault:
                faults.append(fault)
        if faults and not usable:
            raise faults[0]
        for unusable in faults:
            if unusable.reason not in self._told:
                self._told.add(unusable.reason)
                failed_open("model.key_unusable", unusable)
        return usable

    async def _fetch(self, references: Sequence[str]) -> None:
        if len(references) == 1:
            await self._keys.ready(references[0])
            return
        async with anyio.create_task_group() as group:
            for reference in references:
                group.start_soon(self._keys.ready, reference)

    def _refusal(self, rest: Rest, route: Route, keys: int) -> Unasked:
        """Nothing was sent: why, and until when."""
        which = "its only key rests" if keys == 1 else f"all of its {keys} keys rest, the first"
        reason = f"{route.provider} was not asked: {which} {until(rest)} ({rest.reason})"
        mend = f"limen credentials status {route.provider}"
        return Unasked(_kind(rest), reason, mend, retry_after_s=max(rest.until - self._clock(), 1.0))


def _kind(rest: Rest) -> ModelFaultKind:
    match rest.kind:
        case "reply" | "missing":  # these are a route's and rest no key
            return "upstream"
        case kind:
            return kind


def until(rest: Rest) -> str:
    """When a rest ends, for people."""
    return f"until {iso_utc(rest.until)}"


def _with_key(asking: Asking, reference: str, *, other_keys: bool) -> Asking:
    route = msgspec.structs.replace(asking.request.route, credential=reference)
    request = msgspec.structs.replace(asking.request, route=route)
    return msgspec.structs.replace(asking, request=request, other_keys=other_keys)
