"""Which route answers: the first wish that says anything, turned into a route, with the reason why that one."""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from limen.config.fallback_entry import FallbackEntry
from limen.config.schema import Provider as ProviderSettings
from limen.core.fault import ConfigFault
from limen.core.prompt_cache import CacheTtl, PromptCache
from limen.core.provider import KnownModel, Provider
from limen.core.route import CUSTOM, Route, WireName
from limen.models.cache import kept_for
from limen.models.credentials import KeyBinding, endpoint_url
from limen.models.provider_settings import IsSet, configured, with_keys
from limen.models.quirks import ANY_SERVER
from limen.models.wire_choice import wire_at
from limen.net.host import lies_in

DEFAULT_ROUTE = "limen/extractive"
ANY_MODEL = "auto"
"""Stands for whichever model the endpoint offers."""

ROUTE_VARIABLE = "LIMEN_MODEL"
"""The variable that chooses a route for a shell."""

Facts = Callable[[str, str], KnownModel | None]
"""What is known of a provider's model, by both names; None where nothing is."""


class Wishes(NamedTuple):
    """Route names by who wishes for them, strongest first; an empty one says nothing.

    `variable` is what ROUTE_VARIABLE holds, which counts as an explicit request.
    """

    explicit: str = ""
    variable: str = ""
    configured: str = ""


class Offer(NamedTuple):
    """A route that the surroundings suggest: the variable that holds its provider's key is set."""

    route: str
    variable: str

    @property
    def because(self) -> str:
        return f"{self.variable} is set and no route was chosen"

    @property
    def notice(self) -> str:
        """What a person is told, once, who did not choose a route."""
        return f"{self.route} answers, because {self.because}."


# An address whose scheme was forgotten: a number, localhost, a port behind a name, or a path as endpoints have it.
_SERVER = re.compile(
    r"(?:(?:(?:[0-9]{1,3}\.){3}[0-9]{1,3}|\[[0-9A-Fa-f:.]+\]|localhost)(?::[0-9]{1,5})?|[A-Za-z0-9.-]+:[0-9]{1,5}"
    r"|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?=/(?:.*/)?v[0-9]))(?:/[^\s?@#]*)?(?:#[^\s?@]*)?"
)
_IS_PUBLIC = re.compile(r"[A-Za-z0-9.-]*\.[A-Za-z]+(?::443)?(?:[/#]|\Z)")

_BECAUSE = ("it was asked for", f"{ROUTE_VARIABLE} says so", "model.route says so")


