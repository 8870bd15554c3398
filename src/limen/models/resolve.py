"""Which route answers: the first wish that says anything, turned into a route, with the reason why that one."""

import difflib
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from limen.config.schema import Provider as ProviderSettings
from limen.core.fault import ConfigFault, Refusal
from limen.core.provider import KnownModel, Provider
from limen.core.route import Route
from limen.models import quirks
from limen.models.credentials import KeyBinding, origin_of
from limen.net.url import parse

DEFAULT_ROUTE = "limen/extractive"
ANY_MODEL = "auto"
"""Stands for whichever model the endpoint offers."""

CUSTOM = "custom"


class Wishes(NamedTuple):
    """Route names by who wishes for them, strongest first; an empty one says nothing.

    `variable` is LIMEN_MODEL, which counts as an explicit request; `environment` is whatever else the surroundings suggest.
    """

    explicit: str = ""
    variable: str = ""
    configured: str = ""
    environment: str = ""


_BECAUSE = ("it was asked for", "LIMEN_MODEL says so", "model.route says so", "the environment offers it")


class Routes:
    """Turns route names into routes: built-in providers, changed and added to by settings. Reaches for no network."""

    def __init__(
        self,
        providers: Mapping[str, Provider],
        settings: Mapping[str, ProviderSettings] | None = None,
        *,
        output_tokens: int = 4_096,
    ) -> None:
        self._providers = dict(providers)
        self._keys_for_endpoints: list[KeyBinding] = []
        self._settled_windows: set[str] = set()
        self._output_tokens = output_tokens
        for name, setting in (settings or {}).items():
            self._apply(name, setting)

    def resolve(self, wishes: Wishes) -> Route:
        """The route of the strongest wish, else the default.

        Raises ConfigFault `model.unknown_provider`, `model.no_model`, `model.no_endpoint` or `config.value`.
        """
        for name, because in zip(wishes, _BECAUSE, strict=True):
            if name.strip():
                return self.route(name, because)
        return self.route(DEFAULT_ROUTE, "nothing else was chosen, and it needs no model")

    def route(self, name: str, because: str = "") -> Route:
        """The route of that name: `provider/model`, `provider` alone, or the URL of an endpoint with `#model`."""
        name = name.strip()
        if name.startswith(("http://", "https://")):
            endpoint, _, model = name.partition("#")
            return self._build(self._at_url(endpoint), model, because)
        provider_name, _, model = name.partition("/")
        return self._build(self.provider(provider_name), model, because)

    def endpoint_of(self, name: str) -> Route:
        """A route to a provider that names no model, for questions about the endpoint. Raises ConfigFault as `route` does."""
        provider = self.provider(name)
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
        """All providers, settings applied."""
        return tuple(self._providers.values())

    def knows_window(self, route: Route) -> bool:
        """Whether the route's window was set by a person or is known of its model, so that no server need be asked."""
        provider = self._providers.get(route.provider)
        return route.provider in self._settled_windows or (provider is not None and _known(provider, route.model) is not None)

    def bindings(self) -> tuple[KeyBinding, ...]:
        """Where each provider's key may go."""
        homes = tuple(
            KeyBinding(provider.credential, hosts=provider.hosts, required=provider.needs_key)
            for provider in self._providers.values()
            if provider.credential is not None and provider.hosts
        )
        return (*homes, *self._keys_for_endpoints)

    def _named(self, name: str) -> str | None:
        """The name of the provider that is meant: the very one, else the one with the same letters and digits."""
        if name in self._providers:
            return name
        letters = _letters(name)
        return next((known for known in self._providers if letters and _letters(known) == letters), None)

    def _apply(self, name: str, setting: ProviderSettings) -> None:
        place = f"providers.{name}"
        name = self._named(name) or name
        provider = self._providers.get(name) or Provider(name, "chat_completions", lists_models=True)
        if setting.endpoint is not None:
            origin_of(setting.endpoint, f"{place}.endpoint")
            provider = msgspec.structs.replace(provider, endpoint=setting.endpoint)
        if setting.api_key_env is not None:
            provider = msgspec.structs.replace(provider, credential=f"env:{setting.api_key_env}", needs_key=True)
        if setting.endpoint is not None and provider.credential is not None:
            binding = KeyBinding(provider.credential, endpoints=(setting.endpoint,), required=provider.needs_key)
            self._keys_for_endpoints.append(binding)
        if setting.wire is not None:
            provider = msgspec.structs.replace(provider, wire=setting.wire)
        if setting.model is not None:
            provider = msgspec.structs.replace(provider, default_model=setting.model)
        if setting.window_tokens is not None:
            provider = msgspec.structs.replace(provider, window_tokens=setting.window_tokens, models=())
            self._settled_windows.add(name)
        if setting.quirks is not None:
            provider = msgspec.structs.replace(provider, quirks=_checked(setting.quirks, f"{place}.quirks"))
        self._providers[name] = provider

    def _at_url(self, endpoint: str) -> Provider:
        parsed = parse(endpoint)
        if isinstance(parsed, Refusal):
            raise ConfigFault("config.value", f"{endpoint[:200]!r} is no endpoint: {parsed.reason}", parsed.mend)
        return Provider(CUSTOM, "chat_completions", endpoint=str(parsed).rstrip("/"), lists_models=True)

    def _build(self, provider: Provider, model: str, because: str) -> Route:
        model = model.strip()
        model = provider.default_model if model in ("", ANY_MODEL) else model
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
        known = _known(provider, model) or KnownModel(model, provider.window_tokens, provider.output_tokens, provider.price)
        return Route(
            provider=provider.name,
            wire=provider.wire,
            model=model,
            endpoint=provider.endpoint,
            credential=provider.credential,
            quirks=provider.quirks,
            window_tokens=known.window_tokens,
            output_tokens=min(known.output_tokens, self._output_tokens, max(known.window_tokens // 4, 1)),
            price=known.price,
            because=because,
        )


def _letters(name: str) -> str:
    """A name as settings spell it, whose keys are parted by dots: `llamacpp` for llama.cpp."""
    return "".join(char for char in name.casefold() if char.isalnum())


def _known(provider: Provider, model: str) -> KnownModel | None:
    return next((known for known in provider.models if known.name == model), None)


def _checked(names: tuple[str, ...], place: str) -> frozenset[str]:
    for name in names:
        if name not in quirks.ALL:
            near = difflib.get_close_matches(name, quirks.ALL, n=1)
            mend = f"did you mean {near[0]}?" if near else f"use one of {', '.join(sorted(quirks.ALL))}"
            raise ConfigFault("config.value", f"no quirk is called {name!r}", mend, place=place)
    return frozenset(names)
