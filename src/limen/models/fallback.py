"""The gate `fallback`: a route that cannot answer gives way to the next, once each, and the person is told who answers and why.

The first route is asked again at the next turn, unless it is known to be out of order: what one turn has paid for, no other turn,
session or process of the home pays again.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, NamedTuple

import msgspec

from limen.core.context import Emit
from limen.core.event import Event, Notice, ReplyDelta, ReplyFinished
from limen.core.exchange import Course, ModelReply, ModelRequest, RouteFailure
from limen.core.fault import ModelFault
from limen.core.route import CUSTOM, Route
from limen.kit.clock import Clock, iso_utc, wall_s
from limen.models.asking import Asking, Attempts, ProceedAsking, Unasked
from limen.models.cache import lost_by_swap
from limen.models.chain import same_backend
from limen.models.classify import at_route, mend_of_swap
from limen.models.health import Health, route_subject
from limen.models.recovery import recovery_of
from limen.models.resting import Resting
from limen.models.spending import OverBudget

Settle = Callable[[Route], Awaitable[Route]]
"""Completes a route by what its server says. Raises ModelFault."""


class FallbackRules(msgspec.Struct, frozen=True):
    """The settings `fallback.return` and `fallback.per_turn`."""

    back: Literal["turn", "sticky", "until-reset"] = "turn"
    per_turn: Literal["one", "chain"] = "chain"


class Start(NamedTuple):
    """The route that a turn begins with, where that stands on its way along the routes, and what the person should know of it."""

    route: Route
    course: Course
    notices: tuple[Notice, ...] = ()


class Fallback:
    """Walks `chain` behind the route that a turn begins with, forward only; `resting` says what rests."""

    def __init__(
        self,
        chain: Sequence[Route],
        health: Health,
        settle: Settle,
        resting: Resting,
        rules: FallbackRules | None = None,
        clock: Clock = wall_s,
    ) -> None:
        self._chain = tuple(chain)
        self._health = health
        self._settle = settle
        self._resting = resting
        self._rules = rules or FallbackRules()
        self._clock = clock

    async def begin(
        self, first: Route, latest: ReplyFinished | None = None, *, wished: bool = False, window_tokens: int = 0
    ) -> Start:
        """The route that a turn begins with, which is `first` unless that is out of order or, by the rules, not yet asked again.

        `latest` is how the session was answered last; where a person has `wished` for the first route now, the rules keep nobody
        from it. Of the routes behind it only those with a window of `window_tokens` stand in. Raises the first route's ModelFault
        where no route can be used.
        """
        before = latest.failed if latest is not None and latest.failed and _is_of(latest.failed[0], first) else ()
        told = tuple(failure.route for failure in before)
        order = [first, *(route for route in self._behind(first) if route.window_tokens >= window_tokens)]
        staying = None if wished else self._staying(latest, before)
        at = order.index(staying) if staying in order and await self._resting(staying) is None else 0
        walk = self._walk(Course(before if at else (), spared=tuple(order[:at])))
        route = await walk.next(order[at:])
        if route is None:
            raise await walk.exhausted(order)
        return Start(route, Course(tuple(walk.failures), told, spared=tuple(walk.spared)))

    def _staying(self, latest: ReplyFinished | None, before: tuple[RouteFailure, ...]) -> Route | None:
        """The route of the chain that answered last, where the first one is not asked again yet."""
        if not before or latest is None or self._rules.back == "turn":
            return None
        if self._rules.back == "until-reset" and 0 < before[0].until <= self._clock():
            return None
        return next((route for route in self._chain if route.name == latest.route.name), None)

    async def __call__(self, asking: Asking, proceed: ProceedAsking) -> ModelReply:
        """Raises the ModelFault of the route that was asked first, with what became of the others."""
        request, folded, attempts = asking.request, False, Attempts()
        walk = self._walk(request.course)
        ahead = self._ahead(request)
        order = sorted([*walk.spared, request.route, *ahead], key=self._place)
        told = set(request.course.told)
        while True:
            teller = _Teller(asking.emit, walk.failures, request, told, order + list(self._chain))
            others = await walk.any_fit(ahead)
            sending = msgspec.structs.replace(asking, request=request, emit=teller.emit, attempts=attempts, other_routes=others)
            try:
                reply = await proceed(sending)
            except ModelFault as fault:
                smaller = (
                    None if folded or recovery_of(fault).then != "fold" else await asking.refit(request, request.route, True)
                )
                folded = smaller is not None
                following = smaller or await self._over(asking, request, walk, fault, ahead)
                if following is None:
                    raise await walk.exhausted(order) from fault
                if smaller is None:
                    attempts = Attempts()
                await asking.begin_anew(fault, following.route)
                request = following
                continue
            await self._health.worked(route_subject(request.route))
            await teller.answered()
            return msgspec.structs.replace(reply, failed=tuple(walk.failures), spared=tuple(walk.spared))

    async def _over(
        self, asking: Asking, request: ModelRequest, walk: "_Walk", fault: ModelFault, ahead: list[Route]
    ) -> ModelRequest | None:
        """The request as the next route takes it; None where none is left that can."""
        if isinstance(fault, Unasked):
            walk.spare(request.route, fault)
        else:
            await walk.note(request.route, fault)
        while (route := await walk.next(ahead)) is not None:
            course = msgspec.structs.replace(request.course, failed=tuple(walk.failures), spared=tuple(walk.spared))
            refitted = await asking.refit(msgspec.structs.replace(request, course=course), route, False)
            if refitted is not None:
                if self._rules.per_turn == "one":
                    ahead.clear()
                    walk.spared.clear()
                return refitted
            walk.pass_over(route, f"its window of {route.window_tokens:,} tokens is too small for this conversation")
        return None

    def _walk(self, course: Course) -> "_Walk":
        return _Walk(self._health, self._settle, self._resting, course, self._clock, self._rules.per_turn == "one")

    def _place(self, route: Route) -> int:
        """Where a route stands in the chain; the one before it stands first."""
        return next((at for at, one in enumerate(self._chain) if same_backend(one, route)), -1)

    def _behind(self, first: Route) -> list[Route]:
        return [route for route in self._chain if not same_backend(route, first)]

    def _ahead(self, request: ModelRequest) -> list[Route]:
        """The routes that may still be asked in this turn: those that it has not come past."""
        gone = {failure.route for failure in request.course.failed}
        if request.course.alone or (self._rules.per_turn == "one" and gone):
            return []
        gone.update(route.name for route in request.course.spared)
        return [route for route in self._behind(request.route) if route.name not in gone]


class _Walk:
    """One way along routes. `failures` are all that did not answer in this turn; those of them that were `spared`, since they
    were known to be out of order, have not been asked."""

    def __init__(self, health: Health, settle: Settle, resting: Resting, course: Course, clock: Clock, one: bool = False) -> None:
        self._health = health
        self._settle = settle
        self._resting = resting
        self._clock = clock
        self._one = one
        self._faults: dict[str, ModelFault] = {}
        self._asked = False
        self.failures = list(course.failed)
        self.spared = list(course.spared)

    async def any_fit(self, routes: Sequence[Route]) -> bool:
        """Whether any of the routes is not known to be out of order."""
        for route in routes:
            if await self._resting(route) is None:
                return True
        return False

    async def next(self, ahead: list[Route]) -> Route | None:
        """Take routes from `ahead` up to the first that can be asked; where none can, those that were spared, each once, so that
        nothing rests into silence."""
        while ahead:
            route = ahead.pop(0)
            if await self._is_spared(route):
                continue
            settled = await self._settled(route)
            # A route whose model its server names is known by that name.
            if settled is not None and (settled.model == route.model or not await self._is_spared(settled)):
                return settled
        while (route_anyway := await self._likeliest()) is not None:
            # It stands in for nobody that would have been asked after it.
            behind = {route.name for route in self.spared[self.spared.index(route_anyway) :]}
            self.spared.remove(route_anyway)
            self.failures = [failure for failure in self.failures if failure.route not in behind]
            settled = await self._settled(route_anyway)
            if settled is not None:
                return settled
        return None

    async def _likeliest(self) -> Route | None:
        """Of those spared the one that most likely works again. Until a time that its provider named it does not, and is asked
        only where nobody was."""
        ends: list[float] = []
        for route in self.spared:
            rest = await self._resting(route)
            ends.append(rest.until if rest is not None and rest.known else 0.0)
        soonest = min(ends, default=0.0)
        return self.spared[ends.index(soonest)] if ends and (not soonest or not self._asked) else None

    async def _is_spared(self, route: Route) -> bool:
        rest = await self._health.resting(route_subject(route))
        if rest is not None:
            self.spared.append(route)
            self.failures.append(RouteFailure(route.name, rest.kind, rest.reason, rest.until if rest.known else 0.0))
        return rest is not None

    async def _settled(self, route: Route) -> Route | None:
        try:
            return await self._settle(route)
        except ModelFault as fault:
            await self.note(route, fault)
            return None

    async def note(self, route: Route, fault: ModelFault) -> None:
        """Book a route's failure, here and for everybody."""
        rests = "" if isinstance(fault, OverBudget) else recovery_of(fault).rests
        if rests == "route" or (rests == "key" and not route.credential):  # what needs no key rests itself
            await self._health.failed(route_subject(route), fault)
        self._asked = True
        self._failed(route, fault)

    def spare(self, route: Route, fault: ModelFault) -> None:
        """Book that a route was not asked, since its keys rest."""
        self.spared.append(route)
        self._failed(route, fault)

    def pass_over(self, route: Route, reason: str) -> None:
        """Book that a route could not even be asked."""
        self.failures.append(RouteFailure(route.name, "window", reason))

    def _failed(self, route: Route, fault: ModelFault) -> None:
        until = self._clock() + fault.retry_after_s if fault.retry_after_s else 0.0
        mend = fault.mend if isinstance(fault, OverBudget) else ""
        self.failures.append(RouteFailure(route.name, fault.fault_class, fault.reason, until, mend))
        self._faults[route.name] = at_route(fault, route)

    async def exhausted(self, order: Sequence[Route]) -> ModelFault:
        """The fault of the first route in `order` that was asked, and in its reason what became of the others."""
        name = next((route.name for route in order if route.name in self._faults), next(iter(self._faults)))
        first = self._faults[name]
        reasons = {failure.route: failure.reason for failure in self.failures}
        for route in self.spared:
            rest = await self._resting(route)
            if rest is not None:
                reasons.setdefault(route.name, rest.reason)
        others = "; ".join(f"{route}: {reason}" for route, reason in reasons.items() if route != name)
        if not others:
            return first
        what = "The one that was asked in its place did not answer either" if self._one else "No other route answered either"
        left = ", ".join(route.name for route in order if route.model and route.name not in reasons)
        unasked = f". Not asked: {left} (fallback.per_turn is `one`)" if self._one and left else ""
        reason = f"{first.reason}. {what}: {others}{unasked}"
        return first.retold(reason, first.mend)