class Routes:
    """Turns route names into routes: built-in providers, changed and added to by settings. Reaches for no network.

    The order of `providers` is that in which a key in the environment suggests one. `is_set` knows which variables hold a key,
    `facts` what is known of a provider's models.
    """

    def __init__(
        self,
        providers: Mapping[str, Provider],
        settings: Mapping[str, ProviderSettings] | None = None,
        *,
        output_tokens: int = 4_096,
        cache_ttl: CacheTtl = "5m",
        is_set: IsSet = lambda _: False,
        facts: Facts = lambda _, __: None,
    ) -> None:
        self._default_wires: dict[str, WireName] = {provider.name: provider.wire for provider in providers.values()}
        self._providers = {
            name: msgspec.structs.replace(provider, wire=wire_at(provider.endpoint, provider.wire))
            for name, provider in providers.items()
        }
        self._windows: set[tuple[str, str, str]] = set()
        self._output_tokens = output_tokens
        self._cache_ttl: CacheTtl = cache_ttl
        self.is_set = is_set
        self._facts = facts
        placed = [self._apply(name, setting) for name, setting in (settings or {}).items()]
        self._providers = {name: with_keys(provider, is_set) for name, provider in self._providers.items()}
        self._bindings = [binding for provider in self._providers.values() for binding in _homes(provider)]
        self._bindings += [binding for name in placed if name for binding in _at_endpoint(self._providers[name])]

    def resolve(self, wishes: Wishes) -> Route:
        """The route of the strongest wish, else the one that the environment offers, else the default.

        Raises ConfigFault `model.unknown_provider`, `model.no_model`, `model.no_endpoint` or `config.value`.
        """
        for name, because in zip(wishes, _BECAUSE, strict=True):
            if name.strip():
                return self.route(name, because)
        offer = self.offer(wishes)
        if offer is not None:
            return self.route(offer.route, offer.because)
        return self.route(DEFAULT_ROUTE, "nothing else was chosen, and it needs no model")

    def offer(self, wishes: Wishes) -> Offer | None:
        """What the environment offers where nobody wishes for anything: the first provider with a model of its own whose key
        is set."""
        if any(name.strip() for name in wishes):
            return None
        for provider in self._providers.values():
            variable = next((name for name in provider.variables if self.is_set(name)), None)
            if variable and provider.default_model and provider.endpoint:
                return Offer(f"{provider.name}/{provider.default_model}", variable)
        return None

    def route(self, name: str, because: str = "") -> Route:
        """The route of that name: `provider/model`, `provider` alone, or the URL of an endpoint with `#model`."""
        name = name.strip()
        if is_address(name):
            endpoint, _, model = name.partition("#")
            return self._build(self._at_url(endpoint), model, because)
        provider_name, _, model = name.partition("/")
        if self._named(provider_name) is None and _SERVER.fullmatch(name):
            scheme = "https" if _IS_PUBLIC.match(name) else "http"
            raise ConfigFault(
                "model.unknown_provider", f"{name[:200]} is an address without its scheme", f"did you mean {scheme}://{name}?"
            )
        return self._build(self.provider(provider_name), model, because)

    def entry(self, entry: FallbackEntry) -> Route:
        """The route that an entry of a list of other routes names. Raises ConfigFault as `route` does.

        Its `base_url` replaces the provider's endpoint, and the wire with it; its `key` is bound to exactly that endpoint.
        Without one the provider's own keys are used, unless the endpoint is none of its own: then no key goes along.
        """
        known = self.provider(entry.provider)
        if entry.base_url:
            known = self._moved(known, entry.base_url)
        if entry.key:
            known = msgspec.structs.replace(known, credential=entry.key, pool=(), needs_key=True)
        if entry.wire:
            known = msgspec.structs.replace(known, wire=entry.wire)
        route = self._build(known, entry.model, "")
        if entry.key:
            self._bind(KeyBinding(entry.key, endpoints=(route.endpoint,)))
        if entry.window:
            self._windows.add(_place(route))
            output = min(route.output_tokens, max(entry.window // 4, 1))
            route = msgspec.structs.replace(route, window_tokens=entry.window, output_tokens=output)
        return route

    def endpoint_of(self, name: str) -> Route:
        """A route to a provider, or to the endpoint of a URL, that names no model, for questions about the endpoint.

        Raises ConfigFault as `route` does.
        """
        provider = self._at_url(name.partition("#")[0]) if is_address(name) else self.provider(name)
        return self._build(msgspec.structs.replace(provider, lists_models=True), "", "")

    def provider(self, name: str) -> Provider:
        """A provider by name, whatever its capitals and punctuation. Raises ConfigFault `model.unknown_provider`."""
        found = self._named(name)
        if found is not None:
            return self._providers[found]
        known = {_letters(provider): provider for provider in self._providers}
        near = difflib.get_close_matches(_letters(name), known, n=1)
        hint = f"; did you mean {known[near[0]]}?" if near else ""
        raise ConfigFault(
            "model.unknown_provider",
            f"there is no provider {name[:60]!r}{hint}",
            f"use one of {', '.join(sorted(self._providers))}, or add it: limen config set providers.NAME.endpoint URL",
        )

    @property
    def providers(self) -> tuple[Provider, ...]:
        """All providers, settings applied, in the order in which a key in the environment suggests one."""
        return tuple(self._providers.values())

    def knows_window(self, route: Route) -> bool:
        """Whether the route's window was set by a person or is known of its model, so that no server need be asked."""
        provider = self._providers.get(route.provider)
        if (route.provider, "", "") in self._windows or _place(route) in self._windows:
            return True
        return provider is not None and self._known(provider, route.model) is not None

    def bindings(self) -> Sequence[KeyBinding]:
        """Where each key may go; an entry with a key of its own adds to it."""
        return self._bindings

    def _bind(self, binding: KeyBinding) -> None:
        if binding not in self._bindings:
            self._bindings.append(binding)

    def _named(self, name: str) -> str | None:
        """The name of the provider that is meant: the very one, else the one with the same letters and digits."""
        if name in self._providers:
            return name
        letters = _letters(name)
        return next((known for known in self._providers if letters and _letters(known) == letters), None)

    def _apply(self, name: str, setting: ProviderSettings) -> str | None:
        """Change or add a provider; its name where the setting gives it an endpoint, to which its keys may then go."""
        place = f"providers.{name}"
        name = self._named(name) or name
        provider = self._providers.get(name) or Provider(name, "chat_completions", quirks=ANY_SERVER, lists_models=True)
        provider = msgspec.structs.replace(provider, wire=self._default_wires.get(name, "chat_completions"))
        self._providers[name] = configured(provider, setting, place)
        if setting.window_tokens is not None:
            self._windows.add((name, "", ""))
        return name if setting.endpoint is not None else None

    def _moved(self, provider: Provider, endpoint: str) -> Provider:
        """A provider at another endpoint; its keys come along only where they may go there anyway."""
        parsed = endpoint_url(endpoint, "base_url")
        moved = msgspec.structs.replace(
            provider,
            endpoint=endpoint.rstrip("/"),
            wire=wire_at(endpoint, self._default_wires.get(provider.name, "chat_completions")),
        )
        at_home = any(lies_in(parsed.host, host) for host in provider.hosts)
        if at_home or (provider.endpoint and endpoint_url(provider.endpoint, "endpoint").origin == parsed.origin):
            return moved
        return msgspec.structs.replace(moved, credential=None, pool=(), needs_key=False)

    def _at_url(self, endpoint: str) -> Provider:
        """The provider of an address that was given alone: no key goes there, but its protocol is that of whoever lives there."""
        may_hold_a_secret = "@" in endpoint or "?" in endpoint
        parsed = endpoint_url(endpoint, "the endpoint" if may_hold_a_secret else f"the endpoint {endpoint[:200]!r}")
        lives = next((one for one in self._providers.values() if any(lies_in(parsed.host, host) for host in one.hosts)), None)
        wire = wire_at(endpoint, self._default_wires[lives.name] if lives else "chat_completions")
        quirks = lives.quirks if lives else ANY_SERVER
        return Provider(CUSTOM, wire, endpoint=str(parsed).rstrip("/"), quirks=quirks, lists_models=True)

    def _known(self, provider: Provider, model: str) -> KnownModel | None:
        own = next((known for known in provider.models if known.name == model), None)
        return own or (self._facts(provider.name, model) if model and provider.wire != "embedded" else None)

    def _build(self, provider: Provider, model: str, because: str) -> Route:
        model = model.strip()
        model = provider.default_model if model in ("", ANY_MODEL) else model
        _check(provider, model)
        known = self._known(provider, model) or KnownModel(model, provider.window_tokens, provider.output_tokens, provider.price)
        window = provider.window_tokens if (provider.name, "", "") in self._windows else known.window_tokens
        route = Route(
            provider=provider.name,
            wire=provider.wire,
            model=model,
            endpoint=provider.endpoint,
            credential=provider.credential,
            pool=provider.pool,
            quirks=provider.quirks,
            window_tokens=window,
            output_tokens=min(known.output_tokens, self._output_tokens, max(window // 4, 1)),
            price=known.price,
            effort=provider.effort,
            cache=_cache(provider, known),
            because=because,
        )
        return kept_for(route, self._cache_ttl)


def _cache(provider: Provider, known: KnownModel) -> PromptCache:
    if known.cache_tokens is None:
        return provider.cache
    return msgspec.structs.replace(provider.cache, least_tokens=known.cache_tokens)


def _check(provider: Provider, model: str) -> None:
    """Raise ConfigFault where a provider cannot serve a model of that name."""
    if not model and not provider.lists_models:
        raise ConfigFault(
            "model.no_model", f"{provider.name} serves many models", f"name one: limen model set {provider.name}/MODEL"
        )
    if provider.wire == "embedded" and model != provider.default_model:
        mend = f"did you mean {provider.name}/{provider.default_model}?"
        raise ConfigFault("model.unknown_model", f"{provider.name} has no model {model[:60]!r}", mend)
    if not model.isprintable() or len(model) > 300:
        raise ConfigFault("config.value", "the model's name holds what no name has", "check the route's spelling")
    if not provider.endpoint and provider.wire != "embedded":
        mend = f"limen config set providers.{_letters(provider.name)}.endpoint URL"
        raise ConfigFault("model.no_endpoint", f"{provider.name} has no endpoint yet", mend)


def _homes(provider: Provider) -> list[KeyBinding]:
    """A provider's keys, bound to its hosts."""
    if not provider.hosts:
        return []
    return [KeyBinding(key, hosts=provider.hosts, required=provider.needs_key) for key in provider.references]


def _at_endpoint(provider: Provider) -> list[KeyBinding]:
    """A provider's keys, bound to the endpoint that a person gave it."""
    return [KeyBinding(key, endpoints=(provider.endpoint,), required=provider.needs_key) for key in provider.references]


def _place(route: Route) -> tuple[str, str, str]:
    return (route.provider, route.endpoint, route.model)


def is_address(name: str) -> bool:
    """Whether a route's name is the URL of an endpoint."""
    return name.strip().startswith(("http://", "https://"))


def _letters(name: str) -> str:
    """A name as settings spell it, whose keys are parted by dots: `llamacpp` for llama.cpp."""
    return "".join(char for char in name.casefold() if char.isalnum())
