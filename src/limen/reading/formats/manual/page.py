"""A manual page to a Page, by whichever of the two macro packages it is written in."""

import re
from html import escape

from limen.core.web import Page
from limen.reading.formats.manual.man import ManPage
from limen.reading.formats.manual.mdoc import MdocPage
from limen.reading.formats.plain import name_of
from limen.reading.text_kind import Media

_MDOC = re.compile(r"^\.[ \t]*Dd(?:[ \t]|$)", re.MULTILINE)
_HEAD_CHARS = 20_000
_ALIAS = re.compile(r"^\.so[ \t]+(?:\S*/)?([^/\s]+?)(?:\.(\d\w*))?(?:\.gz)?[ \t]*$", re.MULTILINE)
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)")
_ENDING = re.compile(r"(.+)\.(\d\w*)(?:\.gz)?$")
_SECTION = re.compile(r"^[.'][ \t]*(?:SH|Sh|TH)\b", re.MULTILINE)
_ALIAS_CHARS = 10_000


def read_manual(text: str, url: str, media: Media, charset: str) -> Page:
    """A manual page as HTML, its name and section the title. A page that only leads to another says to which."""
    alias = _ALIAS.search(text) if len(text) < _ALIAS_CHARS and not _SECTION.search(text) else None
    if alias:
        page, section = alias.group(1), alias.group(2) or ""
        other = f"{page}({section})" if section else page
        body = f"<p>This page is another name for <b>{escape(page)}</b>{f'({escape(section)})' if section else ''}.</p>"
        return Page(url=url, title=_named(url) or other, text=body, media_type=media.media_type, format="html", charset=charset)
    page_type = MdocPage if _MDOC.search(text[:_HEAD_CHARS]) else ManPage
    manual = page_type(text)
    manual.run()
    head = manual.head
    title = f"{head.name.lower() if head.name.isupper() else head.name}({head.section})" if head.section else head.name
    date = _DATE.search(head.date)
    return Page(
        url=url,
        title=title or _named(url) or name_of(url),
        text=f"<h1>{escape(title or name_of(url))}</h1>{manual.blocks.html}",
        media_type=media.media_type,
        format="html",
        published=date.group(1) if date else "",
        charset=charset,
    )


def _named(url: str) -> str:
    found = _ENDING.match(name_of(url))
    return f"{found.group(1)}({found.group(2)})" if found else ""
