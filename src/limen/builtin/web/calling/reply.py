"""A vendor's JSON as typed values: what is not of its shape is a refusal, and a row that is not costs itself alone."""

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from limen.builtin.web.calling.refusing import Area, kind_of_words, quoted, refuse, said_in
from limen.core.fault import Refusal
from limen.kit.log import failed_open

Shape = TypeVar("Shape")


def decode(body: bytes, shape: type[Shape], area: Area, vendor: str) -> Shape | Refusal:
    """The answer as `shape`. An answer that is an error under a status of success is refused in the vendor's words."""
    try:
        return msgspec.json.decode(body, type=shape, strict=False)
    except (msgspec.DecodeError, RecursionError) as error:
        said = said_in(body)
        if said:
            return refuse(area, kind_of_words(said), vendor, f"{vendor} answered: {said}.")
        if body.lstrip()[:1] == b"<":
            return refuse(area, "malformed", vendor, f"{vendor} answered with a web page where JSON was expected.")
        what = (
            f"JSON of another shape ({quoted(str(error))})" if isinstance(error, msgspec.ValidationError) else "what is no JSON"
        )
        return refuse(area, "malformed", vendor, f"{vendor} answered with {what}.")


class _Results(msgspec.Struct, frozen=True):
    results: list[msgspec.Raw]


def results_of(body: bytes, shape: type[Shape], area: Area, vendor: str) -> list[Shape] | Refusal:
    """The entries under `results`, where most vendors put them."""
    found = decode(body, _Results, area, vendor)
    return found if isinstance(found, Refusal) else rows_of(found.results, shape, area, vendor)


def rows_of(raw: Sequence[msgspec.Raw], shape: type[Shape], area: Area, vendor: str) -> list[Shape] | Refusal:
    """Each entry as `shape`; a refusal when none is. Those that are not are left out, counted and logged.

    Logged: `search.bad_entry`, `extract.bad_entry`.
    """
    rows: list[Shape] = []
    problem: Exception | None = None
    for entry in raw:
        try:
            rows.append(msgspec.json.decode(entry, type=shape, strict=False))
        except (msgspec.DecodeError, RecursionError) as error:
            problem = error
    if problem is None:
        return rows
    if not rows:
        return refuse(area, "malformed", vendor, f"{vendor} answered with entries of another shape ({quoted(str(problem))}).")
    failed_open(f"{area}.bad_entry", f"{vendor}: {len(raw) - len(rows)} of {len(raw)} entries could not be read")
    return rows
