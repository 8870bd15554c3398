"""The chain of other routes as it stands in the file and now: each entry with its state, and what would mend it."""

import re
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from limen.config.fallback_entry import FallbackEntry
from limen.config.problem import Problem
from limen.core.route import Route
from limen.kit.clock import iso_utc
from limen.models.references import shown
from limen.models.resting import rest_of

if TYPE_CHECKING:
    from limen.runtime import Runtime

State = Literal["usable", "key missing", "resting", "passed over"]
LISTS = ("fallback_providers", "fallback_model")

_AT = re.compile(r"(\w+)\[([0-9]+)\]")


class ChainRow(msgspec.Struct, frozen=True):
    """One entry. `at` is its place in its list, `place` file and line; `until` a Unix time, 0 where nothing rests."""

    number: int
    at: str
    place: str
    route: str
    state: State
    endpoint: str = ""
    key: str = ""
    reason: str = ""
    mend: str = ""
    until: float = 0.0

    def published(self) -> dict[str, Any]:
        """The shape in JSON."""
        until = {"until": iso_utc(self.until)} if self.until else {}
        return {name: value for name, value in msgspec.to_builtins(self).items() if name != "until"} | until


async def chain_rows(runtime: "Runtime") -> list[ChainRow]:
    """All entries in the order in which they are asked, those that are passed over among them."""
    config = runtime.loaded.config
    entries = {entry.at: entry for entry in (*config.fallback_providers, *config.fallback_model)}
    wrong = {problem.key: problem for problem in runtime.loaded.problems if problem.code.startswith("fallback.")}
    routes = {route.because: route for route in runtime.models.chain}
    rows = []
    for number, at in enumerate(sorted({*entries, *wrong}, key=_position), 1):
        if at in wrong:
            rows.append(_passed_over(number, at, wrong[at], entries.get(at)))
        elif at in routes:
            rows.append(await _judged(number, entries[at], routes[at], runtime))
    return rows


def _position(at: str) -> tuple[int, int]:
    match = _AT.fullmatch(at)
    return (LISTS.index(match[1]), int(match[2])) if match is not None and match[1] in LISTS else (len(LISTS), 0)


def _passed_over(number: int, at: str, problem: Problem, entry: FallbackEntry | None) -> ChainRow:
    route = entry.route if entry is not None else ""
    return ChainRow(number, at, problem.place, route, "passed over", reason=problem.text, mend=problem.mend)


async def _judged(number: int, entry: FallbackEntry, route: Route, runtime: "Runtime") -> ChainRow:
    row = ChainRow(number, entry.at, entry.place, route.name, "usable", route.endpoint, shown(route.credential or ""))
    key = runtime.models.key_state(route)
    if not key.usable:
        return msgspec.structs.replace(row, state="key missing", reason=key.reason, mend=key.mend)
    rest = await rest_of(route, runtime.models.health, runtime.models.keyring)
    if rest is not None:
        mend = f"limen model test {route.typed}"
        return msgspec.structs.replace(row, state="resting", reason=rest.reason, mend=mend, until=rest.until)
    return row
