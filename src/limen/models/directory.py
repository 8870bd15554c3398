"""What an endpoint says of itself: the models it offers, and how large their windows are."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import msgspec

from limen.core.fault import FaultClass, ModelFault
from limen.core.provider import Provider
from limen.core.route import Route
from limen.kit.log import failed_open
from limen.models.classify import fault
from limen.models.recovery import recovery_of
from limen.models.resolve import Routes
from limen.models.wire.http import Endpoint

Shape = TypeVar("Shape", bound=msgspec.Struct)

Ways = Callable[[Route], Awaitable[Sequence[Route]]]
"""A route with each of the keys that it may be asked with, at least one."""

# What a server fails with that is there and has no list.
_NO_LIST: frozenset[FaultClass] = frozenset(("missing", "shape", "reply"))


class Offer(msgspec.Struct, frozen=True):
    """A model that an endpoint offers; its window in tokens where the endpoint says."""

    name: str
    window_tokens: int | None = None


class _Meta(msgspec.Struct, frozen=True):
    n_ctx: int | None = None


class _Listed(msgspec.Struct, frozen=True):
    """One model of `/models`. The window goes by another name at each server: llama.cpp, OpenRouter, Groq, vLLM, Mistral."""

    id: str
    meta: _Meta | None = None
    context_length: int | None = None
    context_window: int | None = None
    max_model_len: int | None = None
    max_context_length: int | None = None

    @property
    def window_tokens(self) -> int | None:
        said = (self.meta.n_ctx if self.meta else None, self.context_length, self.context_window, self.max_model_len)
        return next((tokens for tokens in (*said, self.max_context_length) if tokens and tokens > 0), None)


class _List(msgspec.Struct, frozen=True):
    data: list[_Listed] | None = None


class _Running(msgspec.Struct, frozen=True):
    name: str
    context_length: int | None = None


class _RunningList(msgspec.Struct, frozen=True):
    models: list[_Running] = []


class Directory:
    """Asks endpoints what they serve, and completes routes by it. Remembers each completed route.

    Of several keys, which `ways` gives, the next is tried where one fails for itself.
    """

    def __init__(self, endpoint: Endpoint, routes: Routes, ways: Ways) -> None:
        self._endpoint = endpoint
        self._routes = routes
        self._ways = ways
        self._settled: dict[Route, Route] = {}

    async def offers(self, route: Route) -> tuple[Offer, ...]:
        """The models of a route's endpoint, in its order. Raises ModelFault, with how to start it when it is not there."""
        try:
            listed = _parse(await self._get(route, "/models"), _List).data or []
        except ModelFault as error:
            start = self._provider(route).start
            if error.kind != "network" or not start:
                raise
            raise ModelFault(error.kind, error.reason, start, error.status, error.retry_after_s) from error
        return tuple(Offer(model.id, model.window_tokens) for model in listed if model.id)

    async def settle(self, route: Route) -> Route:
        """`route` with a model where it names none, and with the window its server really has.

        Raises ModelFault when there is no model to be found; a window that cannot be found keeps its default.
        """
        provider = self._provider(route)
        if route.wire == "embedded" or not provider.lists_models or (route.model and self._routes.knows_window(route)):
            return route
        if route not in self._settled:
            completed, lasting = await self._completed(route, provider)
            if not lasting:
                return completed
            self._settled[route] = completed
        return self._settled[route]

    async def _get(self, route: Route, path: str) -> bytes:
        *others, last = await self._ways(route)
        for way in others:
            try:
                return await self._endpoint.get(way, path)
            except ModelFault as error:
                if not recovery_of(error).rotate:
                    raise
        return await self._endpoint.get(last, path)

    def _provider(self, route: Route) -> Provider:
        known = {provider.name: provider for provider in self._routes.providers}
        return known.get(route.provider) or Provider(route.provider, route.wire, lists_models=True)

    async def _completed(self, route: Route, provider: Provider) -> tuple[Route, bool]:
        """`route` completed, and whether that will stay so: a server that is not up yet may say more later."""
        try:
            offers = await self.offers(route)
        except ModelFault as error:
            if route.model:  # the request itself will fail or not; a default window is good enough to find out
                has_no_list = error.fault_class in _NO_LIST
                # What keeps the list away keeps the reply away too, whose failure says why.
                why = error.reason if has_no_list else "its server did not say"
                failed_open("model.window_unknown", _assumed(route, why))
                return route, has_no_list
            raise
        if not offers and not route.model:
            raise fault("shape", f"{route.endpoint} offers no model", mend=provider.start or "load a model into the server")
        offer = next((offer for offer in offers if offer.name == route.model), None) or (offers[0] if not route.model else None)
        name = route.model or (offer.name if offer else "")
        window = (offer.window_tokens if offer else None) or await self._running_window(route, name)
        if window is None or self._routes.knows_window(route):
            return msgspec.structs.replace(route, model=name), True
        output = min(route.output_tokens, max(window // 4, 1))
        return msgspec.structs.replace(route, model=name, window_tokens=window, output_tokens=output), True

    async def _running_window(self, route: Route, name: str) -> int | None:
        """Ollama's own interface: the window of a loaded model."""
        if route.provider != "ollama":
            return None
        root = msgspec.structs.replace(route, endpoint=route.endpoint.removesuffix("/v1"))
        try:
            running = _parse(await self._get(root, "/api/ps"), _RunningList).models
        except ModelFault as error:
            failed_open("model.window_unknown", error)
            return None
        return next((model.context_length for model in running if model.name == name and model.context_length), None)


def _assumed(route: Route, why: str) -> str:
    """What a route goes on with whose server does not say how large its window is, why, and what ends that."""
    mend = f"limen config set providers.{route.provider.replace('.', '')}.window_tokens TOKENS"
    return f"{route.name}: its window is taken to be {route.window_tokens:,} tokens ({why}). To set it: {mend}"


def _parse(body: bytes, shape: type[Shape]) -> Shape:
    try:
        return msgspec.json.decode(body, type=shape, strict=False)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise fault("shape", f"the list of models cannot be read: {error}") from error
