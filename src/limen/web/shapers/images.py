"""Shaper: pictures inside the text become a word, since a megabyte of base64 tells a model nothing."""

import re
from html import unescape
from typing import NamedTuple

_HEADER = re.compile(r"data:image/[\w.+-]*+(?:;[^:;,()<>\"'\s]*+)*+,", re.IGNORECASE | re.ASCII)
_BASE64 = re.compile(r"[A-Za-z0-9+/=_%-]*+")
_MORE_LINES = re.compile(r"(?:[ \t]*+\r?\n[ \t]*+[A-Za-z0-9+/=_%-]++)*+")
_NEXT = re.compile(r":image/", re.IGNORECASE)
_PLAIN = re.compile(r"[^\s()<>\"'`]*+")
# A drawing that is not encoded holds blanks, quotes and brackets of its own; its end is its last tag.
_DRAWING = re.compile(r"\s*+(?:<|%3c)(?:svg|\?xml|%3fxml|!--|%21--)", re.IGNORECASE)
_DRAWING_END = re.compile(r"(?:<|%3c)(?:/|%2f)svg\s*+(?:>|%3e)", re.IGNORECASE)
_BLANK_LINE = re.compile(r"\n[ \t\r]*+\n")

_TARGET = re.compile(r"\]\([ \t]*+<?\Z")
_TARGET_CHARS = 16
_TITLE_AND_END = re.compile(r">?\s*+(?:\"[^\"\n]*+\"|'[^'\n]*+')?\s*+\)")
_ALT = re.compile(r"(?:[^\[\]\\]|\\.|\[[^\[\]]*+\])*+", re.DOTALL)
_DEFINITION = re.compile(r"[ ]{0,3}\[([^\[\]\n]++)\]:[ \t]*+<?")
_REST_OF_DEFINITION = re.compile(r">?[^\n]*+\n?")
_USE = re.compile(r"!\[([^\[\]\n]*+)\](?!\()(?:\[([^\[\]\n]*+)\])?")
_LABEL_CHARS = 1_000
_TAG_TO_SOURCE = re.compile(r"<img\s(?:[^>]*[\s\"'])?src\s*=\s*[\"']?\s*\Z", re.IGNORECASE)
_REST_OF_TAG = re.compile(r"[^<>]*+>")
_TAG_ALT = re.compile(r"[\s\"']alt\s*=\s*(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))", re.IGNORECASE)
_ELSEWHERE = re.compile(r"https?://", re.IGNORECASE)


class _Picture(NamedTuple):
    """What goes and what stands for it; `label` is the name that others may use for it, in brackets."""

    start: int
    end: int
    word: str
    label: str | None = None


def without_inline_images(text: str) -> tuple[str, int]:
    """`![alt](data:image/…)` becomes `[IMAGE: alt]`; also how many did.

    So do pictures by reference, `<img>` tags, and addresses that stand for themselves. Pictures with an address elsewhere stay.
    One pass, linear in the text, whatever it holds.
    """
    ends = _DrawingEnds(text)
    pieces: list[str] = []
    labels: set[str] = set()
    count = position = 0
    while (header := _HEADER.search(text, position)) is not None:
        picture = _picture(text, position, header.start(), _end_of_data(text, header, ends))
        if picture.label is not None:
            labels.add(_plain(picture.label))
        pieces += [text[position : picture.start], picture.word]
        position = picture.end
        count += 1
    if not count:
        return text, 0
    shaped = "".join([*pieces, text[position:]])
    return (_USE.sub(lambda use: _used(use, labels), shaped) if labels else shaped), count


