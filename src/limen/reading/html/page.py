"""HTML to a Page: describe, prune, choose, write."""

from typing import NamedTuple

import msgspec
from turbohtml import Document, Element, parse

from limen.core.web import Page, PageFormat, PageType
from limen.reading.decode import without_our_references
from limen.reading.html.asides import drop_asides
from limen.reading.html.beside_product import drop_beside_product
from limen.reading.html.embedded import Source, embedded_in, sources_in
from limen.reading.html.excess import without_excess
from limen.reading.html.linked_data import Thing, things_of
from limen.reading.html.masthead import drop_masthead, drop_title
from limen.reading.html.metadata import Metadata, describe, host_of
from limen.reading.html.missing import Missing, missing_in
from limen.reading.html.posts.mark import forget_marks, mark_posts
from limen.reading.html.posts.thread import thread_of
from limen.reading.html.product import Facts, facts_of
from limen.reading.html.stated import best_of, document_of, stated_in
from limen.reading.markup.addresses import lead_home, mend_images
from limen.reading.markup.unfold import unfolded
from limen.reading.markup.written import Writer, Written
from limen.reading.region.facts import FOR_SALE, described, stated_words
from limen.reading.region.main_part import Sight, cut_to_main_part, look_at, type_of
from limen.reading.region.prune import Pruner
from limen.reading.region.weights import Weights, shipped

# The data of a page's scripts are decoded where the page itself shows less than this.
_LITTLE_CHARS = 3_000


class Prepared(NamedTuple):
    """A parsed page with what it says of itself, its machinery gone; `source` is what was parsed, `address` where it is at
    home, which a saved page says itself."""

    source: str
    document: Document
    address: str
    things: list[Thing]
    about: Metadata
    facts: Facts
    stated: frozenset[str]
    described: str
    sources: list[Source]
    pruner: Pruner
    notices: tuple[str, ...]


def prepare(source: str, url: str) -> Prepared:
    """Parse a page, and read what it says of itself before any of that goes."""
    source, notices = without_excess(without_our_references(source))
    document = unfolded(source)
    forget_marks(document)
    things = things_of(document)
    about = describe(document, url, things)
    facts = facts_of(document, things, about.title)
    address = about.canonical_url if url.startswith("file:") and about.canonical_url else url
    if address != url:
        lead_home(document, address)
    stated, summary = stated_words(document, things, address), described(document)
    sources = sources_in(document)
    pruner = Pruner(document)
    pruner.machinery()
    pruner.dropped["question"] += drop_asides(document)
    pruner.dropped["comment"] += mark_posts(document)
    if facts.is_for_sale:
        stated |= {FOR_SALE}
        pruner.dropped["offer"] += drop_beside_product(document)
    return Prepared(source, document, address, things, about, facts, stated, summary, sources, pruner, notices)


def sight_of(prepared: Prepared) -> Sight | None:
    """What there is to choose from; None for a document without elements."""
    body = prepared.document.find("body") or prepared.document.root
    return look_at(body, prepared.about.title, prepared.described, prepared.stated) if body is not None else None


def read_html(source: str, url: str, media_type: str, charset: str, writer: Writer, weights: Weights | None = None) -> Page:
    """The main part of a page as `writer` has it; of the whole page where the choice would leave nothing of its text.

    The choice is made by `weights`, or those shipped.
    """
    prepared = prepare(source, url)
    about, notices = prepared.about, prepared.notices
    missing = missing_in(prepared.document, prepared.things, prepared.facts)
    written, page_type = _main_part(prepared, url, missing, writer, weights or shipped())
    if not written.text:
        written = _whole(unfolded(prepared.source), writer, url)
    stated = best_of(
        [*stated_in(prepared.things), *(embedded_in(prepared.sources, about.title) if len(written.text) < _LITTLE_CHARS else ())],
        written.text,
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
        dropped={kind: count for kind, count in prepared.pruner.dropped.items() if count},
        notices=notices,
        page_type=page_type,
    )


def rewritten(page: Page, page_format: PageFormat, writer: Writer) -> Page:
    """A page whose text is HTML of our own making, all of it as `writer` has it."""
    source, notices = without_excess(page.text)
    written = _whole(parse(source, positions=False), writer, page.url)
    return msgspec.structs.replace(
        page,
        text=written.text,
        outline=written.outline,
        links=written.links,
        format=page_format,
        notices=(*page.notices, *notices),
    )


def _whole(document: Document, writer: Writer, url: str) -> Written:
    """All that a document shows, in which there is nothing to choose."""
    Pruner(document).machinery()
    return writer(document, document.select_one("body") or document.root, url)


def _main_part(prepared: Prepared, url: str, missing: Missing, writer: Writer, weights: Weights) -> tuple[Written, PageType]:
    body, sight = prepared.document.find("body") or prepared.document.root, sight_of(prepared)
    if body is None or sight is None:
        return Written("", (), ()), ""
    page_type = type_of(sight, weights)
    region = thread_of(body)
    if region is None:
        region = body
        prepared.pruner.dropped.update(cut_to_main_part(sight, weights))
    elif (title := sight.title) is not None and _is_apart(title, region):
        region.insert(0, title.extract())
    missing.put_into(region)
    full_title = prepared.document.select_one("head > title")
    drop_masthead(
        region, prepared.about.title, f"{full_title.text if full_title is not None else ''} {host_of(prepared.address)}"
    )
    if page_type == "article":  # `Page.title` says it, wherever an article is shown
        prepared.pruner.dropped["title"] += drop_title(region, prepared.about.title)
    prepared.pruner.dropped["image"] += mend_images(region)
    return writer(prepared.document, region, url), page_type


def _is_apart(title: Element, region: Element) -> bool:
    return title != region and region not in title.ancestors and title not in region.ancestors
