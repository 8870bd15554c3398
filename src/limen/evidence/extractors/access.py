"""Logs of requests: how they were answered, which failed, which were slow."""

import re
from collections import Counter

from limen.evidence.extractor import Told
from limen.evidence.extractors.quoting import quote
from limen.evidence.findings import Findings, Quote, Tally, Weight

_REQUEST = re.compile(
    r"[^\n]{0,300}?\b(?P<method>GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|CONNECT) (?P<path>/\S{0,2000}|https?://\S{1,2000}|\*)"
    r"(?: HTTP/[\d.]+)?\"?(?: -|,|:)?(?: status[=:])? ?(?P<status>[1-5]\d\d)\b"
)
_TOOK = re.compile(
    r"\b(?P<amount>\d+(?:\.\d+)?) ?(?P<unit>ms|µs|us|s|sec|seconds?)\b|(?:rt|request_time|took|duration)[=:](?P<plain>\d+\.\d+)"
)
_UNIT_S = {"ms": 1e-3, "µs": 1e-6, "us": 1e-6}
_VARYING = re.compile(r"\?.*|[0-9a-f]{8}-[0-9a-f-]{27}|(?<=/)[0-9a-f]{16,}|\d+")
_MOST_KINDS = 200
_SLOWEST = 5
_SHOWN = 12
_EXAMPLE_CHARS = 20_000


class _Failing:
    """Requests of one kind that were answered with an error."""

    def __init__(self, line: int, text: str, at: int, weight: Weight) -> None:
        self.first = self.last = line
        self.text, self.at, self.weight = text[:_EXAMPLE_CHARS], at, weight
        self.count = 0


class AccessLog:
    """The extractor for logs of servers and proxies."""

    name = "access"

    def fits(self, told: Told) -> float:
        """By the share of lines that tell a method, a path and a status."""
        lines = [line for line in (*told.head, *told.tail) if line.strip()]
        asked = sum(1 for line in lines if _REQUEST.match(line))
        return 0.75 if asked >= 3 and asked >= 0.5 * len(lines) else 0.0

    def read(self, told: Told) -> "AccessReading":
        """Begin to read an output."""
        return AccessReading()


class AccessReading:
    """One log."""

    def __init__(self) -> None:
        self._statuses: Counter[str] = Counter()
        self._failing: dict[tuple[str, str, str], _Failing] = {}
        self._slow: list[tuple[float, int, str, str]] = []
        self._timed = 0
        self._span = (0, 0)

    def line(self, number: int, text: str) -> None:
        """Read one request."""
        match = _REQUEST.match(text)
        if match is None:
            return
        self._span = (self._span[0] or number, number)
        status, said = match["status"], f"{match['method']} {match['path'][:120]}"
        self._statuses[status] += 1
        if status >= "400":
            self._fail(number, text, match)
        if took := _TOOK.search(text[match.end() : match.end() + 400]):
            self._timed += 1
            seconds = float(took["plain"] or took["amount"]) * _UNIT_S.get(took["unit"] or "s", 1)
            self._slow = sorted([*self._slow, (seconds, -number, text, f"{said} {took.group()}")], reverse=True)[:_SLOWEST]

    def _fail(self, number: int, text: str, match: re.Match[str]) -> None:
        key = (match["status"], match["method"], _VARYING.sub("…", match["path"])[:160])
        if key not in self._failing and len(self._failing) >= _MOST_KINDS:
            key = (match["status"], "other", "requests")
        kind = self._failing.get(key)
        if kind is None:
            weight: Weight = "error" if match["status"] >= "500" else "warning"
            kind = self._failing[key] = _Failing(number, text, match.start("method"), weight)
        kind.count += 1
        kind.last = number

    def findings(self) -> Findings:
        """Answers by status, failing requests by kind, the slowest."""
        quotes: list[Quote] = [quote(-number, text, "detail") for _, number, text, _ in self._slow]
        tallies = []
        ranked = sorted(self._failing.items(), key=lambda one: (-int(one[0][0][0]), -one[1].count))
        for key, kind in ranked:
            if kind.count == 1:
                quotes.append(quote(kind.first, kind.text, kind.weight, at=kind.at))
            else:
                tallies.append(Tally(" ".join(key), kind.count, kind.first, kind.last, kind.weight, kind.text, kind.at))
        total = self._statuses.total()
        if total:
            tallies.append(Tally("requests", total, *self._span))
        once = {one.line: one for one in quotes}
        return Findings(
            "access", "\n".join(self._told(total, ranked)), (), tuple(once[line] for line in sorted(once)), tuple(tallies)
        )

    def _told(self, total: int, ranked: list[tuple[tuple[str, str, str], _Failing]]) -> list[str]:
        statuses = ", ".join(f"{status} ×{count:,}" for status, count in sorted(self._statuses.items()))
        told = [f"{total:,} requests: {statuses}"]
        if ranked:
            told.append("answered with errors: " + "; ".join(f"{' '.join(key)} ×{kind.count:,}" for key, kind in ranked[:_SHOWN]))
        if self._slow:
            slowest = "; ".join(f"{said} (line {-number})" for _, number, _, said in self._slow)
            told.append(f"slowest of {self._timed:,} with a time: {slowest}")
        return told
