"""What goes to and comes from the child process that runs the `ddgs` package."""

from typing import Literal

import msgspec

from limen.core.web import SearchType


class Wish(msgspec.Struct, frozen=True):
    """One search. `region` and `span` in the package's words, empty for its own; `timeout_s` is of one request to an engine."""

    type: SearchType
    query: str
    limit: int
    region: str = ""
    span: str = ""
    timeout_s: int = 10


class Result(msgspec.Struct, frozen=True):
    """A row of the package: text results have `href`, news and images `url`. Sizes are text."""

    title: str | None = None
    href: str | None = None
    url: str | None = None
    body: str | None = None
    date: str | None = None
    image: str | None = None
    width: str | int | None = None
    height: str | int | None = None


class Outcome(msgspec.Struct, frozen=True):
    """What became of it. `failed` lists engines' hosts with the status that turned us away, `said` the package's last words."""

    what: Literal["found", "rate_limited", "timeout", "provider_blocked", "failed"]
    rows: list[msgspec.Raw] = []
    failed: tuple[str, ...] = ()
    said: str = ""
