"""A whole HTML document, as the reader has it: bulk taken out, read, and told whether it is a shell without its content."""

import msgspec

from limen.core.web import Page, PageFormat
from limen.reading.html.excess import HTML_LIMIT_CHARS, without_bulk
from limen.reading.html.page import read_html, rewritten
from limen.reading.html.shell import shell_of
from limen.reading.markup.forms import WRITERS


def read_document(text: str, size: int, url: str, media_type: str, charset: str, page_format: PageFormat) -> Page:
    """The page of an HTML document of `size` bytes or characters."""
    if size > HTML_LIMIT_CHARS:
        text = without_bulk(text)
    page = read_html(text, url, media_type, charset, WRITERS[page_format])
    return msgspec.structs.replace(page, format=page_format, shell=shell_of(page, text[:HTML_LIMIT_CHARS]))


def written(page: Page, page_format: PageFormat) -> Page:
    """A page whose text is HTML of our own making, as what was asked for."""
    return rewritten(page, page_format, WRITERS[page_format])
