"""Models as they are wired: routes, the gates and wires that lead to them, and who may be asked for what."""

import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from limen.config.problem import Problem
from limen.config.schema import Config
from limen.core.event import Notice, ReplyFinished
from limen.core.exchange import ModelRequest
from limen.core.fault import ConfigFault
from limen.core.late import LateWire
from limen.core.ports import Auxiliary, Wire
from limen.core.route import Route, WireName
from limen.kit.deferred import load
from limen.models.auxiliary import AuxiliaryModel, Candidates
from limen.models.chain import chain_of
from limen.models.credentials import KeyState
from limen.models.fallback import Fallback, FallbackRules, Start
from limen.models.gates import model_gates
from limen.models.health import Health
from limen.models.model import Model
from limen.models.pool import Credentials, KeyChoice, KeyStrategy
from limen.models.resolve import ROUTE_VARIABLE, Routes, Wishes
from limen.models.resting import rest_of, ways_of
from limen.models.retelling import History
from limen.models.retry import Retry, RetryLimits
from limen.models.silence import Signs
from limen.models.spending import Books, Budget
from limen.models.tasks import TaskName, task_of
from limen.store.ports import Rest
from limen.wiring.keys import Keys
from limen.wiring.net import Net

# Only for the types: what speaks HTTP or answers without a model is named below and loaded at its first use.
if TYPE_CHECKING:
    from limen.builtin.models.extractive import ExtractiveModel
    from limen.models.directory import Directory
    from limen.models.wire.http import Endpoint, Patience
    from limen.models.wire.stream import Dialect, HttpWire

# A connection that is kept alive without a word of the reply is borne this much longer than one that is silent.
_SILENT_TIMES = 3


