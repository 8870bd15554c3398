"""What is told of a run beside its failures: lines that stand alone, lines that are counted, the run's own counts."""

import msgspec
import re2

from limen.evidence.extractors.quoting import quote
from limen.evidence.extractors.run_rules import Named
from limen.evidence.findings import Quote, Tally, Weight

# Lines quoted that belong to no failure, of each weight; kinds of lines counted apart; lines of counts told one by one.
_ALONE = 24
_KINDS = 40
_HEADLINES = 8
# What headings are drawn with, and how much of it is a line.
_RULES = " _=─⎯"
_RULE = 4
_RULED = frozenset(char * _RULE for char in _RULES if char != " ")
_COUNTED = re2.compile(
    r"(\d+) (passed|failed|ignored|skipped|timed out)\b"
    r"|(tests|failures|errors|skipped|Tests run|Failures|Errors|Skipped)[:=] ?(\d+)"
)


class _Count(msgspec.Struct):
    count: int
    first: int
    last: int
    weight: Weight
    example: str


class RunRecord:
    """Holds as much as a report can use, however long the run."""

    def __init__(self) -> None:
        self.quotes: list[Quote] = []
        self.headlines: list[str] = []
        self._counts: dict[str, _Count] = {}
        self._alone: dict[Weight, int] = {}

    def quoted(self, number: int, text: str, weight: Weight, group: int = 0, at: int = 0) -> Quote:
        """The line word for word, or what of it is the runner's own."""
        bare = text.strip(_RULES) if text[:_RULE] in _RULED or text[-_RULE:] in _RULED else text
        if not bare or len(bare) == len(text):
            return quote(number, text, weight, group, at)
        # A heading without the lines drawn beside it.
        start = text.find(bare)
        made = quote(number, bare, weight, group, max(at - start, 0))
        start += made.start
        return Quote(number, made.text, weight, start, start + len(made.text), group)

    def alone(self, number: int, text: str, weight: Weight, more: str, at: int = 0, group: int = 0) -> None:
        """A line that belongs to no failure."""
        told = self._alone.get(weight, 0)
        if told < _ALONE:
            self._alone[weight] = told + 1
            self.quotes.append(self.quoted(number, text, weight, group, at))
        elif weight == "summary":
            # The last counts are the whole run's where a run has many.
            old = next(index for index, one in enumerate(self.quotes) if one.weight == "summary" and index)
            self.count(more, self.quotes.pop(old).line, "summary")
            self.quotes.append(self.quoted(number, text, weight, at=at))
        else:
            self.count(more, number, weight, text)

    def count(self, what: str, number: int, weight: Weight = "note", example: str = "", named: Named | None = None) -> None:
        """Count a line among its kind; `n` of what was named says for how many it stands."""
        amount = int(named["n"]) if named and named.get("n", "").isdigit() else 1
        found = self._counts.get(what)
        if found is None and len(self._counts) >= _KINDS:
            what = what.split(":", 1)[0] + ": others"
            found = self._counts.get(what)
        if found is None:
            self._counts[what] = _Count(amount, number, number, weight, quote(number, example, weight).text)
        else:
            found.count += amount
            found.first, found.last = min(found.first, number), max(found.last, number)

    def headline(self) -> str:
        """The runner's own counts; of many the sums."""
        said = list(dict.fromkeys(self.headlines))
        if len(said) <= _HEADLINES:
            return "; ".join(said)
        sums: dict[str, int] = {}
        for number, word, label, value in _COUNTED.findall("\n".join(self.headlines)):
            sums[word or label] = sums.get(word or label, 0) + int(number or value)
        if sums:
            return f"{len(self.headlines)} lines of counts, together: " + ", ".join(
                f"{what} {count}" for what, count in sums.items()
            )
        return "; ".join(said[:_HEADLINES]) + f"; {len(said) - _HEADLINES} more"

    def tallies(self) -> tuple[Tally, ...]:
        """What was counted, in the order of the output."""
        counted = sorted(self._counts.items(), key=lambda item: item[1].first)
        return tuple(Tally(what, one.count, one.first, one.last, one.weight, one.example) for what, one in counted)
