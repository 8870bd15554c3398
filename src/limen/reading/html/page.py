"""HTML to a Page: describe, prune, choose, write."""

import re

import msgspec
from turbohtml import Document, Element, parse

from limen.core.web import Page, PageFormat
from limen.reading.html.embedded import embedded_in, sources_in
from limen.reading.html.excess import without_excess
from limen.reading.html.linked_data import things_of
from limen.reading.html.metadata import describe
from limen.reading.html.missing import Missing, missing_in
from limen.reading.html.posts.mark import forget_marks, mark_posts
from limen.reading.html.posts.thread import thread_of
from limen.reading.html.stated import best_of, document_of, stated_in
from limen.reading.markup.addresses import mend_images
from limen.reading.markup.written import Writer, Written
from limen.reading.region.choose import choose, drop_link_lists, title_of
from limen.reading.region.prune import Pruner

# The data of a page's scripts are decoded where the page itself shows less than this.
_LITTLE_CHARS = 3_000
# References to the noncharacters that mark places during conversion, which `decode.clean` keeps out as characters.
_OUR_SIGNS = re.compile(r"&#(?:[xX]0*[fF][dD][dD][0-7](?![0-9a-fA-F])|0*649(?:7[6-9]|8[0-3])(?!\d));?")


def read_html(source: str, url: str, media_type: str, charset: str, writer: Writer) -> Page:
    """The main part of a page as `writer` has it; of the whole page where pruning would leave nothing of its text."""
    if "&#" in source:
        source = _OUR_SIGNS.sub("\ufffd", source)
    source, notices = without_excess(source)
    document = parse(source, positions=False)
    forget_marks(document)
    things = things_of(document)
    about = describe(document, url, things)
    sources = sources_in(document)
    pruner = Pruner(document)
    pruner.machinery()
    mark_posts(document)
    missing = missing_in(document, things, about.title)
    written = _main_part(document, pruner, url, about.title, missing, writer)
    if not written.text:
        whole = parse(source, positions=False)
        Pruner(whole).machinery()
        written = writer(whole, whole.select_one("body") or whole.root, url)
    stated = best_of(
        [*stated_in(things), *(embedded_in(sources, about.title) if len(written.text) < _LITTLE_CHARS else ())], written.text
    )
    if stated is not None:
        notices = (*notices, stated.notice)
        written = _whole(document_of(stated), writer, url)
    return Page(
        url=url,
        title=about.title,
        text=written.text,
        media_type=media_type,
        links=written.links,
        outline=written.outline,
        author=about.author,
        published=about.published,
        language=about.language,
        canonical_url=about.canonical_url,
        charset=charset,
        dropped=dict(pruner.dropped),
        notices=notices,
    )


def rewritten(page: Page, page_format: PageFormat, writer: Writer) -> Page:
    """A page whose text is HTML of our own making, all of it as `writer` has it."""
    written = _whole(parse(page.text, positions=False), writer, page.url)
    return msgspec.structs.replace(page, text=written.text, outline=written.outline, links=written.links, format=page_format)


def _whole(document: Document, writer: Writer, url: str) -> Written:
    """All that a document shows, in which there is nothing to choose."""
    Pruner(document).machinery()
    return writer(document, document.select_one("body") or document.root, url)


def _main_part(
    document: Document, pruner: Pruner, url: str, stated_title: str, missing: Missing, writer: Writer
) -> Written:
    body = document.find("body") or document.root
    if body is None:
        return Written("", (), ())
    pruner.frame(body)
    title = title_of(document, stated_title)
    region = thread_of(body) or choose(document, title, pruner.chars_total)
    if region is None:
        return Written("", (), ())
    lists = 0 if region.closest("main,[role=main]") is not None else drop_link_lists(region)
    if lists:
        pruner.dropped["links"] += lists
    if title is not None and title.text.strip() and _is_apart(title, region):
        region.insert(0, title.extract())
    missing.put_into(region)
    images = mend_images(region)
    if images:
        pruner.dropped["image"] += images
    return writer(document, region, url)


def _is_apart(title: Element, region: Element) -> bool:
    return title != region and region not in title.ancestors and title not in region.ancestors
