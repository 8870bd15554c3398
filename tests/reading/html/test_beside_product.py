"""A shop's page is read for the one thing that it sells."""

import json

import pytest

from limen.reading import read

WORDS = "A brass lamp with a glass chimney that burns for three nights without being tended, made by hand in the harbour."
OTHER = '<div class="item"><h3><a href="/rope">Hemp rope</a></h3><p>Ten fathoms of the best that there is, tarred.</p></div>'
SENT = "<p>We send within two days, and take back whatever is whole.</p>"
OFFER = {"@type": "Product", "name": "Storm lamp", "offers": {"@type": "Offer", "price": "29.00", "priceCurrency": "EUR"}}


def page(body, *things):
    data = "".join(f'<script type="application/ld+json">{json.dumps(thing)}</script>' for thing in things)
    html = f"<html><head><title>Storm lamp</title>{data}</head><body><h1>Storm lamp</h1><p>{WORDS}</p>{body}</body></html>"
    return read(html, "https://shop.example/p/storm-lamp", "text/html")


@pytest.mark.parametrize(
    "body",
    [
        f"<section><h2>You may also like</h2>{OTHER * 3}</section>",
        f"<div><div><h2>Related products</h2></div><div>{OTHER * 2}</div></div>",
        f"<h2>Frequently bought together</h2>{OTHER}",
        f"<div><h3>Shipping &amp; returns</h3>{SENT}</div>",
    ],
)
def test_other_products_and_how_things_are_sent_are_left_out(body):
    read_ = page(f"{body}<h2>Care</h2><p>Trim the wick.</p>", OFFER)
    assert WORDS in read_.text
    assert "Trim the wick." in read_.text
    assert not any(word in read_.text for word in ("rope", "two days", "also like", "Related", "together", "Shipping"))
    assert read_.dropped["offer"] == 1
    assert read_.page_type == "product"


@pytest.mark.parametrize(
    "things",
    [
        (),
        ({**OFFER, "name": "Hemp rope"}, {**OFFER, "name": "Net"}),
        ({"@type": "SoftwareApplication", "name": "S", "offers": {}},),
    ],
)
def test_a_page_that_sells_no_one_thing_keeps_its_sections(things):
    assert "We send within two days" in page(f"<h2>Shipping &amp; returns</h2>{SENT}", *things).text.replace("\n", " ")


def test_a_section_of_its_own_after_another_is_kept():
    read_ = page(f"<div><h2>Related products</h2>{OTHER}<h2>Care</h2><p>Trim the wick.</p></div>", OFFER)
    assert "rope" not in read_.text
    assert "## Care\n\nTrim the wick." in read_.text
