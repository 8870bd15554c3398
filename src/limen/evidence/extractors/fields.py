"""What records have in common, and which of them stand out: values counted field by field, exactly as they are written."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from limen.evidence.extractors.quoting import quote, shape_of
from limen.evidence.findings import Quote, Tally, Weight

_MOST_FIELDS = 80
_MOST_VALUES = 24
# An object with no more members is taken apart into fields of its own.
_MOST_INNER = 30
_MOST_TROUBLES = 60
_SHOWN_VALUES = 6
_VALUE_CHARS = 40
_SHOWN_NAMES = 6
_DEEPEST = 4
_EXAMPLE_CHARS = 20_000
# A value is rare where nine of ten are another, and a number where it lies so many standard deviations from the mean.
_COMMON_SHARE = 0.9
_FAR_DEVIATIONS = 4
_FEWEST = 20
_LARGEST = Decimal("1e100")
_TYPES = {int: "number", Decimal: "number", str: "string", bool: "boolean", type(None): "null", dict: "object", list: "array"}

_ERRORS = frozenset((
    "error", "errors", "exception", "exceptions", "err", "failure", "failures", "fault", "traceback", "stacktrace", "stack_trace",
    "error_message", "errormessage", "error_code", "errorcode", "failurereason", "failure_reason",
))  # fmt: skip
_STATES = frozenset(("status", "state", "level", "severity", "result", "outcome", "conclusion", "phase", "lvl", "health"))
_FLAGS = frozenset(("success", "ok", "passed", "valid", "healthy", "succeeded"))
_CODES = frozenset(("status", "status_code", "statuscode", "http_status", "httpstatus", "code"))
_BAD = frozenset((
    "error", "err", "failed", "failure", "fail", "fatal", "critical", "crit", "panic", "emergency", "alert", "broken",
    "unhealthy", "crashloopbackoff", "oomkilled", "evicted", "imagepullbackoff", "timeout", "timed_out",
    "cancelled", "aborted", "rejected",
))  # fmt: skip
_DOUBTFUL = frozenset(("warning", "warn", "degraded", "unstable", "pending", "unknown", "skipped"))
_WATCHED = _ERRORS | _STATES | _FLAGS | _CODES
# What a record is called by, the surest first.
_NAMES = ("id", "(name)", "name", "key", "uuid", "number", "path", "file", "filename", "url", "title")


class Where(NamedTuple):
    """A place in an output: the line's number, the line itself, and the character in it."""

    line: int
    text: str
    at: int = 0

    def quoted(self, weight: Weight, group: int = 0) -> Quote:
        """The line, or the window around the place."""
        return quote(self.line, self.text, weight, group, self.at)


