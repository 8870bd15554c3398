"""Bodies laid out: every text in one block, blocks of a part side by side, whatever the markup."""

from hypothesis import given, settings
from hypothesis import strategies as st
from turbohtml import parse

from limen.reading.region.layout import Layout


def laid_out(html):
    return Layout(parse(f"<body>{html}", positions=False).find("body"))


def texts(html):
    return [block.text for block in laid_out(html).blocks]


def test_blocks_are_what_a_reader_would_point_at():
    html = "<h1>Title <b>bold</b></h1><p>One <a href=x>link</a>.</p><ul><li>a<ul><li>b</ul><li>c</ul>loose <i>text</i>"
    assert texts(html) == ["Title bold", "One link.", "a", "b", "c", "loose text"]


def test_links_are_counted_within_their_block():
    (block,) = laid_out("<p>See <b><a href=x>the whole</a></b> or <a href=y>part</a></p>").blocks
    assert block.link_chars == len("the whole") + len("part")


def test_inline_elements_around_blocks_are_parts():
    layout = laid_out("<a href=x><h3>Name</h3><span>9 €</span></a>")
    assert [block.text for block in layout.blocks] == ["Name", "9 €"]
    assert "a" in {part.tag for part in layout.parts}


def test_tables_of_data_are_one_block_and_those_that_lay_out_are_many():
    assert texts("<table><tr><th>a<th>b<tr><td>1<td>2</table>") == ["a b 1 2"]
    assert texts("<table role=presentation><tr><td>a<td>b</table>") == ["a", "b"]


def test_images_alone_are_blocks_without_text():
    assert [(block.kind, block.chars) for block in laid_out("<p>a</p><div><img src=x></div>").blocks] == [("p", 1), ("img", 0)]


TAGS = ("div", "p", "ul", "li", "a", "h2", "span", "table", "tr", "td", "x-y", "pre")
PIECES = st.lists(
    st.sampled_from([*(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS), "<img src=i>", "<br>", "word ", "more"]),
    max_size=50,
)


@given(PIECES)
@settings(max_examples=300)
def test_any_markup_is_laid_out_whole(pieces):
    document = parse(f"<body>{''.join(pieces)}", positions=False)
    body = document.find("body")
    layout = Layout(body)
    squeezed = "".join(block.text for block in layout.blocks).replace(" ", "")
    assert squeezed == "".join(body.text.split())
    for index, part in enumerate(layout.parts):
        assert index < part.end <= len(layout.parts)
        assert all(part.first <= i < part.last for i, block in enumerate(layout.blocks) if block.part == index)
        assert part.chars == sum(block.chars for block in layout.blocks[part.first : part.last])
        if index:
            assert part.up < index < layout.parts[part.up].end
