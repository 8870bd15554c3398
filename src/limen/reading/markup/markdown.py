"""A part of a page as Markdown: prepared in the tree, written by turbohtml, mended where text is the better place."""

from turbohtml import Document, Element

from limen.reading.markup.addresses import resolve
from limen.reading.markup.blanks import plain_blanks
from limen.reading.markup.blocks import mend_blocks
from limen.reading.markup.code import mend_code, separate_code
from limen.reading.markup.convert import write
from limen.reading.markup.definitions import mend_definitions
from limen.reading.markup.emphasis import carry_emphasis, write_emphasis
from limen.reading.markup.footnotes import mend_footnotes
from limen.reading.markup.formulas import mend_formulas, mend_tex
from limen.reading.markup.headings import (
    demote_notes,
    drop_permalinks,
    free_headings,
    headings_of,
    lift_links,
    mark_headings,
    mend_titles,
)
from limen.reading.markup.links import mend_links, number
from limen.reading.markup.lists import mend_lists
from limen.reading.markup.outline import Marks
from limen.reading.markup.phrases import mend_phrases, set_apart
from limen.reading.markup.signs import spare_signs
from limen.reading.markup.tables import mend_tables
from limen.reading.markup.tidy import tidy
from limen.reading.markup.white_space import mend_breaks, mend_styled_lines
from limen.reading.markup.written import Written


def write_markdown(document: Document, region: Element | None, url: str) -> Written:
    """The Markdown of what lies below `region`, with its outline."""
    if region is None:
        return Written("", (), ())
    for stray in region.select("title"):  # not written, so no heading may count on its text
        stray.extract()
    marks = Marks()
    plain_blanks(region)
    drop_permalinks(region)
    resolve(document, region, url)
    mend_blocks(region)
    mend_footnotes(region)
    mend_formulas(region)
    mend_tex(region)
    mend_styled_lines(region)
    mend_code(region)
    mend_lists(region)
    mend_breaks(region)
    mend_tables(region)
    headings = headings_of(region)
    lift_links(headings)
    free_headings(headings)
    demote_notes(headings)
    mend_titles(region)
    mark_headings(headings, marks)
    mend_definitions(region, marks)
    separate_code(region)
    mend_phrases(region)
    mend_links(region)
    set_apart(region)
    links = number(region)
    spare_signs(region)
    carry_emphasis(region)
    text, outline = marks.resolve(tidy(write_emphasis(write(region))))
    return Written(text, outline, links)
