"""Books (.epub) to a Page: the chapters in reading order, the table of contents as the outline (EPUB 3.3 and 2.0.1)."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote

import msgspec
from turbohtml import Document, Element, parse

from limen.core.web import Heading, Link, Page, PageFormat
from limen.reading.dates import iso_date
from limen.reading.decode import decode, without_our_references
from limen.reading.formats.blocks import line_of
from limen.reading.formats.office.package import Package, below, children, damaged, encrypted, first, stated, value
from limen.reading.markup.convert import literal
from limen.reading.markup.forms import WRITERS
from limen.reading.markup.written import Written
from limen.reading.region.prune import Pruner

_CHAPTERS = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})
# What scrambles fonts alone, which nobody needs for reading.
_FONTS = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
_MOST_CHAPTERS = 2_000
_CHAPTER_BYTES = 16_000_000
# A page of HTML may have as much (`excess.HTML_LIMIT_CHARS`); the longest books have half of it.
_BOOK_BYTES = 20_000_000
_MOST_ENTRIES = 2_000
_NOTE = re.compile(r"\[\^(\d{1,6})\]")
# A tag that XHTML closes at once and HTML would leave open.
_CLOSED = re.compile(
    r"<(title|script|style|a|div|span|p|i|b|em|strong|td|th|li|h[1-6]|section|iframe)((?:\s[^<>]*)?)/>", re.IGNORECASE
)


class _Book(msgspec.Struct, frozen=True):
    """The package document of a book, and its path."""

    root: Element
    path: str


def read_epub(data: bytes, page_format: PageFormat) -> Page:
    """The text of a book. Raises ToolFault `reading.encrypted` for one that only its seller's program opens."""
    package = Package(data)
    _refuse_locked(package)
    book = _book(package)
    chapters = list(_chapters(book))[:_MOST_CHAPTERS]
    dropped: Counter[str] = Counter()
    sources, left = _sources(package, chapters)
    written = [(path, _written(source, path, chapters, page_format, dropped)) for path, source in sources]
    starts, line, texts, notes = {}, 1, [], 0
    for place, (path, one) in enumerate(written):
        starts[path] = line
        if notes and "[^" in one.text:  # each chapter counts its own from 1
            one = msgspec.structs.replace(one, text=_renumbered(one.text, notes))
            written[place] = (path, one)
        notes = max((int(number) for number in _NOTE.findall(one.text)), default=notes)
        if one.text:
            texts.append(one.text)
            line += one.text.count("\n") + 2
    marked = [(path, one) for path, one in written if one.text]
    own = [msgspec.structs.replace(head, line=head.line + starts[path] - 1) for path, one in marked for head in one.outline]
    outline = _contents(package, book, starts, marked) if page_format == "markdown" else ()
    about = first(book.root, "metadata")
    return Page(
        title=stated(about, "title"),
        text="\n\n".join(texts),
        links=_links(one for _, one in marked),
        outline=outline or tuple(own),
        author=", ".join(filter(None, (line_of(one.text) for tag, one in children(about) if tag == "creator"))),
        published=iso_date(stated(about, "date")),
        language=stated(about, "language"),
        dropped=dict(dropped),
        notices=(f"Of {len(chapters):,} chapters the last {left:,} are left out: the book is too long.",) if left else (),
        format=page_format,
    )


def _renumbered(text: str, before: int) -> str:
    return _NOTE.sub(lambda found: f"[^{int(found[1]) + before}]", text)


def _refuse_locked(package: Package) -> None:
    for one in below(package.xml("META-INF/encryption.xml"), "EncryptedData"):
        method = value(first(one, "EncryptionMethod"), "Algorithm")
        if method not in _FONTS:
            raise encrypted("this book")


def _book(package: Package) -> _Book:
    rootfile = next(below(package.xml("META-INF/container.xml"), "rootfile"), None)
    path = value(rootfile, "full-path")
    root = package.xml(path) if path else None
    if root is None:
        raise damaged(package.size, "it names no package document")
    return _Book(root, path)


