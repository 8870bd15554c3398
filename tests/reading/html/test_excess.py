"""What no page has in earnest is taken out before parsing, and nothing else is."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from limen.reading import read
from limen.reading.html.excess import HTML_LIMIT_CHARS, without_bulk, without_excess

HTML = "text/html"


def test_contents_of_scripts_and_styles_go_and_what_is_read_stays():
    source = (
        "<p>a</p><SCRIPT src=x>var a = '<p>no</p>';</SCRIPT><style>p{}</style><!-- <p>no</p> --><p>b</p>"
        '<script type="application/ld+json">{"a": 1}</script><script type="math/tex">x^2</script><scripted>c</scripted>'
    )
    assert without_bulk(source) == (
        "<p>a</p><SCRIPT src=x></SCRIPT><style></style><p>b</p>"
        '<script type="application/ld+json">{"a": 1}</script><script type="math/tex">x^2</script><scripted>c</scripted>'
    )


@pytest.mark.parametrize("end", ["<!--" * 200_000, "<script>" * 200_000, "<style>x" * 100_000, "<script " * 100_000])
def test_what_never_ends_is_left_to_the_parser(end):
    assert without_bulk(f"<p>a</p>{end}") == f"<p>a</p>{end}"


PIECES = st.sampled_from(["<p>", "word", "<!--", "-->", "<script>", "</script>", "<style a=b>", "</style>", " "])


@given(st.lists(PIECES, max_size=20))
@example(["<script>", "<!--", "<script>", "</script>", "word"])  # a script within a script, which only the parser knows
def test_no_word_of_the_page_is_lost_with_its_bulk(parts):
    source = "".join(parts)
    shown, whole = read(without_bulk(source), "", HTML).text, read(source, "", HTML).text
    assert shown.count("word") >= whole.count("word")
    assert shown == whole or "<script>" in parts


def test_a_page_over_the_limit_is_read_where_scripts_make_it_so_large():
    script = "<script>" + "x" * HTML_LIMIT_CHARS + "</script>"
    assert read(f"<p>before</p>{script}<p>after</p>".encode(), "", HTML).text == "before\n\nafter"


@pytest.mark.parametrize("part", ["<p>" + "word " * 400_000, "<hr>" * 60_000])
def test_of_a_page_that_is_too_long_the_beginning_is_read_and_that_is_said(part):
    source, notices = without_excess(part * 12)
    assert source
    assert (part * 12).startswith(source)
    assert notices == (f"Only the beginning of the page was read: {len(source):,} of {len(part) * 12:,} characters of HTML.",)


def test_ordinary_pages_are_not_looked_at():
    source = "<b>x</b>" * 40_000
    assert without_excess(source) == (source, ())


@pytest.mark.parametrize(
    ("source", "said"),
    [("<b class=x>x" * 120_000, "emphasis"), ("<table><tr><td>x" * 40_000, "tables"), ("<EM>x</EM>" * 60_000, "emphasis")],
)
def test_tags_beyond_reason_go_and_their_text_stays(source, said):
    page = read(source, "", HTML)
    assert page.text.count("x") == source.count(">x")
    assert said in page.notices[0]
