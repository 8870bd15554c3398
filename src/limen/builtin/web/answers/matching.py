"""Which answer belongs to which page: by address, never by place in a list."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from limen.core.fault import Refusal
from limen.net.url import parse

Value = TypeVar("Value")


def by_url(requested: Sequence[str], found: Iterable[tuple[str, Value]]) -> dict[str, Value]:
    """What was found for each requested URL; the first of several stands, and what nobody asked for is left out.

    Addresses that differ in spelling alone (case of the host, default port, escapes, a last slash, a fragment) are the same.
    """
    exact: dict[str, Value] = {}
    alike: dict[str, Value] = {}
    for url, value in found:
        exact.setdefault(url, value)
        alike.setdefault(_alike(url), value)
    matched: dict[str, Value] = {}
    for url in requested:
        if url in exact:
            matched[url] = exact[url]
        elif _alike(url) in alike:
            matched[url] = alike[_alike(url)]
    return matched


def _alike(url: str) -> str:
    parsed = parse(url)
    return url if isinstance(parsed, Refusal) else parsed.request_url.rstrip("/")
