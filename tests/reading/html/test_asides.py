"""Questions about a page and links that say "more" are no part of it; what only they lead to is kept."""

import pytest

from limen.reading import read

WORDS = "A brass lamp with a glass chimney burns for three nights without being tended, if the wick was trimmed before."


def page(body):
    return read(
        f"<body><main><h1>Lamps</h1><p>{WORDS}</p>{body}<p>The end of it.</p></main></body>",
        "https://lamps.example/",
        "text/html",
    )


@pytest.mark.parametrize(
    "asked",
    [
        "<div><h2>Was this page helpful?</h2><p>Yes No</p><p>Thanks for your feedback!</p></div>",
        "<p>Was this helpful?</p>",
        "<section><span>Did you find this article useful?</span><a href='#y'>Yes</a> <a href='#n'>No</a></section>",
        "<div>How helpful was this page? <a href='/why'>Tell us</a></div>",
        "<div><p>War diese Seite hilfreich?</p></div>",
    ],
)
def test_whether_a_page_was_of_help_is_not_asked_of_its_reader(asked):
    read_ = page(asked)
    assert read_.text == f"# Lamps\n\n{WORDS}\n\nThe end of it."
    assert read_.dropped["question"] == 1


def test_a_text_on_what_is_helpful_is_kept():
    said = f"Was this lamp useful? The keepers said so, since it had burned through the storm. {WORDS} {WORDS}"
    assert said in page(f"<p>{said}</p>").text


@pytest.mark.parametrize("more", ["Read more", "Show more…", "Learn More »", "Weiterlesen", "See all"])
def test_a_link_to_more_goes_where_another_leads_to_the_same(more):
    linked = f'<h2><a href="/wicks">All on wicks</a></h2><p>In short.</p><p><a href="/wicks">{more}</a></p>'
    assert "## [All on wicks](https://lamps.example/wicks)\n\nIn short.\n\nThe end" in page(linked).text
    assert f"({'https://lamps.example/oil'})" in page(f'<h2>On oil</h2><p><a href="/oil">{more}</a></p>').text


def test_what_unfolds_a_text_is_no_text():
    assert page(f"<div><p>{WORDS[::-1]}</p><span>Show more</span></div>").text.count("Show more") == 0
    assert "Show more lamps than one" in page("<p>Show more lamps than one</p>").text
