"""docs/before-the-first-byte.md: gates and shapers in the code's own order, each with what the code says of it."""

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any, Literal

import msgspec
import reached

from limen.config.keys import KEYS, Key
from limen.web.extract import EXTRACT_GATES, EXTRACT_SHAPERS
from limen.web.search import SEARCH_GATES, SEARCH_SHAPERS

_WORDS = Path(__file__).with_suffix(".toml")
_COLUMNS = 120
_NO = {"call": "the whole call", "address": "one address", "search": "the search", "hit": "one hit"}


class Station(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is written of a gate or shaper; threshold.toml says what each field is for."""

    asks: str
    fails: Literal["", "closed", "open"] = ""
    so: str = ""
    code: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    refuses: str = ""
    again: bool = False
    line: str = ""
    settings: tuple[str, ...] = ()

    def short(self) -> str:
        """What it does to a request, in a few words."""
        if self.line:
            return self.line
        said = f"may refuse {_NO[self.refuses]}"
        return f"{said}, and looks again at where the page came from" if self.again else said


def stations(pipeline: str, names: Sequence[str]) -> dict[str, Station]:
    """The stations of a pipeline in its order. Ends the program where the words lack one, or have one too many."""
    written: dict[str, Any] = tomllib.loads(_WORDS.read_text())[pipeline]
    if set(written) != set(names):
        raise SystemExit(f"{_WORDS.name}: [{pipeline}] says something of {sorted(written)}, the code has {sorted(names)}")
    return {name: msgspec.convert(written[name], Station) for name in names}


def extract_picture() -> str:
    """The way of `web_extract` from top to bottom."""
    words = stations("extract", EXTRACT_GATES)
    return _picture("web_extract · addresses", words, "the reader", EXTRACT_SHAPERS)


def search_picture() -> str:
    """The way of `web_search` from top to bottom."""
    words = stations("search", SEARCH_GATES)
    return _picture("web_search · a query", words, "a provider", SEARCH_SHAPERS)


def _picture(wish: str, words: dict[str, Station], end: str, shapers: Sequence[str]) -> str:
    rows = [f"  ├─ {n} {name} {'─' * (14 - len(name))} {station.short()}" for n, (name, station) in enumerate(words.items(), 1)]
    lines = [
        wish, "  │", *rows, "  ▼", f"{end} {'═' * (18 - len(end))} net/transport.py ══► the first byte leaves here", "  │",
        f"  ├─ {', '.join(shapers)}", "  ▼", "the model",
    ]  # fmt: skip
    return "```text\n" + "\n".join(lines) + "\n```\n"


def extract_gates() -> str:
    """A section for each gate of `web_extract`."""
    return _sections(stations("extract", EXTRACT_GATES), "")


def search_gates() -> str:
    """A section for each gate of `web_search`."""
    return _sections(stations("search", SEARCH_GATES), " of a search")


def extract_shapers() -> str:
    """A line for each shaper of `web_extract`."""
    return _shapers(stations("extract-shapers", EXTRACT_SHAPERS))


def search_shapers() -> str:
    """A line for each shaper of `web_search`."""
    return _shapers(stations("search-shapers", SEARCH_SHAPERS))


def _sections(words: dict[str, Station], of: str) -> str:
    return "\n".join(_section(n, f"`{name}`{of}", name, station) for n, (name, station) in enumerate(words.items(), 1))


def _section(n: int, title: str, name: str, station: Station) -> str:
    areas = station.areas or (name,)
    codes = [code for code in sorted({*reached.refusals(*station.code), *station.codes}) if code.partition(".")[0] in areas]
    logged = [code for code in reached.logged(*station.code) if code.partition(".")[0] in areas]
    items = [_item(f"**Says no** to {_NO[station.refuses]}" if station.refuses else "**Says**", codes)] if codes else []
    items += ["- **Looks again** at the address that the page came from in the end."] if station.again else []
    items.append(_wrapped(f"- **Fails {station.fails}.** {station.so}"))
    items += [_item("**Logs and goes on**", logged)] if logged else []
    items += ["- **Settings:**", *map(_setting, station.settings)] if station.settings else []
    return "\n".join([f"### {n}. {title}", "", _asks(station), "", *items, ""])


def reader() -> str:
    """The settings of whoever reads at the end."""
    return "\n".join(["- **Settings:**", *map(_setting, ("web.extract_timeout_s", "web.redirects", "reader")), ""])


def _shapers(words: dict[str, Station]) -> str:
    rows = [f"- `{name}`: {_sentences(_asks(one, fold=False), one.so, _named(one))}" for name, one in words.items()]
    return "\n".join([*map(_wrapped, rows), ""])


def _named(station: Station) -> str:
    keys = ", ".join(f"`{name}`" for name in station.settings)
    return f"Settings: {keys}." if keys else ""


def _sentences(*said: str) -> str:
    return " ".join(filter(None, said))


def _asks(station: Station, *, fold: bool = True) -> str:
    """The docstring without the word that says what kind of part it is."""
    text = reached.docstring(station.asks)
    kind, colon, rest = text.partition(": ")
    if colon and kind in ("Gate", "Shaper"):
        text = rest[:1].upper() + rest[1:]
    paragraphs = text.split("\n\n")
    return "\n\n".join(map(_wrapped, paragraphs)) if fold else paragraphs[0]


def _item(said: str, codes: Sequence[str]) -> str:
    return _wrapped(f"- {said}: {', '.join(map(code_link, codes))}.")


def code_link(code: str) -> str:
    """A code that leads to its area in the page of codes."""
    return f"[`{code}`](errors.md#{code.partition('.')[0]})"


def _setting(name: str) -> str:
    keys = [key for key in KEYS.values() if key.name == name or key.name.startswith(f"{name}.")]
    if not keys:
        raise SystemExit(f"{_WORDS.name}: there is no setting {name}")
    return "\n".join(f"  - [`{key.name}`](configuration.md#{key.section}): {key.description}" for key in _told_apart(keys))


def _told_apart(keys: Sequence[Key]) -> Sequence[Key]:
    """Keys, those that mean the same under the name of their group."""
    if len(keys) > 1 and len({key.description for key in keys}) == 1:
        return [msgspec.structs.replace(keys[0], name=keys[0].name.rpartition(".")[0])]
    return keys


def _wrapped(text: str) -> str:
    hanging = "  " if text.startswith("- ") else ""
    return fill(text, _COLUMNS, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)


PARTS: dict[str, Callable[[], str]] = {
    "extract-picture": extract_picture,
    "extract-gates": extract_gates,
    "reader": reader,
    "extract-shapers": extract_shapers,
    "search-picture": search_picture,
    "search-gates": search_gates,
    "search-shapers": search_shapers,
}
