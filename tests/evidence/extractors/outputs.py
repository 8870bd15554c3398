"""Reading a made output with an extractor, and what must hold of any findings."""

from collections.abc import Sequence

from limen.evidence.extractor import Extractor, Told
from limen.evidence.findings import Findings


def told(output: str, command: str = "", exit_code: int | None = None) -> Told:
    """What is known of an output before it is read."""
    lines = [line[:2000] for line in output.splitlines()]
    return Told(command, exit_code, tuple(lines[:200]), tuple(lines[-200:]))


def surest(extractors: Sequence[Extractor], output: str, command: str = "") -> Extractor | None:
    """The extractor that reads an output; None where none is sure enough."""
    known = told(output, command)
    best = max(extractors, key=lambda one: one.fits(known))
    return best if best.fits(known) >= 0.5 else None


def read(extractor: Extractor, output: str, command: str = "") -> Findings:
    """The findings of an output, each quote and tally held to the lines it names."""
    lines = output.split("\n")
    if lines[-1] == "":
        lines.pop()
    reading = extractor.read(told(output, command))
    for number, line in enumerate(lines, 1):
        reading.line(number, line)
    found = reading.findings()
    for quote in found.quotes:
        line = lines[quote.line - 1]
        assert quote.text == line[quote.start : quote.end], quote
    for tally in found.tallies:
        assert 1 <= tally.first <= tally.last <= len(lines), tally
        assert tally.count > 0
        assert tally.example[:40] in lines[tally.first - 1] or not tally.example, tally
    return found


def found_by(extractors: Sequence[Extractor], output: str, command: str = "") -> Findings:
    """The findings of the extractor that is surest of an output."""
    extractor = surest(extractors, output, command)
    assert extractor is not None
    return read(extractor, output, command)
