"""What a text quotes, where the quoted words stand in another text, and quotations kept to a length."""

import re
from collections.abc import Iterable, Iterator

from limen.kit.text import clip

_OPENING, _CLOSING = '["“«]', '["”»]'
# A shorter match proves nothing: such words stand in many texts.
LEAST_CHARS = 20
_QUOTED = re.compile(rf"{_OPENING}([^\"“”«»\n]{{{LEAST_CHARS},2000}}){_CLOSING}")


def quotations_in(text: str) -> Iterable[str]:
    """What a text quotes: Markdown block quotes, and words between quotation marks."""
    own: list[str] = []
    for block, line in _blocks(text):
        if block is None:
            own.append(line)
        elif len(block) >= LEAST_CHARS:
            yield block
    yield from _QUOTED.findall("\n".join(own))


def line_of(quotation: str, text: str, first_line: int = 1) -> int | None:
    """The line on which a quotation begins in a text that starts at `first_line`; None when it does not stand there.

    Blanks are compared as blanks; a quotation that ends in an ellipsis is looked for without it.
    """
    words = quotation.rstrip().removesuffix("…").removesuffix("...").split()
    if not words:
        return None
    # Built from escaped words and one kind of gap: linear, since no two parts can match the same blank.
    found = re.search(r"\s+".join(re.escape(word) for word in words), text)
    return None if found is None else first_line + text.count("\n", 0, found.start())


def shortened(text: str, limit_chars: int) -> tuple[str, int]:
    """A text whose quotations have at most `limit_chars` each, ellipsis included, and how many were longer."""
    count = 0
    lines: list[str] = []
    for block, line in _blocks(text):
        if block is None or len(block) <= limit_chars:
            lines.append(line)
        else:
            lines.append(f"> {clip(block, limit_chars)}")
            count += 1

    def cut(match: re.Match[str]) -> str:
        nonlocal count
        if len(match[1]) <= limit_chars:
            return match[0]
        count += 1
        return f"{match[0][0]}{clip(match[1], limit_chars)}{match[0][-1]}"

    return _QUOTED.sub(cut, "\n".join(lines)), count


def _blocks(text: str) -> Iterator[tuple[str | None, str]]:
    """The pieces of a text in order: a line of its own, with None, or a block quote's words with its lines as written."""
    quoted: list[str] = []
    for line in text.split("\n"):
        if line.startswith(">"):
            quoted.append(line)
            continue
        if quoted:
            yield _words(quoted), "\n".join(quoted)
            quoted = []
        yield None, line
    if quoted:
        yield _words(quoted), "\n".join(quoted)


def _words(lines: list[str]) -> str:
    return "\n".join(line.removeprefix(">").removeprefix(" ") for line in lines).strip("\n")
