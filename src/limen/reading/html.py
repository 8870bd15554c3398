"""HTML to a Page: describe, prune, choose, prepare, write, tidy, number."""

import re

import msgspec
from turbohtml import Document, Element, parse

from limen.core.web import Heading, Link, Page
from limen.reading.addresses import mend_images, resolve
from limen.reading.code import mend_code, separate_code
from limen.reading.definitions import mend_definitions
from limen.reading.emphasis import carry_emphasis, mend_powers, write_emphasis
from limen.reading.formulas import mend_formulas
from limen.reading.headings import demote_notes, drop_permalinks, free_headings, lift_links, mark_headings, mend_titles
from limen.reading.links import number
from limen.reading.markdown import write
from limen.reading.metadata import describe
from limen.reading.outline import Marks
from limen.reading.prune import Pruner
from limen.reading.region import choose, drop_link_lists, title_of
from limen.reading.tables import mend_tables
from limen.reading.tidy import tidy

# What no reader sees as more than a blank, or at all: fixed and typographic spaces; soft hyphens, zero-width spaces, marks.
_SPACES = "\xa0\u2002\u2003\u2009\u200a\u202f"
_UNSEEN = "\xad\u200b\u2060\ufeff"
_SPACE_REFERENCES = re.compile(
    r"&(?:nbsp|ensp|emsp|thinsp|hairsp);|&#(?:160|8194|8195|8201|8202|8239|[xX]0*(?:[aA]0|200[239aA]|202[fF]));"
)
_UNSEEN_REFERENCES = re.compile(
    r"&(?:shy|ZeroWidthSpace|NoBreak);|&#(?:173|8203|8288|65279|[xX]0*(?:[aA][dD]|200[bB]|2060|[fF][eE][fF]{2}));"
)
# References to the noncharacters that mark places during conversion, which `decode.clean` keeps out as characters.
_OUR_SIGNS = re.compile(r"&#(?:[xX]0*[fF][dD][dD][0-5](?![0-9a-fA-F])|0*649(?:7[6-9]|8[01])(?!\d));?")


class Written(msgspec.Struct, frozen=True):
    """A part of a page as Markdown, with its outline and links."""

    text: str
    outline: tuple[Heading, ...]
    links: tuple[Link, ...]


def read_html(source: str, url: str, media_type: str, charset: str) -> Page:
    """The main part of a page as Markdown; of the whole page where pruning would leave nothing of its text."""
    source = _plain_spaces(source)
    document = parse(source, positions=False)
    about = describe(document, url)
    pruner = Pruner(document)
    pruner.machinery()
    written = _main_part(document, pruner, url, about.title)
    if not written.text:
        whole = parse(source, positions=False)
        Pruner(whole).machinery()
        written = _write(whole, whole.select_one("body") or whole.root, url)
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
    )


def _plain_spaces(source: str) -> str:
    for space in _SPACES:
        if space in source:
            source = source.replace(space, " ")
    for unseen in _UNSEEN:
        if unseen in source:
            source = source.replace(unseen, "")
    if "&" in source:
        source = _UNSEEN_REFERENCES.sub("", _SPACE_REFERENCES.sub(" ", source))
    return _OUR_SIGNS.sub("\ufffd", source) if "&#" in source else source


def _main_part(document: Document, pruner: Pruner, url: str, stated_title: str) -> Written:
    body = document.select_one("body") or document.root
    if body is None:
        return Written("", (), ())
    pruner.frame(body)
    title = title_of(document, stated_title)
    region = choose(document, title)
    if region is None:
        return Written("", (), ())
    lists = 0 if region.closest("main,[role=main]") is not None else drop_link_lists(region)
    if lists:
        pruner.dropped["links"] += lists
    if title is not None and region not in title.ancestors and title.text.strip():
        region.insert(0, title.extract())
    images = mend_images(region)
    if images:
        pruner.dropped["image"] += images
    return _write(document, region, url)


def _write(document: Document, region: Element | None, url: str) -> Written:
    if region is None:
        return Written("", (), ())
    marks = Marks()
    drop_permalinks(region)
    resolve(document, region, url)
    mend_formulas(region)
    mend_code(region)
    lift_links(region)
    free_headings(region)
    demote_notes(region)
    mend_titles(region)
    mark_headings(region, marks)
    mend_tables(region)
    mend_definitions(region, marks)
    separate_code(region)
    mend_powers(region)
    links = number(region)
    carry_emphasis(region)
    text, outline = marks.resolve(tidy(write_emphasis(write(region))))
    return Written(text, outline, links)
