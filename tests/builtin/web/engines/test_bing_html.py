"""Bing's pages: results, nothing found, a question whether we are human, a layout not known: never mistaken for each other."""

import base64

import pytest
from builtin.web.asking import query, search
from builtin.web.cases import bing_page, made
from hypothesis import given
from hypothesis import strategies as st

from limen.builtin.web.engines.bing_html import BingHtml, _target
from limen.core.web import Hit
from limen.testing.network import reply

pytestmark = pytest.mark.anyio
MAKE = made(BingHtml, keyed=False)


def wrapped(url):
    code = base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")
    return f"https://www.bing.com/ck/a?!&amp;&amp;p=0a1b&amp;u=a1{code}&amp;ntb=1"


async def test_redirect_links_are_decoded_and_advertisements_left_out():
    hits = [
        Hit("Ad", "https://www.bing.com/aclick?ld=x&u=a1aHR0cHM6Ly9hZC50ZXN0Lw", "Buy"),
        Hit("Gate", wrapped("https://alder.test/g?ö=1&b=2"), "A gate."),
        Hit("Plain", "https://birch.test/c", "Direct."),
    ]
    answer, (request,) = await search(MAKE, reply(bing_page(hits)), region="de", blocked_domains=("x.test",))
    asked = query(request)
    assert (asked["q"], asked["cc"], asked["mkt"]) == ("gates -site:x.test", "de", "de-DE")
    assert [(hit.title, hit.url) for hit in answer.hits] == [
        ("Gate", "https://alder.test/g?ö=1&b=2"),
        ("Plain", "https://birch.test/c"),
    ]


@pytest.mark.parametrize(
    "page",
    [
        '<div id="b_captcha">One last step</div>',
        '<script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script>',
        "<p>Our systems have detected unusual traffic</p>",
    ],
)
async def test_a_question_whether_we_are_human_is_a_block(page):
    answer, _ = await search(MAKE, reply(f"<html><body>{page}</body></html>"))
    assert answer.refusal.code == "search.provider_blocked"


@pytest.mark.parametrize(
    "page",
    [
        "",
        "<html></html>",
        "<html><body><ol id='b_results'><li class='result-v2'><h3><a href='https://a.test'>A</a></h3></li></ol></body></html>",
        "<html><body><ol id='b_results'><li class='b_algo'><h3>No link any more</h3></li></ol></body></html>",
        '{"results": []}',
        "\x00\x01\x02" * 100,
    ],
)
async def test_a_layout_that_is_not_known_is_said(page):
    answer, _ = await search(MAKE, reply(page))
    assert answer.refusal.code == "search.layout_changed"


async def test_results_that_quote_a_block_are_results():
    answer, _ = await search(MAKE, reply(bing_page([Hit("How to verify you are human", "https://a.test/", "unusual traffic")])))
    assert len(answer.hits) == 1


@given(st.text())
def test_a_link_of_any_kind_is_an_address_or_nothing(href):
    for link in (href, f"https://www.bing.com/ck/a?u={href}", f"https://www.bing.com/ck/a?u=a1{href}"):
        target = _target(link)
        assert target is None or target.startswith(("http://", "https://"))
