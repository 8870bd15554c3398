"""Headings: their words alone, once each."""

import pytest
from reading.markup.whole import markdown, written

COPIED = "<h1>Set up <button>Copy page</button></h1>"


@pytest.mark.parametrize(
    "tool",
    [
        "<a href=#x>¶</a>", "<a class=anchor href=#x>#</a>", "<a href=#x>Permalink</a>", "<a href=#x>Link to this heading</a>",
        "<button>Copy page</button>", "<span>Copy as Markdown</span>", "<div><span>Copied!</span></div>", "¶", " 🔗",
        "<a href='/edit?s=1'>edit</a>", "<span class=mw-editsection>[<a href='/w?action=edit'>modifier</a>]</span>",
        "<a href=#x><svg></svg></a>",
    ],
)  # fmt: skip
def test_tools_are_no_words_of_a_heading(tool):
    page = written(f"<h2 id=x>Set up {tool}</h2><p>a")
    assert page.text == "## Set up\n\na"
    assert [(heading.text, heading.anchor) for heading in page.outline] == [("Set up", "x")]


@pytest.mark.parametrize("words", ["Link", "Copy", "Edit", "Anchor", "C#", "Copy on write", "Edit a page"])
def test_a_heading_may_be_about_links_and_copies(words):
    for html in (words, f"<span>{words}</span>", f"<a href=#x>{words}</a>"):
        assert markdown(f"<h2 id=x>{html}</h2>") == f"## {words}"


def test_a_heading_that_is_a_tool_is_none():
    assert markdown("<h1>Copy as Markdown</h1><h1>Set up</h1>") == "# Set up"


@pytest.mark.parametrize("html", ["<b>Set</b> up", "<strong>Set up</strong>", "<b>Set</b><b>up</b>"])
def test_a_heading_has_no_bold_of_its_own(html):
    assert markdown(f"<h2>{html}</h2>") == "## Set up"


def test_a_heading_that_is_repeated_at_once_stands_once():
    page = written(
        "<h2>A</h2><div><h2 class=narrow>A</h2></div><p>b</p><h3>C</h3><h3>C</h3><h3>C</h3><h4>C</h4><p>d</p><h3>C</h3>"
    )
    assert page.text == "## A\n\nb\n\n### C\n\n#### C\n\nd\n\n### C"
    assert [(heading.level, heading.line) for heading in page.outline] == [(2, 1), (3, 5), (4, 7), (3, 11)]
