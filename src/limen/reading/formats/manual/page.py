"""A manual page to a Page, by whichever of the two macro packages it is written in."""

import re

from limen.core.web import Page
from limen.reading.dates import iso_date
from limen.reading.formats.blocks import heading, text_html
from limen.reading.formats.manual.man import ManPage
from limen.reading.formats.manual.mdoc import MdocPage
from limen.reading.text_kind import Media, name_of

_MDOC = re.compile(r"^\.[ \t]*Dd(?:[ \t]|$)", re.MULTILINE)
_HEAD_CHARS = 20_000
_ALIAS = re.compile(r"^\.so[ \t]+(?:\S*/)?([^/\s]+?)(?:\.(\d\w*))?(?:\.gz)?[ \t]*$", re.MULTILINE)
_ENDING = re.compile(r"(.+)\.(\d\w*)(?:\.gz)?$")
_SECTION = re.compile(r"^[.'][ \t]*(?:SH|Sh|TH)\b", re.MULTILINE)
_ALIAS_CHARS = 10_000


def read_manual(text: str, url: str, _media: Media) -> Page:
    """A manual page as HTML, its name and section the title. A page that only leads to another says to which."""
    alias = _ALIAS.search(text) if len(text) < _ALIAS_CHARS and not _SECTION.search(text) else None
    if alias:
        page, section = text_html(alias.group(1)), f"({alias.group(2)})" if alias.group(2) else ""
        body = f"<p>This page is another name for <b>{page}</b>{text_html(section)}.</p>"
        return Page(title=_named(url) or f"{alias.group(1)}{section}", text=body, format="html")
    page_type = MdocPage if _MDOC.search(text[:_HEAD_CHARS]) else ManPage
    manual = page_type(text)
    manual.run()
    head = manual.head
    title = f"{head.name.lower() if head.name.isupper() else head.name}({head.section})" if head.section else head.name
    title = title or _named(url)
    text = heading(1, text_html(title or name_of(url))) + manual.blocks.html
    return Page(title=title, text=text, format="html", published=iso_date(head.date))


def _named(url: str) -> str:
    found = _ENDING.match(name_of(url))
    return f"{found.group(1)}({found.group(2)})" if found else ""