class Column:
    """One field over all records: types, least and most, distinct values while they are few."""

    def __init__(self) -> None:
        self.count = 0
        self._kinds: dict[type, int] = {}
        self._values: dict[tuple[type, Any], list[Any]] | None = {}
        self._first: Any = None
        self._last: Any = None
        self._least: tuple[Any, Where | None] = (None, None)
        self._most: tuple[Any, Where | None] = (None, None)
        self._mean = self._spread = 0.0

    def add(self, value: Any, where: Where) -> None:
        """One more value."""
        kind = value.__class__
        if kind is dict or kind is list:
            value = said(value)
        if self.count == 0:
            self._first = value
        self.count += 1
        self._last = value
        self._kinds[kind] = self._kinds.get(kind, 0) + 1
        if kind is int or kind is Decimal:
            self._number(value, where)
        if self._values is not None:
            entry = self._values.get((kind, value))
            if entry is not None:
                entry[0] += 1
            elif len(self._values) < _MOST_VALUES:
                self._values[(kind, value)] = [1, where]
            else:
                self._values = None

    def _number(self, value: int | Decimal, where: Where) -> None:
        if self._least[0] is None or value < self._least[0]:
            self._least = (value, where)
        if self._most[0] is None or value > self._most[0]:
            self._most = (value, where)
        if -_LARGEST < value < _LARGEST:
            number = float(value)
            step = number - self._mean
            self._mean += step / self.count
            self._spread += step * (number - self._mean)

    def _ranked(self) -> list[tuple[str, int]]:
        values = sorted((self._values or {}).items(), key=lambda entry: -entry[1][0])
        return [(value if kind in (dict, list) else said(value), entry[0]) for (kind, value), entry in values]

    def told(self, name: str, records: int) -> str:
        """The field in words: its types or values, and in how many of the records it is."""
        part = f" (in {self.count})" if self.count < records else ""
        if self._values is not None and (len(self._values) <= _SHOWN_VALUES or self.count >= 2 * len(self._values)):
            ranked = self._ranked()
            if len(ranked) == 1 and self.count > 1:
                return f"{name}{part} {ranked[0][0]} in all"
            shown = ", ".join(f"{value} ×{count}" if count > 1 else value for value, count in ranked[: 2 * _SHOWN_VALUES])
            rest = len(ranked) - 2 * _SHOWN_VALUES
            return f"{name}{part} {shown}" + (f", {rest} more values" if rest > 0 else "")
        kinds = "/".join(dict.fromkeys(_TYPES.get(kind, kind.__name__) for kind in self._kinds))
        if self._least[0] is not None and kinds == "number":
            return f"{name}{part} {self._least[0]} to {self._most[0]}"
        ends = f", first {said(self._first)}, last {said(self._last)}" if str in self._kinds else ""
        return f"{name}{part} {kinds}{ends}"

    def unusual(self) -> Iterator[tuple[Any, Where]]:
        """Values that nearly no other record has, and where they stand."""
        if self.count < _FEWEST:
            return
        if self._values and max(count for count, _ in self._values.values()) >= _COMMON_SHARE * self.count:
            most = max(self._values.values(), key=lambda entry: entry[0])
            yield from ((value, entry[1]) for (_, value), entry in self._values.items() if entry is not most)
        elif self._spread > 0:
            deviation = (self._spread / self.count) ** 0.5
            for value, where in (self._least, self._most):
                if where is not None and abs(float(value) - self._mean) > _FAR_DEVIATIONS * deviation:
                    yield value, where


class _Trouble:
    """Records that say of themselves that something went wrong, in the same words."""

    def __init__(self, what: str, weight: Weight, where: Where) -> None:
        self.what, self.weight, self.where = what, weight, where
        self.count, self.last = 0, where.line
        self.names: list[str] = []

    def told(self) -> str:
        """How often, what, and of which records."""
        more = ", …" if self.count > len(self.names) else ""
        return f"{self.count} × {self.what}" + (f" ({', '.join(self.names)}{more})" if self.names else "")


def beside(where: Where, key: str) -> Where:
    """Where a key stands in the line of its record, or the record's own place."""
    at = where.text.find(f'"{key}"', where.at)
    return where if at < 0 else where._replace(at=at)


