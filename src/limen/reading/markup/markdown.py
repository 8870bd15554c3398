"""A part of a page as Markdown: prepared in the tree, written by turbohtml, mended where text is the better place."""

import re
from collections.abc import Callable, Iterable

from turbohtml import Document, Element

from limen.reading.markup.addresses import mend_links, name_images, number, resolve
from limen.reading.markup.blocks import mend_blocks
from limen.reading.markup.cards import mend_cards
from limen.reading.markup.code import mend_code, separate_code
from limen.reading.markup.convert import write
from limen.reading.markup.definitions import mend_definitions
from limen.reading.markup.emphasis import carry_emphasis, write_emphasis
from limen.reading.markup.footnotes import mend_footnotes
from limen.reading.markup.formulas import mend_formulas, mend_tex
from limen.reading.markup.headings import drop_permalinks, mend_headings
from limen.reading.markup.lists import mend_lists, settle_items
from limen.reading.markup.outline import Marks
from limen.reading.markup.phrases import mend_phrases, set_apart
from limen.reading.markup.pictures import mend_pictures
from limen.reading.markup.signs import spare_signs
from limen.reading.markup.tables import mend_tables
from limen.reading.markup.white_space import mend_breaks, mend_styled_lines, plain_blanks, tidy
from limen.reading.markup.written import Written

# What is mended, in this order, where a page has one of the tags it is about.
_MENDS: tuple[tuple[frozenset[str], Callable[[Element], None]], ...] = (
    (frozenset(), mend_blocks),
    (frozenset(), mend_pictures),
    (frozenset({"a"}), mend_footnotes),
    (frozenset({"math"}), mend_formulas),
    (frozenset(), mend_tex),
    (frozenset(), mend_styled_lines),
    (frozenset(), mend_code),
    (frozenset({"ul", "ol", "menu", "dir", "dl", "blockquote"}), mend_lists),
    (frozenset({"table"}), mend_tables),
    (frozenset(), mend_breaks),
)
_WORDS: tuple[tuple[frozenset[str], Callable[[Element], None]], ...] = (
    (frozenset({"code", "tt", "kbd", "samp"}), separate_code),
    (frozenset({"ruby", "abbr", "acronym", "sup", "sub"}), mend_phrases),
    (frozenset({"a"}), mend_cards),
    (frozenset({"a"}), mend_links),
    (frozenset({"img"}), name_images),
    (frozenset({"li", "dl"}), settle_items),
    (frozenset(), set_apart),
)
# Rules before or behind everything divide nothing; the first would pass for the mark of a file's front matter.
_EDGES = re.compile(r"\A(?:---(?:\n+|\Z))+|(?:\n\n---)+\Z")


def write_markdown(document: Document, region: Element | None, url: str) -> Written:
    """The Markdown of what lies below `region`, with its outline."""
    if region is None:
        return Written("", (), ())
    for stray in region.select("title"):  # not written, so no heading may count on its text
        stray.extract()
    tags = frozenset(element.tag for element in region.iter_elements())
    marks = Marks()
    plain_blanks(region)
    drop_permalinks(region)
    resolve(document, region, url)
    region.extract()  # a table or a heading around it is no matter of its contents
    _mend(region, _MENDS, tags)
    mend_headings(region, marks)
    if "dl" in tags:
        mend_definitions(region, marks)
    _mend(region, _WORDS, tags)
    links = number(region)
    spare_signs(region)
    carry_emphasis(region)
    text, outline = marks.resolve(_EDGES.sub("", tidy(write_emphasis(write(region)))))
    return Written(text, outline, links)


def _mend(region: Element, mends: Iterable[tuple[frozenset[str], Callable[[Element], None]]], tags: frozenset[str]) -> None:
    for about, mend in mends:
        if not about or not about.isdisjoint(tags):
            mend(region)
