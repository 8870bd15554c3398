"""A provider by its name: the one that was chosen, or why it cannot be used and which ones can. Nothing is swapped in silence."""

from collections.abc import Container, Mapping
from difflib import get_close_matches
from typing import Literal, TypeVar

import msgspec

from limen.core.fault import Refusal
from limen.web.ring import Member

M = TypeVar("M", bound=Member)
Doing = Literal["search", "extract"]


def choose(
    name: str, providers: Mapping[str, M], doing: Doing, *, others: Container[str] = (), by_call: bool = False
) -> M | Refusal:
    """The provider of that name. `others` are those that only do the other thing; `by_call` says that the call itself named it.

    Codes beside those of a provider's `unavailable`: `web.unknown_provider`, `web.search_only`, `web.extract_only`.
    """
    provider = providers.get(name)
    unavailable = provider.unavailable() if provider is not None else None
    if provider is not None and unavailable is None:
        return provider
    mend = _mend(working(providers), doing, by_call)
    if unavailable is not None:
        both = f"{unavailable.mend}; or {mend}" if unavailable.mend else mend
        return msgspec.structs.replace(unavailable, gate="resolve", mend=both)
    if name in others and doing == "extract":
        return Refusal("resolve", "web.search_only", f"{name} searches and reads no pages.", mend)
    if name in others:
        return Refusal("resolve", "web.extract_only", f"{name} reads pages and does not search.", mend)
    near = get_close_matches(name, providers, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return Refusal("resolve", "web.unknown_provider", f"No {doing} provider is named {name!r}.{hint}", mend)


def working(providers: Mapping[str, M]) -> list[str]:
    """The names of those that can be used now, in alphabetical order."""
    return sorted(name for name, provider in providers.items() if provider.unavailable() is None)


def _mend(names: list[str], doing: Doing, by_call: bool) -> str:
    listed = ", ".join(names) or "none available"
    if by_call:
        return f"name one of: {listed}"
    return f"limen config set web.{doing}_backend NAME, where NAME is one of: {listed}"
