"""One other route as the settings file has it: `provider/model`, or a mapping that says more. Each is judged alone."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from limen.config.kinds import Endpoint, KeyReference, VariableName, WindowTokens, fits
from limen.config.problem import Problem
from limen.core.fault import ConfigFault
from limen.core.route import WireName

FIELDS = ("provider", "model", "base_url", "key", "wire", "window")
# What Hermes Agent calls the same things.
_OLDER = {"api_key_env": "key", "key_env": "key", "api_mode": "wire", "context_length": "window"}
_CLEAR = ("api_key", "apikey", "token", "secret", "password")
_VARIABLE = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")
_SHORT = "write `provider/model`, or a mapping with `provider` and `model`"
_KINDS: dict[str, tuple[Any, str]] = {
    "base_url": (Endpoint, "a URL such as `http://127.0.0.1:8080/v1`, without a user name, a password or a query"),
    "wire": (WireName, "`chat_completions`, `anthropic_messages` or `codex_responses`"),
    "window": (WindowTokens, "a whole number of tokens from 1,000 on"),
}
_IN_CLEAR = "holds a key where only the name of one belongs"
_HOW_KEPT = "put the key into the secrets file as NAME=…, write `key: env:NAME` here, and have that key replaced"


class FallbackEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One other route. `key` is a reference such as `env:NAME`, `window` in tokens; what is empty or 0 is the provider's own.

    `at` is where it stands in its list, the first being [1], and `place` its file and line: both are Limen's own notes.
    """

    provider: str
    model: str
    base_url: str = ""
    key: str = ""
    wire: WireName | Literal[""] = ""
    window: int = 0
    at: str = ""
    place: str = ""

    @property
    def route(self) -> str:
        """How people name it: `provider/model`."""
        return f"{self.provider}/{self.model}"

    @property
    def handle(self) -> str:
        """What `limen fallback remove` takes for it, which its route is not where that stands there twice."""
        name, _, number = self.at.partition("[")
        return number.rstrip("]") if name == "fallback_providers" else f"'{self.at}'"

    def written(self) -> "str | dict[str, Any]":
        """As a person writes it: the short form where that says it all."""
        fields = {name: value for name in FIELDS if (value := getattr(self, name))}
        return self.route if len(fields) == 2 and "/" not in self.provider else fields


Entries = tuple[FallbackEntry, ...]


def read_entries(name: str, value: Any, place_of: Callable[[str], str]) -> tuple[Entries, tuple[Problem, ...]]:
    """What a file's list `name` says, entry by entry; an entry that cannot be read is a Problem and costs the others nothing.

    `place_of` gives file and line of a dotted path. The older setting may be one mapping in place of a list.
    """
    found = [read_entry(one, f"{name}[{number}]", place_of(path)) for number, path, one in _listed(name, value)]
    entries = tuple(one for one in found if isinstance(one, FallbackEntry))
    return entries, tuple(one for one in found if isinstance(one, Problem))


def read_entry(value: Any, at: str, place: str) -> FallbackEntry | Problem:
    """One entry, or what is wrong with it."""
    try:
        entry = entry_of(value)
    except ConfigFault as fault:
        return Problem("warning", fault.code, f"`{at}` {fault.reason}, so it is passed over", fault.mend, place, at)
    return msgspec.structs.replace(entry, at=at, place=place)


def entry_of(value: Any) -> FallbackEntry:
    """An entry as a person writes it: `provider/model`, an endpoint's URL with `#model`, or a mapping.

    Raises ConfigFault `fallback.bad_entry` or `fallback.key_in_clear`, whose reason goes on from the entry's name.
    """
    fields = spelled_out(value) if isinstance(value, str) else value
    if not isinstance(fields, dict):
        raise _unfit("names no route", _SHORT)
    return _of_fields(fields)


def _unfit(what: str, mend: str, code: str = "fallback.bad_entry") -> ConfigFault:
    return ConfigFault(code, what, mend)


def _listed(name: str, value: Any) -> Iterator[tuple[int, str, Any]]:
    if isinstance(value, list):
        yield from ((index + 1, f"{name}.{index}", one) for index, one in enumerate(value))
    elif value is not None:
        yield 1, name, value


def spelled_out(text: str) -> dict[str, Any]:
    """The short form, or an endpoint's URL with `#model`, as fields; what is missing stays empty."""
    if text.startswith(("http://", "https://")):
        endpoint, _, model = text.strip().partition("#")
        return {"provider": "custom", "model": model, "base_url": endpoint}
    provider, _, model = text.strip().partition("/")
    return {"provider": provider, "model": model}


def _of_fields(fields: Mapping[str, Any]) -> FallbackEntry:
    known: dict[str, Any] = {}
    for said, value in fields.items():
        name = _field(said)
        if value is None or value == "":
            continue
        if name in known:
            raise _unfit(f"says `{name}` twice, once by an older name", f"keep `{name}` and remove `{said}`")
        known[name] = _value(said, name, value)
    for name in ("provider", "model"):
        if not known.get(name):
            raise _unfit(f"names no {name}", _SHORT)
    return FallbackEntry(**known)


def _field(said: str) -> str:
    if said in FIELDS:
        return said
    if said.lower() in _CLEAR:
        return "key"
    if said in _OLDER:
        return _OLDER[said]
    near = difflib.get_close_matches(said.replace("-", "_").lower(), (*FIELDS, *_OLDER), n=1, cutoff=0.6)
    mend = f"did you mean `{near[0]}`?" if near else f"an entry has {', '.join(f'`{name}`' for name in FIELDS)}"
    raise _unfit(f"has a field `{said[:40]}` that no entry has" if said.isidentifier() else "has a field that no entry has", mend)


def _value(said: str, name: str, value: Any) -> Any:
    if name == "key":
        return _reference(said, value)
    kind, expects = _KINDS.get(name, (str, "text"))
    try:
        read = msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _unfit(f"has a `{said}` that is not {expects}", f"write {expects} there") from error
    return read.strip() if isinstance(read, str) else read


def _reference(said: str, value: Any) -> str:
    """A reference to a key. Whatever else stands there may be the key itself, so it is never repeated."""
    text = value.strip() if isinstance(value, str) else ""
    if (variable := _VARIABLE.fullmatch(text)) is not None:
        return f"env:{variable[1]}"
    if fits(text, KeyReference):
        return text
    if said in ("api_key_env", "key_env") and fits(text, VariableName):
        return f"env:{text}"
    raise _unfit(f"{_IN_CLEAR} (`{said}`)", _HOW_KEPT, "fallback.key_in_clear")
