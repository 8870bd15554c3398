"""A provider as a person wants it: what is built in, changed by the settings under its name."""

import difflib
from collections.abc import Callable

import msgspec

from limen.config.schema import Provider as ProviderSettings
from limen.core.fault import ConfigFault
from limen.core.provider import Provider
from limen.models import quirks
from limen.models.credentials import origin_of
from limen.models.wire_choice import wire_at

IsSet = Callable[[str], bool]
"""Whether a variable of that name holds a key, in the environment or the secrets file."""


def configured(provider: Provider, setting: ProviderSettings, place: str) -> Provider:
    """`provider` with what `setting`, which stands at `place`, says. Raises ConfigFault `config.value`.

    Its wire is the one that is set, else that of the endpoint it now has, so that none is left over from the one before.
    """
    endpoint = provider.endpoint if setting.endpoint is None else setting.endpoint
    changes: dict[str, object] = {"endpoint": endpoint, "wire": setting.wire or wire_at(endpoint, provider.wire)}
    if setting.endpoint is not None:
        origin_of(setting.endpoint, f"{place}.endpoint")
    if setting.api_key_env is not None:
        changes |= {"variables": (setting.api_key_env,), "credential": None, "needs_key": True}
    if setting.keys:
        changes |= {"pool": setting.keys, "needs_key": True}
    if setting.model is not None:
        changes["default_model"] = setting.model
    if setting.window_tokens is not None:
        changes["window_tokens"] = setting.window_tokens
    if setting.effort:
        changes["effort"] = setting.effort
    if setting.quirks is not None:
        changes["quirks"] = _checked(setting.quirks, f"{place}.quirks")
    return msgspec.structs.replace(provider, **changes)


def with_keys(provider: Provider, is_set: IsSet) -> Provider:
    """`provider` with the reference of the key in use: its own, else that of its first variable that is set, else the first of
    the pool; where none is set, that of its first variable, which is then missed by name."""
    variable = next((name for name in provider.variables if is_set(name)), None)
    own = provider.credential or (f"env:{variable}" if variable else None)
    pool = tuple(dict.fromkeys(([own] if own else []) + list(provider.pool)))
    missed = f"env:{provider.variables[0]}" if provider.variables else None
    return msgspec.structs.replace(provider, credential=pool[0] if pool else missed, pool=pool if len(pool) > 1 else ())


def _checked(names: tuple[str, ...], place: str) -> frozenset[str]:
    for name in names:
        if name not in quirks.ALL:
            near = difflib.get_close_matches(name, quirks.ALL, n=1)
            mend = f"did you mean {near[0]}?" if near else f"use one of {', '.join(sorted(quirks.ALL))}"
            raise ConfigFault("config.value", f"no quirk is called {name!r}", mend, place=place)
    return frozenset(names)
