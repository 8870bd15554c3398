"""XML without its traps: no document type, so no entities that grow or read files; bounded in depth and in elements."""

from typing import NoReturn
from xml.parsers import expat

import msgspec

_MOST_DEPTH = 64
_MOST_ELEMENTS = 300_000


class BadXML(ValueError):
    """What was sent is no XML, or XML of a kind that is not read here; the message says which."""


class Element(msgspec.Struct):
    """An element: its name without a namespace, its attributes, its own text, what lies in it."""

    name: str
    attributes: dict[str, str]
    parts: list[str]
    children: "list[Element]"

    @property
    def text(self) -> str:
        """Its own text, without that of its children."""
        return "".join(self.parts).strip()

    def child(self, name: str) -> str:
        """The text of the first child of that name; empty when there is none."""
        return next((child.text for child in self.children if child.name == name), "")

    def all(self, name: str) -> "list[Element]":
        """The children of that name."""
        return [child for child in self.children if child.name == name]


class _Builder:
    def __init__(self) -> None:
        self.root: Element | None = None
        self._open: list[Element] = []
        self._count = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if len(self._open) >= _MOST_DEPTH or self._count > _MOST_ELEMENTS:
            raise BadXML("it is nested too deeply or has too many elements")
        element = Element(_local(name), {_local(key): value for key, value in attributes.items()}, [], [])
        if self._open:
            self._open[-1].children.append(element)
        elif self.root is None:
            self.root = element
        self._open.append(element)

    def end(self, _name: str) -> None:
        self._open.pop()

    def data(self, text: str) -> None:
        if self._open:
            self._open[-1].parts.append(text)


def parse_xml(data: bytes) -> Element:
    """The document's outermost element. Raises BadXML. Takes time in proportion to `data`; whoever calls bounds that."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    builder = _Builder()
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise BadXML(expat.ErrorString(error.code)) from None
    except (LookupError, ValueError) as error:  # an encoding that Python does not know, or that is none of text
        raise BadXML(str(error)) from None
    if builder.root is None:
        raise BadXML("it is empty")
    return builder.root


def _refuse_doctype(*_declared: object) -> NoReturn:
    raise BadXML("it declares a document type, which is not read")


def _local(name: str) -> str:
    return name.rpartition(":")[2]
