"""Browsing as data: the commands of the tool `web`, and what whoever carries them out is given."""

from typing import Any, Literal

import msgspec

from limen.core.fault import Refusal
from limen.core.ledger import Origin
from limen.core.message import Image
from limen.core.web import Location

ResponseLength = Literal["short", "medium", "long"]


class _Command(msgspec.Struct, frozen=True, tag_field="command"):
    """One command; its name is its tag."""

    @property
    def name(self) -> str:
        """What the command is called in the tool's arguments."""
        return str(self.__struct_config__.tag)


class SearchQuery(_Command, frozen=True, tag="search_query"):
    """A search for pages; `recency` counts days."""

    q: str
    recency: int | None = None
    domains: tuple[str, ...] = ()


class ImageQuery(_Command, frozen=True, tag="image_query"):
    """A search for pictures."""

    q: str
    recency: int | None = None
    domains: tuple[str, ...] = ()


class Open(_Command, frozen=True, tag="open"):
    """Show lines of what a ref or an address leads to."""

    ref_id: str
    lineno: int | None = None


class Click(_Command, frozen=True, tag="click"):
    """Follow the link of that number."""

    ref_id: str
    id: int


class Find(_Command, frozen=True, tag="find"):
    """Show the lines that hold a phrase."""

    ref_id: str
    pattern: str


class Screenshot(_Command, frozen=True, tag="screenshot"):
    """Picture a page of a document; `pageno` counts from 0."""

    ref_id: str
    pageno: int = 0


class Time(_Command, frozen=True, tag="time"):
    """The time at an offset such as `+03:00`."""

    utc_offset: str


class Weather(_Command, frozen=True, tag="weather"):
    """The weather at a place, from a day (`YYYY-MM-DD`) on, for so many days."""

    location: str
    start: str | None = None
    duration: int | None = None


class Finance(_Command, frozen=True, tag="finance"):
    """The price of an asset."""

    ticker: str
    type: str
    market: str = ""


class Sports(_Command, frozen=True, tag="sports"):
    """A league's games or its table; days are `YYYY-MM-DD`."""

    fn: str
    league: str
    team: str = ""
    opponent: str = ""
    date_from: str | None = None
    date_to: str | None = None
    num_games: int | None = None
    locale: str = ""


Command = SearchQuery | ImageQuery | Open | Click | Find | Screenshot | Time | Weather | Finance | Sports
# The order in which they are answered.
COMMANDS: tuple[type[Command], ...] = (
    SearchQuery, ImageQuery, Open, Click, Find, Screenshot, Time, Weather, Finance, Sports,
)  # fmt: skip


class BrowseSettings(msgspec.Struct, frozen=True):
    """What an operator set that whoever browses for us must heed."""

    mode: Literal["off", "cached", "indexed", "live"] = "live"
    location: Location = Location()
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()


class BrowseRequest(msgspec.Struct, frozen=True):
    """Commands on their way. `said` are the last two texts of the user; `output_tokens` is what the answer may take."""

    session: str
    commands: tuple[Command, ...]
    response_length: ResponseLength = "short"
    said: tuple[str, ...] = ()
    settings: BrowseSettings = BrowseSettings()
    output_tokens: int = 25_000

    def lists(self) -> dict[str, list[dict[str, Any]]]:
        """The commands as lists by name, as the tool's arguments have them."""
        listed: dict[str, list[dict[str, Any]]] = {}
        for command in self.commands:
            fields = msgspec.to_builtins(command)
            listed.setdefault(fields.pop("command"), []).append(fields)
        return listed


class BrowseEntry(msgspec.Struct, frozen=True):
    """What one command brought: a JSON object, where it is from, and a picture beside it. `refusal` says why it brought none."""

    body: dict[str, Any]
    origin: Origin
    picture: Image | None = None
    refusal: Refusal | None = None
