"""A second model for small jobs, apart from the one that answers: who is asked, in which order, and when to give up.

A job asks three routes at the most and never longer than a minute; what rests is passed over without a request. Whoever wanted it
goes on without.
"""

from collections.abc import Awaitable, Callable, Sequence

import anyio
import msgspec

from limen.core.context import silent
from limen.core.exchange import Course, ModelReply, ModelRequest
from limen.core.fault import ConfigFault, ModelFault
from limen.core.ledger import Origin, Trust
from limen.core.message import Image, Message, Text, text_of
from limen.core.ports import Completion
from limen.core.prompt import Prompt, PromptPart
from limen.core.provider import Provider
from limen.core.route import CUSTOM, Route
from limen.models import quirks
from limen.models.chain import same_backend
from limen.models.classify import at_route, fault
from limen.models.health import Health, route_subject
from limen.models.model import Model
from limen.models.recovery import recovery_of
from limen.models.resolve import ANY_MODEL, Routes
from limen.models.resting import Resting
from limen.models.tasks import AUTO, OFF, Task, chosen_route
from limen.store.ports import Rest

ORDER = ("openrouter", "nous", CUSTOM, "codex", "zai", "kimi", "minimax", "xiaomi", "huggingface", "anthropic")
"""Who is asked behind the main route; then all others by name."""

# Code and prose of many languages lie between two and five characters a token; a little of the window stays free for framing.
_CHARS_PER_TOKEN = 2.5
_FRAMING_TOKENS = 200


class AuxiliaryLimits(msgspec.Struct, frozen=True):
    """How many routes one job asks, and how long it waits: for one of them, and for all together. In seconds."""

    routes: int = 3
    one_s: float = 30.0
    all_s: float = 60.0


class Candidates:
    """Who may be asked for a job.

    `main` gives the route of a name, the configured one for none. `usable` says of a route, without a network, whether its key
    is there.
    """

    def __init__(self, routes: Routes, main: Callable[[str], Route | None], usable: Callable[[Route], bool]) -> None:
        self._routes = routes
        self._main = main
        self._usable = usable

    def of(self, task: Task, chosen: str = AUTO, main: str = "") -> tuple[Route, ...]:
        """The routes for a task in their order: the one that was chosen, the main one, then every provider's small model.

        There are none where the chosen one needs no model. Raises ConfigFault where it cannot be.
        """
        named = chosen_route(task, chosen, self._routes)
        if chosen == OFF or (named is not None and named.wire == "embedded"):
            return ()
        found: list[Route] = []
        for route in (*(one for one in (named, self._main(main)) if one is not None), *self._small()):
            fits = route.wire != "embedded" and not (task.looks and quirks.NO_IMAGES in route.quirks)
            if fits and self._usable(route) and not any(same_backend(route, other) for other in found):
                found.append(route)
        return tuple(found)

    def _small(self) -> list[Route]:
        """Each provider's small model; at an endpoint of one's own the one that its server offers."""
        providers = {provider.name: provider for provider in self._routes.providers}
        names = [name for name in ORDER if name in providers] + sorted(providers.keys() - set(ORDER))
        return [
            self._routes.route(f"{name}/{model}", "a small job looks for a model")
            for name in names
            if (model := _small_model(providers[name]))
        ]


def _small_model(provider: Provider) -> str:
    if not provider.endpoint:
        return ""
    return provider.small_model or ((provider.default_model or ANY_MODEL) if provider.name == CUSTOM else "")


