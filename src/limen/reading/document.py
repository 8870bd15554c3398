"""The reader: bytes of a document to a Page. Pure and synchronous; it opens nothing."""

from collections.abc import Callable

import msgspec

from limen.core.fault import ToolFault
from limen.core.web import Page, PageFormat
from limen.kit.deferred import load
from limen.reading.decode import Decoded, clean, decode
from limen.reading.formats.mail_head import MAIL_HEAD_BYTES, is_mail
from limen.reading.markup.unmarked import unmarked
from limen.reading.media import binary_type, is_pdf
from limen.reading.text_kind import Media, name_of, sniff

TEXT_LIMIT_BYTES = 100_000_000

_MOST_PACKINGS = 2
_TITLE_CHARS = 500

# What is no text: (bytes, url, media type, format) to a Page, or the bytes and the address of what was packed.
FileReader = Callable[[bytes, str, str, PageFormat], Page | tuple[bytes, str]]
TextReader = Callable[[str, str, Media], Page]
HtmlReader = Callable[[str, int, str, str, str, PageFormat], Page]
Rewriter = Callable[[Page, PageFormat], Page]
# Who reads which kind of text: (text, url, media) to a Page of Markdown, of HTML that is yet to be written as what was asked for,
# or of the text as it is. Where from, what and in which charset it was, and its name where it has no title, are added here.
READERS = {
    "markdown": "limen.reading.formats.plain:read_markdown",
    "text": "limen.reading.formats.plain:read_text",
    "source": "limen.reading.formats.source:read_source",
    "json": "limen.reading.formats.data:read_json",
    "ndjson": "limen.reading.formats.data:read_lines",
    "notebook": "limen.reading.formats.notebook:read_notebook",
    "xml": "limen.reading.formats.xml:read_xml",
    "svg": "limen.reading.formats.xml:read_svg",
    "feed": "limen.reading.formats.feed:read_feed",
    "jsonfeed": "limen.reading.formats.feed:read_json_feed",
    "opml": "limen.reading.formats.lists:read_opml",
    "sitemap": "limen.reading.formats.lists:read_sitemap",
    "table": "limen.reading.formats.table:read_table",
    "manual": "limen.reading.formats.manual.page:read_manual",
    "calendar": "limen.reading.formats.calendar:read_calendar",
    "contacts": "limen.reading.formats.calendar:read_calendar",
    "subtitles": "limen.reading.formats.subtitles:read_subtitles",
}
# Kinds whose Markdown is not the text as it is.
_MARKED = frozenset({"markdown", "notebook", "sitemap", "table", "svg"})


def read(data: bytes | str, url: str = "", content_type: str | None = None, page_format: PageFormat = "markdown") -> Page:
    """Turn a document into Markdown, or into another format where that can be: `Page.format` says which it became.

    `url` is where it came from: relative links resolve against it, and its name helps to tell the type. `content_type`
    is the header, if there was one. Of pictures, sounds, archives and the like the page tells facts: there `Page.is_file` holds.
    Raises ToolFault `reading.binary` or `reading.unsupported` where the bytes hold no readable text, `reading.pdf_*` for a PDF
    without any, `reading.damaged`, `reading.encrypted`, `reading.too_large` beyond the limits of this module or of what is
    packed, and nothing else.
    """
    size = len(data)
    if size > TEXT_LIMIT_BYTES:
        reason = f"a document of {size:,} bytes is beyond the limit of {TEXT_LIMIT_BYTES:,}"
        raise ToolFault("reading.too_large", reason, "read a part of it, or a page that links to its parts")
    if isinstance(data, str):
        return _printable(_read_str(clean(data), size, url, content_type, page_format))
    return _printable(_read_bytes(data, url, content_type, page_format, _MOST_PACKINGS))


def _printable(page: Page) -> Page:
    """A page that can be stored and printed, whatever references, escapes and encodings within the document stood for."""
    text, title, author = clean(page.text), clean(page.title)[:_TITLE_CHARS], clean(page.author)[:_TITLE_CHARS]
    outline = tuple(msgspec.structs.replace(heading, text=clean(heading.text)) for heading in page.outline)
    if (text, title, author, outline) == (page.text, page.title, page.author, page.outline):
        return page
    return msgspec.structs.replace(
        page,
        text=text,
        title=title,
        author=author,
        published=clean(page.published),
        outline=outline,
        links=tuple(msgspec.structs.replace(link, text=clean(link.text), url=clean(link.url)) for link in page.links),
    )


def _read_str(text: str, size: int, url: str, content_type: str | None, page_format: PageFormat) -> Page:
    if is_mail(text[:MAIL_HEAD_BYTES].encode(), content_type):
        return _read_mail(text.encode(), url, page_format)
    return _read_text(Decoded(text, ""), size, url, content_type, page_format)


def _read_bytes(data: bytes, url: str, content_type: str | None, page_format: PageFormat, packings: int) -> Page:
    if is_pdf(data, content_type):
        read_pdf: Callable[[bytes, str], Page] = load("limen.reading.formats.pdf:read_pdf")
        return _written(read_pdf(data, url), page_format, marked=True)
    if is_mail(data, content_type):
        return _read_mail(data, url, page_format)
    kind = binary_type(data, content_type, url)
    if kind:
        return _read_file(data, url, kind, page_format, packings)
    decoded = decode(data, content_type)
    page = _read_text(decoded, len(data), url, content_type, page_format)
    return msgspec.structs.replace(page, notices=(*decoded.notices, *page.notices)) if decoded.notices else page


def _read_mail(data: bytes, url: str, page_format: PageFormat) -> Page:
    read_mail: Callable[[bytes], Page] = load("limen.reading.formats.mail:read_mail")
    return _written(msgspec.structs.replace(read_mail(data), url=url), page_format)


def _read_file(data: bytes, url: str, kind: str, page_format: PageFormat, packings: int) -> Page:
    read_file: FileReader = load("limen.reading.formats.files:read_file")
    found = read_file(data, url, kind, page_format)
    if isinstance(found, Page):
        return _rewritten(found, page_format) if found.format == "html" else found
    if not packings:
        raise ToolFault(
            "reading.unsupported", f"this file is packed more than {_MOST_PACKINGS} times", "unpack it, and read that"
        )
    return _read_bytes(*found, None, page_format, packings - 1)


def _read_text(decoded: Decoded, size: int, url: str, content_type: str | None, page_format: PageFormat) -> Page:
    text, charset = decoded.text, decoded.charset
    media = sniff(text, content_type, url)
    if media.kind == "html":
        read_document: HtmlReader = load("limen.reading.html.document:read_document")
        return read_document(text, size, url, media.media_type, charset, page_format)
    reader: TextReader = load(READERS[media.kind])
    page = reader(text, url, media)
    title = page.title or name_of(url)
    plain = page.format == "markdown" and media.kind not in _MARKED
    page = msgspec.structs.replace(page, url=url, media_type=media.media_type, charset=charset, title=title, plain=plain)
    return _written(page, page_format, marked=not plain)


def _written(page: Page, page_format: PageFormat, *, marked: bool = True) -> Page:
    """A page as what was asked for: its HTML by our own writers, its Markdown without marks."""
    if page.format == "html":
        return _rewritten(page, page_format)
    return unmarked(page, marked=marked) if page_format == "text" else page


def _rewritten(page: Page, page_format: PageFormat) -> Page:
    written: Rewriter = load("limen.reading.html.document:written")
    return written(page, page_format)
