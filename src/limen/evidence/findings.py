"""What an extractor finds in an output: the lines that decide what is done next, and what the others are, counted."""

from typing import Literal

import msgspec

Weight = Literal["failure", "error", "warning", "summary", "detail", "note"]
"""How much a line decides, most first: what failed, an error, a warning, the output's own counts, what belongs to one of
those (an assertion, a frame, the place), anything else worth a line."""


class Quote(msgspec.Struct, frozen=True):
    """A line word for word. `line` is its number, from 1; of a long line only `start` to `end` (characters) stand for it.

    `group` ties lines that belong together, such as a failure with its assertion and frames; 0 for one that stands alone.
    """

    line: int
    text: str
    weight: Weight
    start: int = 0
    end: int | None = None
    group: int = 0


class Tally(msgspec.Struct, frozen=True):
    """Lines of one kind that are told by their number: `what` they are ("passing tests", or a template of the line), how many,
    and the first and last line of them. `example` is the first one, word for word; `start` is where in it stands what decides,
    and `group` ties it to quotes, as theirs do."""

    what: str
    count: int
    first: int
    last: int
    weight: Weight = "note"
    example: str = ""
    start: int = 0
    group: int = 0


class Findings(msgspec.Struct, frozen=True):
    """What was found, in the order of the output.

    `headline` says the outcome in the output's own counts, empty where it names none: nothing is inferred. `names` are the
    failing tests, each exactly as a person would name it to run it again. Every line that tells of an error or a warning is
    in a quote or a tally.
    """

    kind: str
    headline: str = ""
    names: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    tallies: tuple[Tally, ...] = ()