def _picture(text: str, position: int, start: int, end: int) -> _Picture:
    """The picture whose data stands from `start` to `end`, with what belongs to it. What is before `position` is done."""
    before = text[max(position, start - _TARGET_CHARS) : start]
    if (target := _TARGET.search(before)) is not None:
        return _markdown(text, position, start - len(target[0]), end) or _Picture(start, end, "[IMAGE]")
    line_start = text.rfind("\n", max(position - 1, 0), start) + 1
    if (line_start or position == 0) and start - line_start <= _LABEL_CHARS:
        definition = _DEFINITION.fullmatch(text, line_start, start)
        if definition is not None and (rest := _REST_OF_DEFINITION.match(text, end)) is not None:
            return _Picture(line_start, rest.end(), "", definition[1])
    tag = text.rfind("<", position, start)
    if tag >= 0 and (picture := _tag(text, tag, start, end)) is not None:
        return picture
    alone = before.endswith("(") and text.startswith(")", end) and not re.search(r"[\w\]]\(\Z", before)
    return _Picture(start - 1, end + 1, "[IMAGE]") if alone else _Picture(start, end, "[IMAGE]")


def _markdown(text: str, position: int, closed: int, end: int) -> _Picture | None:
    """`![alt](data)` whose `]` stands at `closed`, None when it is a link or no end can be found."""
    opened = text.rfind("![", position, closed)
    rest = _TITLE_AND_END.match(text, end)
    if opened < 0 or not _ALT.fullmatch(text, opened + 2, closed) or _BLANK_LINE.search(text, opened, closed):
        return None
    return _Picture(opened, rest.end() if rest is not None else end, _word(text[opened + 2 : closed]))


def _tag(text: str, opened: int, start: int, end: int) -> _Picture | None:
    """`<img src="data">`. Where it names another address, for browsers that fetch it later, the data alone goes."""
    rest = _REST_OF_TAG.match(text, end)
    if rest is None or not _TAG_TO_SOURCE.fullmatch(text, opened, start):
        return None
    around = f"{text[opened:start]} {rest[0]}"
    if _ELSEWHERE.search(around):
        return _Picture(start, end, "[IMAGE]")
    alt = _TAG_ALT.search(around)
    return _Picture(opened, rest.end(), _word(unescape(alt[1] or alt[2] or alt[3] or "") if alt else ""))


def _word(alt: str) -> str:
    plain = " ".join(alt.split())
    return f"[IMAGE: {plain}]" if plain else "[IMAGE]"


def _used(use: re.Match[str], labels: set[str]) -> str:
    return _word(use[1]) if _plain(use[2] or use[1]) in labels else use[0]


def _plain(label: str) -> str:
    return " ".join(label.split()).casefold()


def _end_of_data(text: str, header: re.Match[str], ends: "_DrawingEnds") -> int:
    start = header.end()
    if ";base64," in header[0].lower():
        return _end_of_base64(text, start, within=text[header.start() - 1 : header.start()])
    if _DRAWING.match(text, start) and (end := ends.after(start)) is not None:
        return end
    return _matched(_PLAIN, text, start)


def _end_of_base64(text: str, start: int, within: str) -> int:
    end = _matched(_BASE64, text, start)
    if text[end - 4 : end].lower() == "data" and end - 4 >= start and _NEXT.match(text, end):
        return end - 4  # another one follows at once
    if within in ("(", '"', "'", "<"):
        wrapped = _matched(_MORE_LINES, text, end)
        if text[wrapped : wrapped + 1] in (")", '"', "'", ">"):
            return wrapped
    return end


def _matched(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return start if found is None else found.end()


class _DrawingEnds:
    """Where drawings end. Each stretch of the text is searched once, since the places asked for only grow."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end: re.Match[str] | None = None
        self._blank: re.Match[str] | None = None
        self._looked = False

    def after(self, start: int) -> int | None:
        """The end of the drawing that begins at `start`; None where a blank line or the text's end comes first."""
        self._end = self._next(_DRAWING_END, self._end, start)
        self._blank = self._next(_BLANK_LINE, self._blank, start)
        self._looked = True
        if self._end is None or (self._blank is not None and self._blank.start() < self._end.start()):
            return None
        return self._end.end()

    def _next(self, pattern: re.Pattern[str], known: re.Match[str] | None, start: int) -> re.Match[str] | None:
        if known is None and self._looked:
            return None
        return known if known is not None and known.start() >= start else pattern.search(self._text, start)
