"""HTML to a Page: describe, prune, choose, prepare, write, tidy, number."""

import re
from collections.abc import Callable

import msgspec
from turbohtml import Document, Element, parse

from limen.core.web import Heading, Link, Page
from limen.reading.addresses import mend_images, resolve
from limen.reading.blanks import plain_blanks
from limen.reading.code import mend_code, separate_code
from limen.reading.definitions import mend_definitions
from limen.reading.emphasis import carry_emphasis, mend_powers, write_emphasis
from limen.reading.excess import without_excess
from limen.reading.formulas import mend_formulas
from limen.reading.headings import (
    demote_notes,
    drop_permalinks,
    free_headings,
    headings_of,
    lift_links,
    mark_headings,
    mend_titles,
)
from limen.reading.links import number
from limen.reading.markdown import write
from limen.reading.metadata import describe
from limen.reading.outline import Marks
from limen.reading.prune import Pruner
from limen.reading.region import choose, drop_link_lists, title_of
from limen.reading.stated import FROM_DESCRIPTION, markup_of, tells_more
from limen.reading.tables import mend_tables
from limen.reading.tidy import tidy
from limen.reading.white_space import mend_breaks, mend_styled_lines

# References to the noncharacters that mark places during conversion, which `decode.clean` keeps out as characters.
_OUR_SIGNS = re.compile(r"&#(?:[xX]0*[fF][dD][dD][0-7](?![0-9a-fA-F])|0*649(?:7[6-9]|8[0-3])(?!\d));?")


class Written(msgspec.Struct, frozen=True):
    """A part of a page as it is written, with its outline and links."""

    text: str
    outline: tuple[Heading, ...]
    links: tuple[Link, ...]


# Prepares what lies below an element, which it may change, and writes it.
Writer = Callable[[Document, Element | None, str], Written]


def read_html(source: str, url: str, media_type: str, charset: str, writer: Writer) -> Page:
    """The main part of a page as `writer` has it; of the whole page where pruning would leave nothing of its text."""
    if "&#" in source:
        source = _OUR_SIGNS.sub("\ufffd", source)
    source, notices = without_excess(source)
    document = parse(source, positions=False)
    about = describe(document, url)
    pruner = Pruner(document)
    pruner.machinery()
    written = _main_part(document, pruner, url, about.title, writer)
    if not written.text:
        whole = parse(source, positions=False)
        Pruner(whole).machinery()
        written = writer(whole, whole.select_one("body") or whole.root, url)
    if tells_more(about.body, written.text):
        notices = (*notices, FROM_DESCRIPTION)
        written = _described(about.body, writer, url)
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


def _described(stated: str, writer: Writer, url: str) -> Written:
    document = parse(markup_of(stated), positions=False)
    Pruner(document).machinery()
    return writer(document, document.select_one("body") or document.root, url)


def _main_part(document: Document, pruner: Pruner, url: str, stated_title: str, writer: Writer) -> Written:
    body = document.find("body") or document.root
    if body is None:
        return Written("", (), ())
    pruner.frame(body)
    title = title_of(document, stated_title)
    region = choose(document, title, pruner.chars_total)
    if region is None:
        return Written("", (), ())
    lists = 0 if region.closest("main,[role=main]") is not None else drop_link_lists(region)
    if lists:
        pruner.dropped["links"] += lists
    if title is not None and title.text.strip() and _is_apart(title, region):
        region.insert(0, title.extract())
    images = mend_images(region)
    if images:
        pruner.dropped["image"] += images
    return writer(document, region, url)


def _is_apart(title: Element, region: Element) -> bool:
    return title != region and region not in title.ancestors and title not in region.ancestors


def write_markdown(document: Document, region: Element | None, url: str) -> Written:
    """The Markdown of what lies below `region`, with its outline."""
    if region is None:
        return Written("", (), ())
    for stray in region.select("title"):  # not written, so no heading may count on its text
        stray.extract()
    plain_blanks(region)
    marks = Marks()
    drop_permalinks(region)
    resolve(document, region, url)
    mend_formulas(region)
    mend_styled_lines(region)
    mend_code(region)
    mend_breaks(region)
    headings = headings_of(region)
    lift_links(headings)
    free_headings(headings)
    demote_notes(headings)
    mend_titles(region)
    mark_headings(headings, marks)
    mend_tables(region)
    mend_definitions(region, marks)
    separate_code(region)
    mend_powers(region)
    links = number(region)
    carry_emphasis(region)
    text, outline = marks.resolve(tidy(write_emphasis(write(region))))
    return Written(text, outline, links)
