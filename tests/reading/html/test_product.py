"""Facts that a page states and does not show are shown, those it shows are not repeated."""

import json

import pytest

from limen.reading import read

PROSE = "A lamp of brass that burns for nine hours and weighs next to nothing, for those who read at night. "
OFFER = {"@type": "Offer", "price": "1299.90", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}
LAMP = {
    "@context": "https://schema.org",
    "@type": "Product",
    "name": "Brass lamp",
    "brand": {"name": "Pharos"},
    "sku": "BL-9",
    "gtin13": 4006381333931,
    "offers": OFFER,
    "aggregateRating": {"ratingValue": 4.6189, "reviewCount": "128"},
}


def text(thing, shown="", head=""):
    script = f'<script type="application/ld+json">{json.dumps(thing)}</script>'
    html = f"<head>{head}{script}</head><body><main><h1>Brass lamp</h1><p>{PROSE * 3}</p>{shown}</main></body>"
    return read(html, "https://shop.example/lamp", "text/html").text


def listed(shown):
    return [line[2:] for line in shown.split("\n") if line.startswith("- ")]


def test_what_is_stated_alone_stands_below_the_title():
    shown = text(LAMP)
    assert shown.startswith("# Brass lamp\n\n- Price: EUR 1299.90\n- Availability: In stock\n- Rating: 4.62 of 5 (128 ratings)\n")
    assert listed(shown)[3:] == ["Brand: Pharos", "SKU: BL-9", "GTIN: 4006381333931"]


def test_signs_that_stand_twice_or_were_escaped_twice_are_shown_once():
    odd = {**LAMP, "brand": "L&amp;#8217;atelier", "offers": {**OFFER, "price": "$168.00", "priceCurrency": "USD"}}
    assert {"Price: USD 168.00", "Brand: L’atelier"} <= set(listed(text(odd)))


def test_what_is_shown_is_not_said_again():
    shown = text(LAMP, "<p>€ 1.299,90 now. PHAROS. In  stock! 4.62 stars by 128. SKU bl9 / 4006381333931</p>")
    assert listed(shown) == []


@pytest.mark.parametrize(
    ("offers", "price"),
    [
        ([OFFER, {**OFFER, "price": 99}], "EUR 99 to 1299.90"),
        ({"@type": "AggregateOffer", "lowPrice": 5, "highPrice": "7.5000", "priceCurrency": "USD"}, "USD 5 to 7.50"),
        ({"offers": [OFFER]}, "EUR 1299.90"),
        ({"priceSpecification": [{"price": "12,50"}], "priceCurrency": "EUR"}, "EUR 12,50"),
    ],
)
def test_prices_in_all_their_forms(offers, price):
    assert f"- Price: {price}\n" in text({"@type": ["Thing", "Product"], "name": "x", "offers": offers})


@pytest.mark.parametrize("odd", [None, [], {}, "x", 7, [None], [[]], {"price": {"a": 1}}, {"price": []}, {"price": True}, "<b>"])
def test_odd_values_are_passed_over(odd):
    names = ("offers", "aggregateRating", "brand", "sku", "additionalProperty", "hasVariant", "name", "@type", "@graph")
    for name in names:
        assert PROSE.strip() in text({**LAMP, name: odd})


def test_meta_tags_and_microdata_state_a_price_as_well():
    meta = '<meta property="product:price:amount" content="29.00"><meta property="product:price:currency" content="USD">'
    assert listed(text({}, head=meta)) == ["Price: USD 29.00"]
    item = (
        '<div itemscope itemtype="http://schema.org/Product"><meta itemprop="name" content="Lamp"><div itemprop="offers"'
        ' itemscope><meta itemprop="price" content="31"><meta itemprop="priceCurrency" content="GBP"></div></div>'
    )
    assert listed(text({}, item)) == ["Price: GBP 31"]


def test_a_page_of_several_products_has_no_facts_of_one():
    several = {"@graph": [{**LAMP, "name": "Tin lamp"}, {**LAMP, "name": "Iron lamp", "sku": "BX-7"}]}
    assert listed(text(several)) == []
    assert "SKU: BX-7" in text({"@graph": [{**LAMP, "name": "Tin lamp"}, {**LAMP, "sku": "BX-7"}]})


def test_a_specification_is_a_table():
    properties = [{"name": "Height", "value": "31", "unitText": "cm"}, {"name": "Wick", "value": ["flat", "round"]}]
    properties += [{"name": "Height", "value": "31", "unitText": "cm"}, {"name": "a | b", "value": "<i>c</i>"}]
    shown = text({"@type": "Product", "name": "Lamp", "additionalProperty": properties})
    assert shown.endswith(
        "## Specification\n\n| Property | Value |\n| --- | --- |\n| Height | 31 cm |\n| Wick | flat, round |\n| a \\| b | c |"
    )
    assert "Specification" not in text({**LAMP, "additionalProperty": properties[:2]}, "<p>Height 31 cm, flat, round</p>")
