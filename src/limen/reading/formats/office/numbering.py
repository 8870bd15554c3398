"""Styles and list numbers of WordprocessingML: what a paragraph is, and which number it has (ECMA-376 part 1, 17.7 and 17.9)."""

import re
from collections import Counter

import msgspec
from turbohtml import Element

from limen.reading.formats.office.package import children, first, value, whole

_LONGEST_CHAIN = 20
_LEVEL = re.compile(r"%([1-9])")
_PLAIN = re.compile(r"%[1-9][.)]?")
_ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"),
          (5, "V"), (4, "IV"), (1, "I"))  # fmt: skip
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
DEEPER = re.compile(r"list (?:bullet|number) ([2-5])", re.IGNORECASE)
CODE = re.compile(r"preformatted|source ?(?:code|text)|^code|listing|verbatim|^macro", re.IGNORECASE)


class Numbered(msgspec.Struct, frozen=True):
    """A paragraph's place in a list: its list, its level from 0."""

    list_id: str
    level: int


class Style(msgspec.Struct, frozen=True):
    """What a paragraph is by its style: `kind` one of title, contents, quote, code or empty; `level` that of a heading, or 0.

    Some templates have a list of its own for each depth; `deeper` is how far below the first this one is.
    """

    kind: str = ""
    level: int = 0
    numbered: Numbered | None = None
    deeper: int = 0


class Styles:
    """The styles of a document, each resolved with those it is based on."""

    def __init__(self, root: Element | None) -> None:
        self._styles = {value(one, "styleId"): one for tag, one in children(root) if tag == "style"}
        self._resolved: dict[str, Style] = {}

    def of(self, style_id: str) -> Style:
        """What a style makes of a paragraph."""
        if style_id not in self._resolved:
            self._resolved[style_id] = self._resolve(style_id)
        return self._resolved[style_id]

    def code(self, style_id: str) -> bool:
        """Whether a style of characters is one of code."""
        name = value(first(self._styles.get(style_id), "name"), "val")
        return bool(name) and ("code" in name.lower() or CODE.search(name) is not None)

    def _resolve(self, style_id: str) -> Style:
        kind, level, list_id, depth = "", 0, "", ""
        own = DEEPER.fullmatch(value(first(self._styles.get(style_id), "name"), "val"))
        for _ in range(_LONGEST_CHAIN):
            style = self._styles.get(style_id)
            if style is None:
                break
            name = value(first(style, "name"), "val") or style_id
            kind = kind or _kind(name)
            outline = value(first(style, "pPr", "outlineLvl"), "val")
            found = _HEADING.fullmatch(name)
            level = level or (deep + 1 if (deep := whole(outline, 9)) < 9 else 0) or (int(found[1]) if found else 0)
            number = first(style, "pPr", "numPr")
            list_id = list_id or value(first(number, "numId"), "val")
            depth = depth or value(first(number, "ilvl"), "val")
            style_id = value(first(style, "basedOn"), "val")
        numbered = Numbered(list_id, whole(depth)) if list_id else None
        return Style(kind, level if kind != "contents" else 0, numbered, int(own[1]) - 1 if own else 0)


def _kind(name: str) -> str:
    lowered = name.lower()
    if lowered == "title":
        return "title"
    if lowered.startswith(("toc ", "contents ", "toc heading", "contents heading", "table of figures")):
        return "contents"
    if "quote" in lowered or lowered in {"quotations", "block text"}:
        return "quote"
    return "code" if CODE.search(name) else ""


class Label(msgspec.Struct, frozen=True):
    """What stands before an entry: nothing for a bullet, a plain number, or a `text` of another form: `(a)`, `2.1`.

    An entry whose bullet is a blank `goes_on` with the one before it.
    """

    number: int | None = None
    text: str = ""
    goes_on: bool = False


class Numbering:
    """Counts the numbers of lists as they are met in a document's order."""

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self._styles = styles
        self._abstract = {value(one, "abstractNumId"): one for tag, one in children(root) if tag == "abstractNum"}
        self._lists = {value(one, "numId"): one for tag, one in children(root) if tag == "num"}
        self._counts: dict[str, Counter[int]] = {}
        self._begun: set[tuple[str, int]] = set()

    def label(self, place: Numbered) -> Label | None:
        """The next label of a list; None for a list that is none."""
        held = self._lists.get(place.list_id)
        if held is None:
            return None
        abstract = value(first(held, "abstractNumId"), "val")
        levels = self._levels(abstract, held)
        if place.level not in levels:
            return Label()
        counts = self._counts.setdefault(abstract, Counter())
        self._advance(counts, place, levels, held)
        kind, text = _format(levels[place.level]), value(first(levels[place.level], "lvlText"), "val")
        if kind == "bullet":
            return Label(goes_on=bool(text) and not text.strip())
        if kind == "none" or not text:
            return Label(text=text) if text else None
        if kind == "decimal" and _PLAIN.fullmatch(text):
            return Label(counts[place.level])
        return Label(text=_LEVEL.sub(lambda found: self._shown(int(found[1]) - 1, counts, levels), text))

    def level_of(self, list_id: str, style_id: str, otherwise: int) -> int:
        """The level that a list gives to a style."""
        held = self._lists.get(list_id)
        for level, one in self._levels(value(first(held, "abstractNumId"), "val"), held).items():
            if value(first(one, "pStyle"), "val") == style_id:
                return level
        return otherwise

    def _levels(self, abstract: str, held: Element | None) -> dict[int, Element]:
        root = self._abstract.get(abstract)
        linked = value(first(root, "numStyleLink"), "val")
        if linked and first(root, "lvl") is None:
            place = self._styles.of(linked).numbered
            other = self._lists.get(place.list_id) if place else None
            root = self._abstract.get(value(first(other, "abstractNumId"), "val"))
        levels = [one for tag, one in children(root) if tag == "lvl"]
        levels += [one for tag, over in children(held) if tag == "lvlOverride" for name, one in children(over) if name == "lvl"]
        return {whole(value(one, "ilvl")): one for one in levels}

    def _advance(self, counts: Counter[int], place: Numbered, levels: dict[int, Element], held: Element) -> None:
        key = (place.list_id, place.level)
        started = {
            whole(value(over, "ilvl")): value(first(over, "startOverride"), "val")
            for tag, over in children(held)
            if tag == "lvlOverride"
        }
        start = whole(started.get(place.level, ""), -1)
        if key not in self._begun and start >= 0:
            counts[place.level] = start
        elif place.level in counts:
            counts[place.level] += 1
        else:
            counts[place.level] = _start(levels[place.level])
        self._begun.add(key)
        for deeper in [level for level in counts if level > place.level]:
            del counts[deeper]

    def _shown(self, level: int, counts: Counter[int], levels: dict[int, Element]) -> str:
        one = levels.get(level)
        return written(counts[level] if level in counts else _start(one), _format(one))


def _start(level: Element | None) -> int:
    said = value(first(level, "start"), "val")
    return whole(said, 1)


def _format(level: Element | None) -> str:
    return value(first(level, "numFmt"), "val") or "decimal"


def written(number: int, form: str) -> str:
    """A number in a form of WordprocessingML: upperRoman, lowerLetter and so on."""
    if form in {"upperRoman", "lowerRoman"} and 0 < number < 4_000:
        roman = ""
        for worth, sign in _ROMAN:
            roman += sign * (number // worth)
            number %= worth
        return roman if form == "upperRoman" else roman.lower()
    if form in {"upperLetter", "lowerLetter"} and 0 < number < 800:
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if form == "upperLetter" else letter
    return f"{number:02}" if form == "decimalZero" else str(number)