def _at(base: str, href: str) -> str:
    """The path in the book of an address relative to one of its parts."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(href))).lstrip("/")


def _chapters(book: _Book) -> Iterator[str]:
    items = {value(one, "id"): one for _, one in children(first(book.root, "manifest"))}
    seen = set()
    for _, one in children(first(book.root, "spine")):
        item = items.get(value(one, "idref"))
        is_contents = "nav" in value(item, "properties").split()
        if item is None or is_contents or value(item, "media-type") not in _CHAPTERS:
            continue
        path = _at(book.path, value(item, "href"))
        if path not in seen:
            seen.add(path)
            yield path


def _sources(package: Package, chapters: list[str]) -> tuple[list[tuple[str, bytes]], int]:
    """The chapters that there are, as far as a book may go, and how many that leaves out."""
    found: list[tuple[str, bytes]] = []
    size = 0
    for place, path in enumerate(chapters):
        got = package.read(path, limit=_CHAPTER_BYTES)
        size += len(got[0]) if got is not None else 0
        if size > _BOOK_BYTES:
            return found, len(chapters) - place
        if got is not None:
            found.append((path, got[0]))
    return found, 0


def _written(source: bytes, path: str, chapters: list[str], page_format: PageFormat, dropped: Counter[str]) -> Written:
    document = parse(_CLOSED.sub(r"<\1\2></\1>", without_our_references(decode(source).text)), positions=False)
    Pruner(document).machinery()
    body = document.select_one("body")
    if body is None:
        return Written("", (), ())
    _mend(document, body, path, frozenset(chapters), dropped)
    return WRITERS[page_format](document, body, "")


def _mend(document: Document, body: Element, path: str, chapters: frozenset[str], dropped: Counter[str]) -> None:
    """Links to other chapters lead within the text, pictures are what is said of them: a book has no addresses."""
    for base in document.select("base"):
        base.extract()
    for anchor in body.select("a[href]"):
        target, _, fragment = (anchor.attr("href") or "").partition("#")
        if ":" in target.partition("/")[0]:
            continue
        if target and _at(path, target) not in chapters:
            del anchor.attrs["href"]
        elif fragment:
            anchor.attrs["href"] = f"#{fragment}"
        else:
            del anchor.attrs["href"]
    for image in body.select("img,image"):
        described = line_of(image.attr("alt") or "")
        if described:
            image.replace_with(literal(f"[IMAGE: {described}]"))
        else:
            dropped["image"] += 1
            image.extract()


def _contents(package: Package, book: _Book, starts: dict[str, int], written: list[tuple[str, Written]]) -> tuple[Heading, ...]:
    """The book's own table of contents, each entry with the line that it leads to."""
    anchors = {(path, head.anchor): head.line + starts[path] - 1 for path, one in written for head in one.outline if head.anchor}
    found = []
    for level, title, path, fragment in _entries(package, book):
        if path in starts and title:
            found.append(Heading(min(level, 6), title, anchors.get((path, fragment), starts[path]), fragment))
    return tuple(found[:_MOST_ENTRIES])


def _entries(package: Package, book: _Book) -> Iterator[tuple[int, str, str, str]]:
    """Level from 1, title, part and anchor of each entry: of the navigation document, else of the older NCX."""
    items = [one for _, one in children(first(book.root, "manifest"))]
    navigation = next((one for one in items if "nav" in value(one, "properties").split()), None)
    if navigation is not None:
        path = _at(book.path, value(navigation, "href"))
        got = package.read(path, limit=_CHAPTER_BYTES)
        page = parse(_CLOSED.sub(r"<\1\2></\1>", decode(got[0]).text if got is not None else ""), positions=False)
        parts = [one for one in page.select("nav") if "toc" in (one.attr("epub:type") or one.attr("role") or "")]
        for anchor in (parts or page.select("nav"))[0].select("li a[href]") if page.select_one("nav") is not None else ():
            depth = sum(isinstance(one, Element) and one.tag == "ol" for one in anchor.ancestors)
            yield _entry(path, anchor.attr("href") or "", anchor.text, depth)
        return
    older = next((one for one in items if value(one, "media-type") == "application/x-dtbncx+xml"), None)
    path = _at(book.path, value(older, "href"))
    for point in below(package.xml(path) if older is not None else None, "navPoint"):
        depth = 1 + sum(isinstance(one, Element) and one.tag.endswith("navPoint") for one in point.ancestors)
        label = first(point, "navLabel", "text")
        yield _entry(path, value(first(point, "content"), "src"), label.text if label is not None else "", depth)


def _entry(base: str, href: str, title: str, level: int) -> tuple[int, str, str, str]:
    target, _, fragment = href.partition("#")
    return max(level, 1), line_of(title), _at(base, target), fragment


def _links(chapters: Iterator[Written]) -> tuple[Link, ...]:
    texts: dict[str, str] = {}
    for chapter in chapters:
        for one in chapter.links:
            texts.setdefault(one.url, one.text)
    return tuple(Link(n, text, url) for n, (url, text) in enumerate(texts.items(), 1))
