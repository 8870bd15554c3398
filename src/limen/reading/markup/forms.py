"""A page's main part in another form than Markdown: as text without marks, or as HTML that runs nothing."""

import re
from collections.abc import Mapping

from turbohtml import Document, Element, PlainText, Text
from turbohtml.clean import OnDisallowed, Policy, sanitize_node

from limen.core.web import PageFormat
from limen.reading.markup.addresses import number, resolve
from limen.reading.markup.blocks import mend_blocks
from limen.reading.markup.code import mend_code
from limen.reading.markup.convert import without_signs
from limen.reading.markup.footnotes import mend_footnotes
from limen.reading.markup.formulas import mend_formulas, mend_tex
from limen.reading.markup.headings import drop_permalinks
from limen.reading.markup.lists import mend_lists
from limen.reading.markup.markdown import write_markdown
from limen.reading.markup.phrases import mend_phrases, set_apart
from limen.reading.markup.pictures import mend_pictures
from limen.reading.markup.tables import mend_tables
from limen.reading.markup.white_space import plain_blanks, tidy
from limen.reading.markup.written import Writer, Written

_TEXT = PlainText(images=True, bullet="- ")
_WHITE = re.compile(r"[ \t]+$", re.MULTILINE)
# What says something about a document. Whatever else there is keeps its text and loses its tag.
_TAGS = frozenset(
    """a abbr article b bdi bdo blockquote br caption cite code col colgroup data dd del details dfn div dl dt em figcaption
    figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li main mark ol p pre q rp rt ruby s samp section small span strong sub summary
    sup table tbody td tfoot th thead time tr u ul var wbr""".split()  # noqa: SIM905 - a list of 60 strings
)
_ATTRIBUTES: Mapping[str, frozenset[str]] = {
    "*": frozenset({"id", "lang", "dir"}),
    "a": frozenset({"href"}),
    "abbr": frozenset({"title"}),
    "code": frozenset({"class"}),  # where pages say a listing's language
    "pre": frozenset({"class"}),
    "data": frozenset({"value"}),
    "dfn": frozenset({"title"}),
    "img": frozenset({"src", "alt", "width", "height"}),
    "ol": frozenset({"start", "type", "reversed"}),
    "td": frozenset({"colspan", "rowspan", "headers"}),
    "th": frozenset({"colspan", "rowspan", "headers", "scope"}),
    "time": frozenset({"datetime"}),
}
_POLICY = Policy(
    tags=_TAGS,
    attributes=_ATTRIBUTES,
    url_schemes=frozenset({"http", "https", "mailto"}),
    allow_fragment_urls=True,
    on_disallowed_tag=OnDisallowed.STRIP,
    remove_with_content=frozenset({"script", "style", "template", "iframe", "object", "embed", "noscript", "textarea", "title"}),
)


def write_text(document: Document, region: Element | None, url: str) -> Written:
    """The words alone: blocks apart, lists with hyphens, tables in columns, no addresses. Links are numbered beside it."""
    if region is None:
        return Written("", (), ())
    plain_blanks(region)
    drop_permalinks(region)
    resolve(document, region, url)
    mend_blocks(region)
    mend_pictures(region)
    mend_footnotes(region, sign="")
    mend_formulas(region)
    mend_tex(region)
    mend_code(region)
    mend_lists(region)
    mend_tables(region)
    mend_phrases(region)
    set_apart(region)
    for quoted in region.select("q"):
        quoted.insert(0, Text('"'))
        quoted.append(Text('"'))
    links = number(region)
    return Written(tidy(_WHITE.sub("", without_signs(region.to_text(_TEXT)))), (), links)


def write_html(document: Document, region: Element | None, url: str) -> Written:
    """HTML with absolute addresses, without scripts, styles, handlers or frames. It is sanitised, so that it may be shown."""
    if region is None:
        return Written("", (), ())
    resolve(document, region, url)
    mend_formulas(region)
    mend_code(region)
    links = number(region)
    return Written(without_signs(sanitize_node(region, _POLICY).serialize()).strip(), (), links)


WRITERS: Mapping[PageFormat, Writer] = {"markdown": write_markdown, "text": write_text, "html": write_html}
