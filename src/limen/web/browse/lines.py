"""A text by its lines. The numbers are those of the text, but for lines too long for any window, which count as several."""

from collections.abc import Iterator, Sequence
from typing import overload

# A longer line of a page would never be shown whole, and what stands in its middle never at all.
FOLD_CHARS = 8_000
# A long line is folded at a blank within so many characters, where there is one.
_BLANK_WITHIN = 200


class Lines(Sequence[str]):
    """The lines of a text, from index 0; line numbers, which people and models see, count from 1.

    `folds` says whether lines over FOLD_CHARS count as several. The text itself is not changed.
    """

    def __init__(self, text: str, *, folds: bool = True) -> None:
        self.text = text.removesuffix("\n")
        self._spans = list(_spans(self.text, folds=folds))

    def __len__(self) -> int:
        return len(self._spans)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self.text[start:end] for start, end in self._spans[index]]
        start, end = self._spans[index]
        return self.text[start:end]

    def number_of(self, text_line: int) -> int:
        """The number of the line of the text that counts so without folds: where the text has it, else that of the last line."""
        starts = [index for index, (start, _) in enumerate(self._spans, 1) if not start or self.text[start - 1] == "\n"]
        return starts[min(max(text_line, 1), len(starts)) - 1]

    def from_line(self, number: int) -> str:
        """The text as it is, from the beginning of a line on."""
        return self.text[self._spans[number - 1][0] :]


def _spans(text: str, *, folds: bool) -> Iterator[tuple[int, int]]:
    start = 0
    while True:
        newline = text.find("\n", start)
        end = len(text) if newline < 0 else newline
        while folds and end - start > FOLD_CHARS:
            fold = _fold_at(text, start)
            yield start, fold
            start = fold
        yield start, end
        if newline < 0:
            return
        start = newline + 1


def _fold_at(text: str, start: int) -> int:
    """Where the piece that begins at `start` ends: behind a blank where one is near."""
    end = start + FOLD_CHARS
    blank = text.rfind(" ", end - _BLANK_WITHIN, end)
    return end if blank < 0 else blank + 1
