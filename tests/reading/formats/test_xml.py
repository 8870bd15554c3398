"""XML stays as it is where it can be read, is laid out where not, and nothing in it is ever expanded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.reading import read
from limen.reading.formats.tree import tokens, tree_of
from limen.reading.formats.xml import laid_out

BOMB = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY x SYSTEM "file:///etc/passwd">]><l><t>&b;</t><t>&x;</t></l>'
)


def test_what_has_lines_keeps_them():
    text = "<?xml version='1.0'?>\n<note>\n    <title>Lamp &amp; oil</title>\n</note>"
    page = read(text)
    assert (page.text, page.title, page.media_type) == (text, "Lamp & oil", "application/xml")


def test_what_came_in_one_line_is_laid_out():
    text = f'<?xml version="1.0"?><a><b c="1"><d/><e>t &amp; u</e></b><p>x <i>y</i> z</p><f></f><!-- c -->{"<g/>" * 100}</a>'
    shown = read(text).text
    assert shown.startswith(
        '<?xml version="1.0"?>\n<a>\n  <b c="1">\n    <d/>\n    <e>t &amp; u</e>\n  </b>\n'
        "  <p>x <i>y</i> z</p>\n  <f></f>\n  <!-- c -->\n"
    )
    assert shown.endswith("  <g/>\n</a>")


def test_entities_of_a_document_are_not_expanded():
    assert "&b;" in laid_out(BOMB)
    assert tree_of(BOMB).text() == "&b;&x;"
    assert "haha" not in read(BOMB).text


def test_a_picture_says_its_words():
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><title>%3</title>'
        "<title>Two lamps</title><desc>Drawn in 1920</desc>"
        "<text>On<tspan> top</tspan></text><path d='M0 0'/><text></text></svg>"
    )
    page = read(svg.encode(), "https://e.example/l.svg", "image/svg+xml")
    assert page.text == "SVG picture, 40 × 30.\n\n# Two lamps\n\nDrawn in 1920\n\n- On top"
    assert (page.title, page.media_type) == ("Two lamps", "image/svg+xml")


@pytest.mark.parametrize("nested", ["<g>", "<text>x"])
def test_a_picture_of_elements_nested_without_end_is_taken(nested):
    page = read(f'<svg xmlns="http://www.w3.org/2000/svg">{nested * 300_000}<text>last', "", "image/svg+xml")
    assert page.text.startswith("SVG picture.")


@given(
    st.lists(
        st.sampled_from(["<a>", "</a>", "<b c='", '"', ">", "<!--", "-->", "<![CDATA[", "]]>", "<?", "&lt;", "x", "<!DOCTYPE ["])
    )
)
def test_tokens_are_the_whole_source(parts):
    source = "".join(parts)
    assert "".join(token.source for token in tokens(source)) == source
    tree_of(source)
    laid_out(source)


@pytest.mark.parametrize(
    "part", ["<!--", '<a "', '<a b="', "<a>", "<![CDATA[", "<!DOCTYPE a [", '<!DOCTYPE "', "</a>", "<", "<a></b>", "&x;", "<?"]
)
def test_hostile_xml_is_taken(part):
    source = part * 50_000
    tree_of(source)
    laid_out(source)
    read(f"<?xml version='1.0'?><a>{source}", "x.xml", "text/xml")
