"""A ZIP package of XML parts (ECMA-376 part 2, ODF 1.3 part 2): opened within bounds, every defect a typed fault."""

import io
import lzma
import posixpath
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

import msgspec
from turbohtml import Element, HTMLParseError, parse_xml

from limen.core.fault import ToolFault
from limen.reading.dates import iso_date
from limen.reading.decode import decode
from limen.reading.formats.blocks import About, line_of

# A parsed part takes about six bytes of memory for each of its own; real parts beyond this are spreadsheets, which are cut.
PART_LIMIT_BYTES = 40_000_000
_PACKAGE_LIMIT_BYTES = 200_000_000
# What zipfile and its decompressors raise over bytes that are no sound archive.
BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)
_ENCRYPTED = 0x1
_END, _END_BYTES, _COMMENT_BYTES = b"PK\x05\x06", 22, 65_535
_MOST_ENTRIES = 65_535


class Relation(msgspec.Struct, frozen=True):
    """What a part points to: the last word of the relation's type, and a part's name or, where `external`, an address."""

    kind: str
    target: str
    external: bool


class Package:
    """The parts of a document by name. Raises ToolFault `reading.{damaged,encrypted,too_large}`."""

    def __init__(self, data: bytes) -> None:
        self._zip = opened(data)
        self._names = {name.lower(): name for name in self._zip.namelist()}
        self._left_bytes = _PACKAGE_LIMIT_BYTES
        self.size = len(data)

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._names

    def names(self, folder: str = "") -> list[str]:
        """The names of the parts below a folder."""
        return [name for name in self._names.values() if name.startswith(folder)]

    def read(self, name: str, *, limit: int = PART_LIMIT_BYTES) -> tuple[bytes, bool] | None:
        """At most `limit` bytes of a part, and whether that is all of it; None where there is none of that name."""
        stored = self._names.get(name.lower())
        if stored is None:
            return None
        info = self._zip.getinfo(stored)
        if info.flag_bits & _ENCRYPTED:
            raise encrypted("this document")
        try:
            with self._zip.open(info) as part:
                data = part.read(min(limit, self._left_bytes) + 1)
        except BROKEN as error:
            raise damaged(self.size, f"its part {stored[:80]!r} cannot be unpacked") from error
        self._left_bytes -= len(data)
        if self._left_bytes < 0:
            raise ToolFault(
                "reading.too_large",
                f"this document of {self.size:,} bytes unpacks to more than {_PACKAGE_LIMIT_BYTES:,} bytes",
                "save a part of it as a document of its own",
            )
        return data[:limit], len(data) <= limit

    def xml(self, name: str) -> Element | None:
        """The root of a part; None where there is none."""
        got = self.read(name)
        if got is None:
            return None
        if not got[1]:
            reason = f"the part {name} of this document unpacks to more than {PART_LIMIT_BYTES:,} bytes"
            raise ToolFault("reading.too_large", reason, "save a part of it as a document of its own")
        return self.parsed(got[0], name)

    def main(self, name: str) -> Element:
        """The root of the part that the document is."""
        root = self.xml(name)
        if root is None:
            raise damaged(self.size, f"it has no part {name}")
        return root

    def start(self, otherwise: str) -> str:
        """The name of the part that the document is, in Office Open XML."""
        return next((one.target for one in self.related("").values() if one.kind == "officeDocument"), otherwise)

    def parsed(self, data: bytes, name: str) -> Element:
        """The root of a part's XML. No entity of its own is ever expanded: the parser refuses them."""
        try:
            root = parse_xml(decode(data).text).root
        except HTMLParseError as error:
            raise damaged(self.size, f"its part {name} is no XML ({error})") from error
        if root is None:
            raise damaged(self.size, f"its part {name} is empty")
        return root

    def related(self, part: str) -> Mapping[str, Relation]:
        """The relations of a part by their id; those of the package for an empty name."""
        folder, name = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        return {} if root is None else {one.attr("Id") or "": _relation(folder, one) for _, one in children(root)}


def opened(data: bytes) -> zipfile.ZipFile:
    """The archive. Its list of entries is read, nothing is unpacked."""
    end = data.rfind(_END, max(len(data) - _END_BYTES - _COMMENT_BYTES, 0))
    if end >= 0 and int.from_bytes(data[end + 12 : end + 16], "little") > _MOST_ENTRIES * 256:
        raise ToolFault("reading.too_large", "this ZIP archive lists more files than can be looked through", "unzip -l FILE")
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except BROKEN as error:
        raise damaged(len(data), "its list of parts, which stands at the end, cannot be read") from error


def damaged(size: int, what: str) -> ToolFault:
    """The fault of a file that is not whole."""
    reason = f"this file of {size:,} bytes is damaged or cut off: {what}"
    return ToolFault("reading.damaged", reason, "read it again later, or another copy of it")


def encrypted(what: str) -> ToolFault:
    """The fault of a file that opens with a password alone."""
    reason = f"{what} is encrypted and opens with a password or a licence alone"
    return ToolFault("reading.encrypted", reason, "save it without a password, and: limen library add FILE")


def local(element: Element) -> str:
    """An element's name without its prefix."""
    return element.tag.rpartition(":")[2]


def children(element: Element | None) -> Iterator[tuple[str, Element]]:
    """The elements right below one, each with its local name."""
    for child in element.children if element is not None else ():
        if isinstance(child, Element):
            yield local(child), child


def first(element: Element | None, *path: str) -> Element | None:
    """The element that a path of local names leads to."""
    for name in path:
        if element is None:
            return None
        for child in element.children:
            if isinstance(child, Element) and local(child) == name:
                element = child
                break
        else:
            return None
    return element


def below(element: Element | None, name: str) -> Iterator[Element]:
    """All elements of a local name, at whatever depth, in order."""
    for found in element.iter_elements() if element is not None else ():
        if local(found) == name:
            yield found


def value(element: Element | None, name: str) -> str:
    """An attribute by its local name; empty where there is none."""
    if element is None:
        return ""
    return next(
        (text or "" for key, text in element.attrs.items() if key.rpartition(":")[2] == name and isinstance(text, str)), ""
    )


def whole(said: str, otherwise: int = 0) -> int:
    """A whole number that a part states; `otherwise` for what is none, or is longer than any that a program writes."""
    return int(said) if said.isascii() and said.isdigit() and len(said) < 10 else otherwise


def spanned(said: str) -> int:
    """How many cells one covers."""
    return min(max(whole(said), 1), 100)


def texts(element: Element | None) -> str:
    """The text of all `t` below an element, as Office Open XML has it."""
    return "".join(found.text for found in below(element, "t"))


def core_properties(package: Package, title: str = "") -> About:
    """What an Office Open XML package says about itself (ECMA-376 part 2, 11); `title` where it says none."""
    part = next((one.target for one in package.related("").values() if one.kind == "core-properties"), "docProps/core.xml")
    root = package.xml(part)
    return About(
        stated(root, "title") or title, stated(root, "creator"), iso_date(stated(root, "created")), stated(root, "language")
    )


def stated(root: Element | None, *names: str) -> str:
    """The text of the first child of these names that there is, in one line; empty where there is none."""
    return next((line_of(found.text) for name in names if (found := first(root, name)) is not None), "")


def _relation(folder: str, element: Element) -> Relation:
    target, external = element.attr("Target") or "", element.attr("TargetMode") == "External"
    if not external:
        target = posixpath.normpath(posixpath.join("/", folder, unquote(target))).lstrip("/")
    return Relation((element.attr("Type") or "").rpartition("/")[2], target, external)
