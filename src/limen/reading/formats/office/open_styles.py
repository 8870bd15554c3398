"""Styles of OpenDocument, as far as they say what a text is: its marks, its lists, what is hidden (ODF 1.3 part 3, 16)."""

from collections.abc import Iterator

import msgspec
from turbohtml import Element

from limen.reading.formats.office.numbering import CODE, DEEPER, written
from limen.reading.formats.office.package import children, first, value, whole

_LONGEST_CHAIN = 20
_NAMED = {"Strong Emphasis": "strong", "Emphasis": "em"}
_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


class ListForm(msgspec.Struct, frozen=True):
    """The numbers of a list: the first, their form, what stands around them."""

    start: int
    form: str
    before: str
    behind: str

    def label(self, number: int) -> str:
        """A number that Markdown cannot write; empty for plain ones."""
        return f"{self.before}{written(number, _FORMS[self.form])}{self.behind}" if self.form in _FORMS else ""


class OpenStyles:
    """The styles of a document, its automatic ones among them."""

    def __init__(self, *roots: Element | None) -> None:
        groups = [group for root in roots for tag, group in children(root) if tag in {"styles", "automatic-styles"}]
        self._styles: dict[str, Element] = {}
        self._lists: dict[str, dict[int, Element]] = {}
        for tag, one in ((tag, one) for group in groups for tag, one in children(group)):
            name = value(one, "name")
            if tag == "style":
                self._styles[name] = one
            elif tag == "list-style":
                levels = ((value(level, "level"), level) for _, level in children(one))
                self._lists[name] = {whole(said): level for said, level in levels if whole(said)}

    def names(self, name: str) -> Iterator[str]:
        """A style and those it is based on."""
        for _ in range(_LONGEST_CHAIN):
            style = self._styles.get(name)
            if name:
                yield name
            if style is None:
                return
            name = value(style, "parent-style-name")

    def named(self, name: str) -> Iterator[str]:
        """The same as people see them."""
        return (one.replace("_20_", " ").replace("_", " ") for one in self.names(name))

    def code(self, name: str) -> bool:
        """Whether a style is one of code."""
        return any(map(CODE.search, self.named(name)))

    def marks(self, name: str) -> list[str]:
        """The tags of HTML for what a style of characters does."""
        found = dict.fromkeys(_NAMED[one] for one in self.named(name) if one in _NAMED)
        if self.code(name):
            found["code"] = None
        said = self._said(name, "text-properties", ("font-weight", "font-style", "text-line-through-style", "text-position"))
        if said["font-weight"] in {"bold", "600", "700", "800", "900"}:
            found["strong"] = None
        if said["font-style"] in {"italic", "oblique"}:
            found["em"] = None
        if said["text-line-through-style"] not in {"", "none"}:
            found["s"] = None
        if said["text-position"].startswith(("super", "sub")):
            found["sup" if said["text-position"].startswith("super") else "sub"] = None
        return list(found)

    def hidden(self, name: str, properties: str) -> bool:
        """Whether a style hides what has it."""
        said = self._said(name, properties, ("display", "visibility"))
        return said["display"] in {"none", "false"} or said["visibility"] == "hidden"

    def numbered(self, list_style: str, level: int) -> "ListForm | None":
        """How a list's level from 1 is numbered; None for bullets."""
        found = self._lists.get(list_style, {}).get(level)
        if found is None or not found.tag.endswith("-number") or not value(found, "num-format"):
            return None
        start = value(found, "start-value")
        form = (value(found, "num-format"), value(found, "num-prefix"), value(found, "num-suffix"))
        return ListForm(whole(start, 1), *form)

    def depth(self, name: str) -> int:
        """How deep an entry stands by the name of its paragraph's style: some templates have a list of its own for each depth."""
        found = (DEEPER.fullmatch(one.replace("_20_", " ")) for one in self.names(name))
        return max((int(one[1]) for one in found if one), default=1)

    def list_of(self, name: str) -> str:
        """The list that a style of paragraphs belongs to."""
        return next((said for one in self.names(name) if (said := value(self._styles.get(one), "list-style-name"))), "")

    def _said(self, name: str, properties: str, wanted: tuple[str, ...]) -> dict[str, str]:
        said = dict.fromkeys(wanted, "")
        for one in self.names(name):
            found = first(self._styles.get(one), properties)
            said = {key: already or value(found, key) for key, already in said.items()}
        return said
