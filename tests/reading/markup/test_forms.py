"""A page as text and as HTML: the words stay, marks or scripts go."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from turbohtml import parse

from limen.reading import read
from limen.reading.markup.unmarked import without_marks

PAGE = """<html><head><title>Tea</title><base href="https://tea.example/docs/"><style>p{}</style></head><body>
<nav><a href="/a">Home</a></nav><main><h1 onclick="x()">Tea</h1>
<p style="color:red" class="lead">Steep <b>it</b> for <a href="four#x" onmouseover="y()">four</a> minutes, &lt;not&gt; five.</p>
<script>alert(1)</script><iframe src="https://evil.example/"></iframe><!-- secret -->
<ul><li>black<li>green <a href="javascript:alert(2)">now</a></ul>
<table><tr><th>kind<th>minutes<tr><td>black<td>4</table>
<pre><code class="language-bash">boil  --water
</code></pre><img src="/cup.png" alt="a cup" onerror="z()"><svg onload="w()"><circle/></svg>
<form action="https://evil.example/"><input name="q"><button>Go</button></form>
<p>Serve it warm. Serve it warm to those who wait.</p></main></body></html>"""


def test_html_is_the_main_part_that_runs_nothing():
    page = read(PAGE, "https://tea.example/x", "text/html", "html")
    assert page.format == "html"
    assert (page.title, page.outline) == ("Tea", ())
    for gone in (
        "script",
        "onclick",
        "onerror",
        "style",
        "iframe",
        "secret",
        "javascript:",
        "evil.example",
        "svg",
        "<form",
        "nav",
    ):
        assert gone not in page.text
    assert '<a href="https://tea.example/docs/four#x">four</a>' in page.text
    assert '<img src="https://tea.example/cup.png" alt="a cup">' in page.text
    assert "<h1>Tea</h1>" in page.text
    assert "&lt;not&gt;" in page.text
    assert '<code class="language-bash">boil  --water</code>' in page.text
    assert [(link.n, link.url) for link in page.links] == [(1, "https://tea.example/docs/four#x")]


def test_text_is_the_words_alone():
    page = read(PAGE, "https://tea.example/x", "text/html", "text")
    assert page.format == "text"
    assert "Steep it for four minutes, <not> five." in page.text
    assert "- black\n- green now" in page.text
    assert re.search(r"black +4", page.text)
    assert "boil  --water" in page.text
    assert not re.search(r"\*\*|\]\(|^#|```|alert", page.text, re.MULTILINE)
    assert page.links[0].url == "https://tea.example/docs/four#x"


def test_markdown_stays_what_it_was():
    assert read(PAGE, "https://tea.example/x", "text/html").format == "markdown"


@pytest.mark.parametrize(
    ("source", "kind", "wanted", "got"),
    [
        ("# A\n\n*b*\n", "text/markdown", "text", "text"),
        ("# A\n\n*b*\n", "text/markdown", "html", "markdown"),
        ("plain *b*", "text/plain", "text", "text"),
        ("plain *b*", "text/plain", "html", "markdown"),
        ('{"a": 1}', "application/json", "text", "text"),
    ],
)
def test_what_is_no_html_becomes_text_at_most(source, kind, wanted, got):
    page = read(source, "https://x.example/", kind, wanted)
    assert page.format == got
    assert ("*b*" in page.text) == ("*b*" in source and (kind == "text/plain" or got == "markdown"))


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("# Title #", "Title"),
        ("## C# and F#", "C# and F#"),
        ("a **b** and *c* and ***d*** and ~~e~~", "a b and c and d and e"),
        ("snake_case_name and _word_ and __strong__", "snake_case_name and word and strong"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("[text](https://x.example/a_(b)) and ![alt](https://x.example/i.png)", "text and alt"),
        ("[![alt](https://x.example/i.png)](https://x.example/)", "alt"),
        ("<https://x.example/>", "https://x.example/"),
        (r"\*not\* \[a\](b)", "*not* [a](b)"),
        ("use `a*b*c` and ``x ` y``", "use a*b*c and x ` y"),
        ("> quoted\n> more", "quoted\nmore"),
        ("* one\n  + two\n- three\n1. four", "- one\n  - two\n- three\n1. four"),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a  b\n\n1  2"),
        ("x\n\n---\n\ny", "x\n\n\n\ny"),
        ("```sh\nls *.py  # all\n```\nafter", "ls *.py  # all\nafter"),
        ("````\n```\n````", "```"),
        ("```\nnever closed *a*", "never closed *a*"),
        ("", ""),
    ],
)
def test_marks_go_and_words_stay(markdown, plain):
    assert without_marks(markdown) == plain


@given(st.text(alphabet="ab *_~`[]()<>!\\#>|-\n.:/", max_size=200))
def test_no_letter_is_lost_that_is_no_address(markdown):
    kept = re.sub(r"\]\([^\n]*?\)|```[^\n]*|~~~[^\n]*", "", markdown)
    plain = without_marks(markdown)
    assert plain.count("\n") <= markdown.count("\n")
    if "(" not in markdown and "`" not in markdown and "~" not in markdown and "<" not in markdown:
        assert re.sub(r"[^ab]", "", plain) == re.sub(r"[^ab]", "", kept)


@pytest.mark.parametrize("sign", ["*", "_", "[", "`", "**", "![", "~~", "<", "\\", "> ", "| ", "[a](", "(", "***a "])
def test_one_sign_many_times_is_read_through(sign):
    assert isinstance(without_marks(sign * 20_000), str)


SOUP = [
    "<p>w", "<a href='javascript:x'>", "<a href='/r'>t</a>", "<script>x", "</script>", "<svg/onload=x>", "<img src=x onerror=x>",
    "<math><mtext><style><!--</style><img title='--><script>x</script>'>", "<style>", "</p>", "<iframe srcdoc='<script>'>",
    "<a href=' &#106;avascript:x'>k</a>", "<table><td>", "<noscript><p title='</noscript><img src=x onerror=x>'>",
    "&lt;script&gt;",
]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(SOUP), max_size=12))
def test_html_of_anything_at_all_runs_nothing(pieces):
    page = read("<main>" + "".join(pieces) + "<p>some words to read here</p></main>", "https://x.example/", "text/html", "html")
    tree = parse(page.text)
    assert tree.select("script,iframe,style,svg,object,embed,form") == []
    for element in tree.select("*"):
        assert not [name for name in element.attrs if name.startswith("on")]
        for name in ("href", "src"):
            assert "script:" not in (element.attr(name) or "").lower()