class Records:
    """Records of one array or stream, field by field. `path` names where they are, `find` where in a record a key stands."""

    def __init__(self, path: str, find: Callable[[Where, str], Where] = beside) -> None:
        self.path = path
        self.count = 0
        self._find = find
        self._first = self._last = 0
        self._fields: dict[str, Column] = {}
        self._troubles: dict[tuple[str, str], _Trouble] = {}
        self._shapes: dict[tuple[str, ...], list[Any]] = {}

    def add(self, record: dict[str, Any], where: Where) -> None:
        """One more record, and where it begins."""
        self.count += 1
        self._first, self._last = self._first or where.line, where.line
        for key, value in record.items():
            if value.__class__ is dict and 0 < len(value) <= _MOST_INNER:
                for inner, part in value.items():
                    self._field(f"{key}.{inner}", part, where)
            else:
                self._field(key, value, where)
        shape = tuple(record)
        seen = self._shapes.get(shape)
        if seen is not None:
            seen[0] += 1
        elif len(self._shapes) < _MOST_VALUES:
            self._shapes[shape] = [1, where]
        self._judge(record, where)

    def _field(self, key: str, value: Any, where: Where) -> None:
        column = self._fields.get(key)
        if column is None:
            if len(self._fields) >= _MOST_FIELDS:
                return
            column = self._fields[key] = Column()
        column.add(value, where)

    def _judge(self, record: dict[str, Any], where: Where) -> None:
        """Look for what went wrong in a record, down to the fourth level."""
        waiting: list[tuple[str, dict[str, Any], int]] = [("", record, 0)]
        while waiting:
            path, inner, depth = waiting.pop()
            for key, part in inner.items():
                if part.__class__ is dict:
                    if depth < _DEEPEST:
                        waiting.append((f"{path}{key}.", part, depth + 1))
                elif (weight := trouble(key, part)) is not None:
                    self._trouble(f"{path}{key}", part, weight, where, name_of(record))

    def _trouble(self, key: str, value: Any, weight: Weight, where: Where, name: str) -> None:
        text = shape_of(value) if isinstance(value, str) and len(value) > 20 else said(value)
        if len(self._troubles) >= _MOST_TROUBLES and (key, text) not in self._troubles:
            key, text = "", "other errors"
        found = self._troubles.get((key, text))
        if found is None:
            there = self._find(where, key.rsplit(".", 1)[-1])
            found = self._troubles[(key, text)] = _Trouble(f"{key} {text}".strip(), weight, there)
        found.count += 1
        found.last = max(where.line, found.where.line)
        if name and len(found.names) < _SHOWN_NAMES and name not in found.names:
            found.names.append(name)

    def _unusual(self) -> Iterator[tuple[str, Any, Where]]:
        for name, column in self._fields.items():
            for value, where in column.unusual():
                if trouble(name, value) is None:
                    yield name, value, self._find(where, name)

    def told(self) -> list[str]:
        """The records in words: how many, then each field, then what went wrong."""
        named = [column.told(name, self.count) for name, column in self._fields.items()]
        wrong = sorted(self._troubles.values(), key=lambda one: -one.count)
        told = [f"{self.path}: {self.count} records"]
        if wrong:
            told.append(f"{self.path}, what went wrong: " + "; ".join(one.told() for one in wrong[:12]))
        rare = [f"{name} {said(value)} (line {where.line})" for name, value, where in self._unusual()]
        if rare:
            told.append(f"{self.path}, unusual: " + "; ".join(rare[:12]))
        told.append(f"{self.path}, fields: " + "; ".join(named))
        return told

    def findings(self) -> tuple[list[Quote], list[Tally]]:
        """What went wrong, and records that stand out."""
        quotes: list[Quote] = []
        tallies = [Tally(f"records of {self.path}", self.count, self._first, self._last)] if self.count else []
        for group, one in enumerate(self._troubles.values(), 1):
            if one.count == 1:
                quotes.append(one.where.quoted(one.weight))
            else:
                line, text, at = one.where
                example = text[:_EXAMPLE_CHARS]
                tallies.append(Tally(one.what, one.count, line, one.last, one.weight, example, min(at, len(example)), group))
        quotes += [where.quoted("detail") for _, _, where in self._unusual()]
        common = max(self._shapes.values(), key=lambda entry: entry[0], default=None)
        if self.count >= _FEWEST and common is not None and common[0] >= _COMMON_SHARE * self.count:
            quotes += [entry[1].quoted("detail") for entry in self._shapes.values() if entry is not common]
        return quotes, tallies


def trouble(key: str, value: Any) -> Weight | None:
    """Whether a field says that something went wrong: `error` with a text, a failed state, `success: false`, status 404."""
    name = key.lower()
    if name not in _WATCHED:
        return None
    if name in _ERRORS:
        return "error" if value not in (None, "", 0, False, [], {}, "null", "none", "None") else None
    if isinstance(value, bool):
        return "error" if name in _FLAGS and not value else None
    if isinstance(value, int):
        return "error" if name in _CODES and 400 <= value <= 599 else None
    if isinstance(value, str) and name in _STATES and len(value) < 40:
        low = value.lower()
        return "error" if low in _BAD else "warning" if low in _DOUBTFUL else None
    return None


def name_of(record: dict[str, Any]) -> str:
    """What a record is called, by the surest of its keys."""
    return next((f"{key} {said(record[key])}" for key in _NAMES if record.get(key) is not None), "")


def said(value: Any, limit_chars: int = _VALUE_CHARS) -> str:
    """A value in a few words: numbers exact, long texts cut, objects and arrays as braces and a count."""
    if isinstance(value, str):
        flat = value if len(value) <= limit_chars else value[: limit_chars - 1] + "…"
        return f'"{flat}"'.replace("\n", "\\n")
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, (int, Decimal, float)):
        return str(value)
    return ("{…}" if value else "{}") if isinstance(value, Mapping) else f"[{len(value)}]"
