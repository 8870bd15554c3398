"""Long outputs become reports: whether, and by which rules."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import msgspec

from limen.evidence.choose import choose, contained, read, sampled
from limen.evidence.extractor import Extractor
from limen.evidence.report import MARK, Report, Room, compose
from limen.evidence.terminal_text import resolved_lines

# Names of failing tests may grow a report to so much, and to so much of the output.
_MOST_CHARS = 12_000
_MOST_SHARE = 0.2
# How reports begin, ours and those of other programs that keep the whole elsewhere.
_REPORTS = (MARK, "<persisted-output>", "[noisegate")
# A command of one of these shows what was asked for: it is shown as it is, unless it is very long.
_SHOWING = frozenset({"cat", "head", "tail", "sed", "less", "more", "nl", "bat", "limen"})
_JOINS = frozenset("|;&<>`$\n")


class Rules(msgspec.Struct, frozen=True):
    """When an output becomes a report. Sizes in characters, ratios of the report to the output."""

    min_size: int = 6_000
    max_report_chars: int = 3_000
    max_ratio: float = 0.55
    second_ratio: float = 0.8
    second_report_chars: int = 1_500
    exact_chars: int = 30_000
    head_lines: int = 5
    tail_lines: int = 5


class Compactor:
    """Makes reports with the extractors it is given. Pure: the same output gives the same report."""

    def __init__(self, extractors: Sequence[Extractor] = (), rules: Rules | None = None) -> None:
        self._extractors = tuple(extractors)
        self._rules = rules or Rules()

    def compact(self, text: str, command: str = "", exit_code: int | None = None) -> Report:
        """The report of an output, or the output itself, with the reason in `left`. Never raises."""
        left = self._reason(text, command)
        if left:
            return self.whole(text, left)
        lines = list(resolved_lines((text,)))
        report = contained(partial(self._report, lambda: lines, len(text), command, exit_code))
        if report is None or report.left:
            return self.whole(text, "failed" if report is None else report.left)
        return report

    def compact_pieces(
        self, pieces: Callable[[], Iterable[str]], chars: int, command: str = "", exit_code: int | None = None
    ) -> Report:
        """The report of an output of `chars` that is too long for the memory: `pieces` gives it as often as it is read, which is
        twice. Where `left` says that the output should be shown instead, the text is empty. Raises what `pieces` raises."""
        report = self._report(lambda: resolved_lines(pieces()), chars, command, exit_code)
        return report if not report.left else Report("", "", left=report.left)

    def _reason(self, text: str, command: str) -> str:
        if text.startswith(_REPORTS) and len(text) <= _MOST_CHARS + self._rules.max_report_chars:
            return "already"
        if len(text) < self._rules.min_size:
            return "small"
        words = command.split(maxsplit=1)
        shows = bool(words) and words[0] in _SHOWING and not _JOINS & set(command)
        return "verbatim" if shows and len(text) <= self._rules.exact_chars else ""

    def _report(self, lines: Callable[[], Iterable[str]], chars: int, command: str, exit_code: int | None) -> Report:
        rules = self._rules
        told = sampled(lines(), command, exit_code)
        seen = read(lines(), told, choose(self._extractors, told), head=rules.head_lines, tail=rules.tail_lines)
        seen = msgspec.structs.replace(seen, chars=chars)
        most = int(min(_MOST_CHARS, chars * _MOST_SHARE))
        for ratio, limit in ((rules.max_ratio, rules.max_report_chars), (rules.second_ratio, rules.second_report_chars)):
            report = compose(seen, Room(limit, max(most, limit)), command, exit_code)
            if len(report.text) <= ratio * chars:
                return report
        return Report("", "", left="ratio")

    def whole(self, text: str, left: str) -> Report:
        """An output as it is, for a reason."""
        return Report("", text, tuple(range(1, text.count("\n") + 2)), (), left)