class Models:
    """Routes, the wires they need, and who may be asked for them. `configured` is the route of the configuration, or nothing;
    `strategies` say which of several keys is used, by provider, where the settings say so."""

    def __init__(
        self, config: Config, routes: Routes, net: Net, keys: Keys, health: Health, books: Books, configured: str
    ) -> None:
        self.routes = routes
        self.health = health
        self.keys = keys
        self.keyring = keys.ring
        self.strategies: dict[str, KeyStrategy] = {
            routes.provider(name).name: setting.key_strategy for name, setting in config.providers.items()
        }
        self._net = net
        self._configured = configured
        self._told_offer = False
        self._history = History()
        self._tasks: dict[str, str] = msgspec.to_builtins(config.auxiliary)
        self.problems: Sequence[Problem]
        self.chain, self.problems = chain_of(config, routes, self.configured)
        rules = FallbackRules(config.fallback.back, config.fallback.per_turn)
        self.fallback = Fallback(self.chain, health, self._settled, self.resting, rules)
        gates = model_gates(
            fallback=self.fallback,
            budget=Budget(books),
            history=self._history,
            credentials=Credentials(keys.ring, health, KeyChoice(health, self.strategies), config.fallback.wait_s),
            retry=Retry(RetryLimits(config.models.max_retries, config.fallback.wait_s)),
        )
        self._idle_s = config.models.idle_s
        self.model = Model(self._wires(), gates, books, Signs(idle_s=self._idle_s))

    def wished(self, wish: str | None = None) -> Route:
        """The route for a wish, or for none that of LIMEN_MODEL or the configuration; no server is asked. Raises ConfigFault."""
        return self.routes.resolve(self._wishes(wish))

    @property
    def configured(self) -> Route | None:
        """The route that answers where nobody asks for another; None for a configuration that names none that can be."""
        try:
            return self.routes.resolve(Wishes(configured=self._configured))
        except ConfigFault:
            return None

    def key_state(self, route: Route) -> KeyState:
        """How it stands with a route's best key, `set` where it needs none. Nobody is asked, and no command is run."""
        states = [self._state_at(reference, route.endpoint) for reference in route.references]
        found = {state.state: state for state in reversed(states)}
        return found.get("set") or found.get("on demand") or (states[-1] if states else KeyState("set"))

    def _state_at(self, reference: str, endpoint: str) -> KeyState:
        state = self.keyring.state(reference, endpoint)
        if state.state != "missing":
            return state
        if not state.reason:  # a key that need not be there
            return KeyState("set")
        kind, _, name = reference.partition(":")
        is_later = kind in ("cmd", "keyring") or (kind == "oauth" and self.keys.log_ins.file(name).path.exists())
        return KeyState("on demand") if is_later else state

    @cached_property
    def directory(self) -> "Directory":
        """What endpoints say of themselves."""
        directory: type[Directory] = load("limen.models.directory:Directory")
        return directory(self._endpoint, self.routes, lambda route: ways_of(route, self.health, self.keyring))

    @cached_property
    def _endpoint(self) -> "Endpoint":
        endpoint: type[Endpoint] = load("limen.models.wire.http:Endpoint")
        patience: Patience = load("limen.models.wire.http:Patience")(idle_s=self._idle_s, silent_s=_SILENT_TIMES * self._idle_s)
        return endpoint(self._net.for_model, self.keyring, patience, self.keys.table)

    def _wires(self) -> dict[WireName, Wire]:
        return {
            "embedded": LateWire(_extractive_model),
            "chat_completions": LateWire(lambda: self._http_wire("limen.models.wire.chat:CHAT")),
            "anthropic_messages": LateWire(lambda: self._http_wire("limen.models.wire.messages:MESSAGES")),
            "codex_responses": LateWire(lambda: self._http_wire("limen.models.wire.responses:RESPONSES")),
        }

    def _http_wire(self, named: str) -> Wire:
        wire: type[HttpWire] = load("limen.models.wire.stream:HttpWire")
        dialect: Dialect = load(named)
        return wire(self._endpoint, dialect)

    def carried(self, request: ModelRequest) -> ModelRequest | None:
        """The request as its wire carries it, without what the route does not take; None for a wire that sends no bytes."""
        if request.route.wire == "embedded":
            return None
        return self._history.told(request)

    async def resolve(self, wish: str | None) -> Route:
        """The route for a wish, or the configured one; completed by what its server says. Raises ConfigFault, ModelFault."""
        return await self._settled(self.wished(wish))

    async def named(self, name: str | None) -> Route:
        """As `resolve`, but a name that is told of means the very route that was told of: the configured one and those of the
        chain may be at another endpoint than their provider."""
        told = next((route for route in (self.configured, *self.chain) if route is not None and route.name == name), None)
        return await self.resolve(name) if told is None else await self._settled(told)

    async def begin(self, wish: str | None, latest: ReplyFinished | None, window_tokens: int) -> Start:
        """The route that a turn begins with: that of `resolve`, or one behind it while that is out of order.

        `latest` is how the session was answered last, `window_tokens` what the turn needs. Raises ConfigFault, ModelFault.
        """
        wishes = self._wishes(wish)
        first = self.routes.resolve(wishes)
        start = await self.fallback.begin(first, latest, wished=bool(wish), window_tokens=window_tokens)
        offer = None if self._told_offer else self.routes.offer(wishes)
        if offer is None:
            return start
        self._told_offer = True
        return start._replace(notices=(Notice("model.not_chosen", offer.notice, "limen model set ROUTE"),))

    def auxiliary(self, name: TaskName) -> Auxiliary:
        """The second model for that kind of small job."""
        task, chosen = task_of(name), self._tasks[name]
        found = Candidates(self.routes, self._main, lambda route: self.key_state(route).usable)
        return AuxiliaryModel(
            task, self.model, lambda main: found.of(task, chosen, main), self._settled, self.health, self.resting
        )

    async def resting(self, route: Route) -> Rest | None:
        """What keeps a route from being asked now, None where nothing does."""
        return await rest_of(route, self.health, self.keyring)

    def _main(self, name: str) -> Route | None:
        """The main route of a small job: that of the turn which wants it, where there is one."""
        try:
            first = self.wished()
            if not name or name == first.name:
                return first
            return next((route for route in self.chain if route.name == name), None) or self.routes.route(name)
        except ConfigFault:
            return None

    def _wishes(self, wish: str | None) -> Wishes:
        return Wishes(explicit=wish or "", variable=os.environ.get(ROUTE_VARIABLE, ""), configured=self._configured)

    async def _settled(self, route: Route) -> Route:
        return await self.directory.settle(route) if route.endpoint else route


def _extractive_model() -> Wire:
    model: type[ExtractiveModel] = load("limen.builtin.models.extractive:ExtractiveModel")
    return model()