class AuxiliaryModel:
    """The `Auxiliary` port for one task: one request, no tools, no history, of the first route that answers.

    `candidates` gives the routes at each job, by the main route's name; `resting` says which of them are out of order; `settle`
    completes one by what its server says.
    """

    def __init__(
        self, task: Task, model: Model, candidates: Callable[[str], Sequence[Route]], settle: Callable[[Route], Awaitable[Route]],
        health: Health, resting: Resting, limits: AuxiliaryLimits | None = None,
    ) -> None:  # fmt: skip
        self._task = task
        self._model = model
        self._candidates = candidates
        self._settle = settle
        self._health = health
        self._resting = resting
        self._limits = limits or AuxiliaryLimits()

    def serves(self, main: str = "") -> bool:
        """Whether there is anybody to ask, by settings and keys alone."""
        try:
            return bool(self._candidates(main))
        except ConfigFault:
            return True  # said where the job is tried

    async def room_chars(self, *, output_tokens: int | None = None, main: str = "") -> int:
        """About how many characters fit into one request to the first route that does not rest; 0 where there is none."""
        for route in self._candidates(main):
            if await self._resting(route) is None:
                try:
                    return self._room(await self._settle(route), output_tokens)
                except ModelFault as failed:
                    await self._book(route, failed)
        return 0

    async def complete(
        self, task: str, text: str, *, output_tokens: int | None = None, images: Sequence[Image] = (), main: str = ""
    ) -> Completion:
        """What a model makes of `text` when it is told `task`.

        Raises ModelFault, the first that was met, and ConfigFault for a chosen route that cannot be.
        """
        faults: list[ModelFault] = []
        asked = 0
        with anyio.move_on_after(self._limits.all_s):
            for candidate in self._candidates(main):
                if asked == self._limits.routes:
                    break
                rest = await self._resting(candidate) or await self._health.resting(route_subject(candidate))
                if rest is not None:
                    faults.append(_spared(candidate, rest))
                    continue
                asked += 1
                try:
                    return await self._ask(candidate, task, text, output_tokens, images)
                except ModelFault as failed:
                    faults.append(at_route(failed, candidate))
        if faults:
            raise faults[0]
        if asked:
            raise fault("network", f"no answer within {self._limits.all_s:g} s")
        mend = f"limen config set auxiliary.{self._task.name} ROUTE"
        raise fault("auth", "there is no second model to ask", mend=mend)

    async def _ask(
        self, candidate: Route, task: str, text: str, output_tokens: int | None, images: Sequence[Image]
    ) -> Completion:
        """One route's answer, or its ModelFault, booked where nobody else has done it."""
        with anyio.move_on_after(self._limits.one_s):
            try:
                route = await self._settle(candidate)
            except ModelFault as failed:
                await self._book(candidate, failed)
                raise
            if route.model != candidate.model and (rest := await self._resting(route)) is not None:
                raise _spared(route, rest)
            if self._room(route, output_tokens) < len(task) + len(text):
                raise fault("window", f"the window of {route.name} is too small for this")
            return _completion(await self._model.ask(self._request(route, task, text, output_tokens, images), silent))
        late = fault("network", f"{candidate.name} gave no answer within {self._limits.one_s:g} s")
        await self._book(candidate, late)
        raise late

    async def _book(self, route: Route, failed: ModelFault) -> None:
        if recovery_of(failed).rests == "route":
            await self._health.failed(route_subject(route), failed)

    def _request(self, route: Route, task: str, text: str, output_tokens: int | None, images: Sequence[Image]) -> ModelRequest:
        origin = Origin("identity", "auxiliary", Trust.OPERATOR)
        return ModelRequest(
            route,
            Prompt(stable=(PromptPart(Text(task), origin),)),
            (Message("user", (*images, Text(text))),),
            output_tokens=self._output(route, output_tokens),
            may_call=False,
            course=Course(alone=True, patient=False),
        )

    def _output(self, route: Route, output_tokens: int | None) -> int:
        return min(output_tokens or self._task.output_tokens, route.output_tokens)

    def _room(self, route: Route, output_tokens: int | None) -> int:
        room_tokens = route.window_tokens - self._output(route, output_tokens) - _FRAMING_TOKENS
        return max(int(room_tokens * _CHARS_PER_TOKEN), 0)


def _spared(route: Route, rest: Rest) -> ModelFault:
    """What is said of a route that was not asked, since it is known to be out of order."""
    return fault("upstream", f"{route.name} rests ({rest.reason})")


def _completion(reply: ModelReply) -> Completion:
    """What was said. A reply without words is a ModelFault `shape` or `filter`."""
    said = text_of(reply.blocks).strip()
    if reply.stop == "filter":
        raise fault("filter", f"{reply.route.name} withheld its reply")
    if not said:
        raise fault("shape", f"{reply.route.name} answered without a word")
    return Completion(said, reply.route.name, reply.usage, cut=reply.stop == "length")
