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


WOO_TAB = '<li id="tab-title-{0}"><a href="#tab-{0}" role="tab" aria-controls="tab-{0}">{1}</a></li>'
WOO_PANEL = '<div class="wc-tab" id="tab-{0}" role="tabpanel" aria-labelledby="tab-title-{0}"><h2>{1}</h2>{2}</div>'
WOO_REVIEW = (
    '<li class="review comment"><div class="comment_container"><div class="comment-text"><p class="meta"><strong '
    'class="woocommerce-review__author">{0}</strong> – <time datetime="2026-03-01T09:00:00">March 1, 2026</time></p>'
    '<div class="description"><p>{1}</p></div></div></div></li>'
)


def test_a_woocommerce_page_shows_each_tab_once_with_its_label_and_reviews_with_their_authors():
    told = (("description", "Description", f"<p>{WORDS}</p>"), ("additional", "Additional information", "<p>Brass, 1.2 kg.</p>"))
    reviews = WOO_REVIEW.format("Ada", "It burned for three nights indeed.") + WOO_REVIEW.format("Bo", "Mine smoked.")
    tabs = "".join(WOO_TAB.format(*one) for one in told)
    panels = "".join(WOO_PANEL.format(*one) for one in told)
    html = (
        f'<body class="single-product woocommerce"><main><h1>Storm lamp</h1><ul class="tabs wc-tabs" role="tablist">{tabs}</ul>'
        f'{panels}<h2>2 reviews</h2><ol class="commentlist">{reviews}</ol><section class="related"><h2>Related products</h2>'
        f"{OTHER}</section></main></body>"
    )
    assert read(html, "https://shop.example/product/storm-lamp/", "text/html").text == (
        f"# Storm lamp\n\n## Description\n\n{WORDS}\n\n## Additional information\n\nBrass, 1.2 kg.\n\n## 2 reviews\n\n"
        "**Ada** · March 1, 2026\n\nIt burned for three nights indeed.\n\n**Bo** · March 1, 2026\n\nMine smoked."
    )
