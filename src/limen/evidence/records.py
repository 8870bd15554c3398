"""JSON of few records with long texts in it: it stays JSON, and only the texts become shorter."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from limen.core.untrusted import fenced_parts
from limen.evidence.report import ReadOn, by_tool

# An array of more records than this is told by its shape, counts and outliers.
_FEW_RECORDS = 40
# What JSON may take when it is kept with all its records: as much as thirty hits of a search, each with its address.
KEPT_CHARS = 20_000
# How much of each text is tried, most first.
_TEXT_CHARS = (600, 400, 300, 200, 150, 100, 60)
_NOTE_CHARS = 220
_MARK_CHARS = 12
_DEEPEST = 32
Mask = Callable[[str], str]
# Members that decide what is done next, whatever their length.
_KEPT_WHOLE = frozenset({
    "id", "name", "title", "url", "uri", "href", "link", "path", "file", "ref", "key", "error", "errors", "code", "reason",
    "mend",
})  # fmt: skip


class Shortened(msgspec.Struct, frozen=True):
    """JSON of which so many texts were cut, by so many characters in sum: up to the first of them that was, and the rest."""

    first: str
    rest: str
    texts: int
    chars_left_out: int

    def kept_as(self, evidence_id: str, read_on: ReadOn = by_tool) -> str:
        """The JSON; behind the first text that was cut it says where the whole is."""
        count = "1 text is" if self.texts == 1 else f"{self.texts:,} texts are"
        note = (
            f"\n[limen report: {count} shortened in this JSON, by {self.chars_left_out:,} characters; "
            f"the whole is kept, unchanged: {read_on(evidence_id)}]"
        )
        return self.first + _encoded(note)[1:-1] + self.rest


class _Text(msgspec.Struct, frozen=True):
    """A string that may be cut: what goes before and behind it stays."""

    before: str
    body: str
    behind: str

    def cut(self, limit_chars: int) -> tuple[str, int]:
        """So much of it, and how many characters that leaves out; none where the mark would take what is saved."""
        if len(self.body) <= limit_chars + _MARK_CHARS:
            return self.before + self.body + self.behind, 0
        shown = self.body[:limit_chars].rstrip() or self.body[:limit_chars]
        left_out = len(self.body) - len(shown)
        return f"{self.before}{shown}…[+{left_out:,}]{self.behind}", left_out


def shortened(raw: str, ratios: Sequence[float], mask: Mask) -> Shortened | None:
    """JSON in which as much of each text stays as lets the whole have one of the ratios to what it was, the first if possible.

    Keys, numbers and their order, addresses, names and what tells of errors stay to the letter. Unescaped, a text may show
    credentials that it hid before, so `mask` masks it again. None where an array is long, or cutting texts does not make the
    whole short enough.
    """
    try:
        tokens = list(_tokens(raw, _DEEPEST, mask, whole=False))
    except _ManyError:
        return None
    for ratio in ratios:
        most = min(len(raw) * ratio, KEPT_CHARS) - _NOTE_CHARS
        for limit in _TEXT_CHARS:
            made = _cut(tokens, limit)
            if made.texts and len(made.first) + len(made.rest) <= most:
                return made
    return None


class _ManyError(Exception):
    """There are too many records, or they lie too deep."""


def _tokens(raw: str, depth: int, mask: Mask, *, whole: bool) -> Iterator[str | _Text]:
    if not depth:
        raise _ManyError
    if raw.startswith("{"):
        yield "{"
        for number, (name, value) in enumerate(msgspec.json.decode(raw, type=dict[str, msgspec.Raw]).items()):
            yield f"{',' if number else ''}{_encoded(name)}:"
            yield from _tokens(bytes(value).decode(), depth - 1, mask, whole=whole or name.lower() in _KEPT_WHOLE)
        yield "}"
    elif raw.startswith("["):
        items = msgspec.json.decode(raw, type=list[msgspec.Raw])
        if len(items) > _FEW_RECORDS:
            raise _ManyError
        yield "["
        for number, item in enumerate(items):
            yield "," if number else ""
            yield from _tokens(bytes(item).decode(), depth - 1, mask, whole=whole)
        yield "]"
    elif whole or not raw.startswith('"') or len(raw) <= _TEXT_CHARS[-1]:
        yield raw
    else:
        yield _text(raw, mask)


def _text(raw: str, mask: Mask) -> str | _Text:
    """A string that may be cut: not one that is a single word, such as an address, a hash or a file in letters."""
    text = mask(msgspec.json.decode(raw, type=str))
    before, body, behind = fenced_parts(text)
    if body.isascii() and not any(char.isspace() for char in body):
        return raw
    return _Text(before, body, behind)


def _cut(tokens: Sequence[str | _Text], limit_chars: int) -> Shortened:
    first: list[str] = []
    pieces, texts, left_out = first, 0, 0
    for token in tokens:
        if isinstance(token, str):
            pieces.append(token)
            continue
        said, less = token.cut(limit_chars)
        encoded = _encoded(said)
        if less and not texts:  # the note goes here, inside the string and behind its fence
            first.append(encoded[:-1])
            pieces, encoded = [], encoded[-1:]
        pieces.append(encoded)
        texts, left_out = texts + bool(less), left_out + less
    return Shortened("".join(first), "".join(pieces) if texts else "", texts, left_out)


def _encoded(value: Any) -> str:
    return msgspec.json.encode(value).decode()