class _Teller:
    """Tells once for an episode who answers and why, when the answer begins. `told` are the routes whose failure was told of,
    `known` those that a failure may be of."""

    def __init__(
        self, emit: Emit, failures: Sequence[RouteFailure], request: ModelRequest, told: set[str], known: Sequence[Route]
    ) -> None:
        self._emit = emit
        self._failures = tuple(failures)
        self._request = request
        self._told = told
        self._known = known

    async def emit(self, event: Event) -> None:
        """Pass an event on, the notice before the first of the answer."""
        if isinstance(event, ReplyDelta):
            await self.answered()
        await self._emit(event)

    async def answered(self) -> None:
        """Say what there is to say."""
        route = self._request.route
        new = [failure for failure in self._failures if failure.route not in self._told]
        if new:
            self._told.update(failure.route for failure in new)
            await self._emit(_fell_back(new, route, self._request.input_tokens, self._mend(new[0])))
        elif self._told and not self._failures:
            self._told.clear()
            await self._emit(Notice("model.restored", f"{route.name} answers again."))

    def _mend(self, failure: RouteFailure) -> str:
        """What a person does about a route that gave way. One that was not even asked in this gate is known by its name alone,
        which for a server without one is no name."""
        if failure.mend:
            return failure.mend
        route = next((route for route in self._known if route.name == failure.route), None)
        if route is not None:
            return mend_of_swap(failure.kind, route)
        return "limen fallback list" if failure.route.startswith(f"{CUSTOM}/") else f"limen model test {failure.route}"


def _fell_back(failures: Sequence[RouteFailure], route: Route, input_tokens: int, mend: str) -> Notice:
    whys = "; ".join(f"{failure.route} does not answer ({failure.reason}{_until(failure)})" for failure in failures)
    lost = lost_by_swap(input_tokens, route.price) if route.endpoint else ""  # what answers in the program has no such cache
    cost = f" Nothing of this is in its prompt cache: {lost}." if lost else ""
    return Notice("model.fell_back", f"{whys}. {route.name} answers instead.{cost}", mend)


def _is_of(failure: RouteFailure, route: Route) -> bool:
    """Whether a failure is that of a route, whose model perhaps only its server names."""
    return failure.route == route.name if route.model else failure.route.startswith(route.name)


def _until(failure: RouteFailure) -> str:
    moment = iso_utc(failure.until) if failure.until else ""
    return f"; again from {moment}" if moment not in failure.reason else ""
