"""What is kept of a page, given how likely each block is."""

from hypothesis import given
from hypothesis import strategies as st
from turbohtml import parse

from limen.reading.region.choice import best_whole, choose
from limen.reading.region.layout import Layout
from limen.reading.region.surroundings import Surroundings
from limen.reading.region.traits import Traits


def chosen(html, odds=None, article=0.0, **options):
    """Each text of a page with whether it is kept; `odds` answers how likely a text is."""
    layout = Layout(parse(f"<body>{html}", positions=False).find("body"))
    around = Surroundings(layout)
    values = [odds(block.text) for block in layout.blocks] if odds else []
    kept = choose(layout, around, Traits(layout, around, "", ""), values, article, **options)
    return [(block.text, keep) for block, keep in zip(layout.blocks, kept, strict=True)]


def kept_of(html, odds, article=0.0):
    """The texts kept where `odds` answers how likely a text is; enough other texts stand around for odds to count."""
    html += "".join(f"<section><div>aside {n}</div></section>" for n in range(60))
    found = chosen(html, lambda text: -9.0 if text.startswith("aside") else odds(text), article)
    return [text for text, keep in found if keep]


@given(st.lists(st.tuples(st.floats(-20, 20), st.integers(1, 50)), min_size=1, max_size=30))
def test_the_best_whole_is_a_top_of_the_likeliest(blocks):
    odds, sizes = [odd for odd, _ in blocks], [size for _, size in blocks]
    kept = best_whole(odds, sizes)
    assert any(kept)
    assert min(odd for odd, keep in zip(odds, kept, strict=True) if keep) >= max(
        (odd for odd, keep in zip(odds, kept, strict=True) if not keep), default=-99
    )


def test_the_best_whole_of_sure_blocks_is_all_of_them():
    assert best_whole([9, 9, -9, 9], [5, 1, 50, 3]) == [True, True, False, True]
    assert best_whole([0, 0], [0, 0]) == [False, False]


def test_a_list_is_kept_or_dropped_whole():
    items = "<ul><li>long item of the list number one<li>long item of the list number two<li>odd</ul>"
    assert "odd" in kept_of(f"<p>text</p>{items}", lambda text: -9.0 if text == "odd" else 5.0)
    assert "odd" not in kept_of(f"<p>text</p>{items}", lambda text: 5.0 if text in {"odd", "text"} else -9.0)


def test_a_heading_goes_with_its_section():
    rest = "words " * 20
    page = f"<h2>Kept</h2><p>text</p><h2>Lost</h2><h3>Under it</h3><div>{rest}</div>"
    assert kept_of(page, lambda text: -9.0 if text == rest.strip() else 5.0) == ["Kept", "text"]


def test_a_paragraph_in_the_midst_of_a_text_is_kept():
    text = "".join(f"<p>paragraph {n} of some length</p>" for n in range(9))
    assert len(kept_of(text, lambda text: -1.0 if "4" in text else 3.0)) == 9


def test_a_table_among_paragraphs_is_kept_with_them():
    text = "<p>one paragraph of some length</p><figure><table><tr><th>a<th>b<tr><td>1<td>2</table></figure><p>another of them</p>"
    assert "a b 1 2" in kept_of(text, lambda text: -1.0 if text == "a b 1 2" else 3.0)


def test_a_table_of_data_stays_where_the_text_stands():
    figures = "<table><tr><td>lamp<td>12<tr><td>wick<td>7<tr><td>oil<td>31</table>"
    links = figures.replace("<td>", '<td><a href="/x">')
    text = "<div>" + "<p>one paragraph of some length</p>" * 3 + "</div>"
    for table, is_kept in ((figures, True), (links, False), (figures.replace("<tr><td>oil<td>31", ""), False)):
        kept = kept_of(f"<main>{text}<div>{table}</div>{text}</main>", lambda text: -3.0 if "lamp" in text else 5.0)
        assert any("lamp" in text for text in kept) is is_kept


def test_the_title_is_always_kept():
    assert kept_of("<div><h1>Title</h1></div><p>text</p>", lambda text: 9.0 if text == "text" else -9.0) == ["Title", "text"]


def test_without_odds_the_rules_decide():
    assert chosen("<nav>menu</nav><p>text</p>") == [("menu", False), ("text", True)]


def test_an_articles_odds_are_set_by_those_of_its_text():
    text = "".join(f"<p>paragraph {n} of the story, at some length</p>" for n in range(6))
    page = f"<main>{text}<section><div>teaser of another story</div></section></main>"
    for own, other, is_kept in ((6.0, 1.0, False), (-2.0, -2.5, True)):
        kept = kept_of(page, lambda text, own=own, other=other: own if "paragraph" in text else other, article=0.9)
        assert sum("paragraph" in text for text in kept) == 6
        assert ("teaser of another story" in kept) is is_kept


def test_around_the_text_of_a_manual_go_only_short_and_unlikely_pieces():
    prose = "What this function does is told here at enough length to be read as prose by whoever looks for the text of it. " * 2
    page = f"<div>Edit page</div><h1>open</h1><p>{prose}</p><div>flags</div><p>{prose}</p><h2>See also</h2>"
    page += "<p>close</p><div>Yes No</div>"
    unlikely = {"Edit page", "flags", "Yes No"}
    found = chosen(page, lambda text: -2.0 if text in unlikely else -0.5, is_manual=True)
    assert [text for text, keep in found if not keep] == ["Edit page", "Yes No"]


def test_a_sure_article_is_kept_without_comments_captions_and_lines_that_lead_elsewhere():
    page = (
        '<p>first of the text</p><p><a href="/o">Read more: another story</a></p>'
        '<figure><figcaption>caption</figcaption></figure><p>second <a href="/t">of</a> the text</p>'
        '<h2><a href="#s">Section</a></h2><p>third</p>'
        '<div class="comment-list"><p>no it is not</p></div><div id="comments"><p>yes it is</p></div>'
    )
    kept = ["first of the text", "second of the text", "Section", "third"]
    assert kept_of(page, lambda _: 5.0, article=0.9) == kept
    assert len(kept_of(page, lambda _: 5.0, article=0.5)) == len(kept) + 4


def test_comments_that_are_nearly_all_there_is_are_kept():
    comments = "".join(f'<div class="comment"><p>what voice {n} says of it at some length</p></div>' for n in range(9))
    kept = kept_of(f"<p>look</p><div>{comments}</div>", lambda _: 5.0, article=0.9)
    assert sum("what voice" in text for text in kept) == 9
