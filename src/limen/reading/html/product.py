"""Facts that a page states of the one product it is about: what it costs, how it was judged, its specification."""

import re
from collections.abc import Iterable, Sequence

import msgspec
from turbohtml import Document

from limen.kit.text import letters_of
from limen.reading.html.linked_data import Thing, each, line_of, microdata_of, things_in, types_of

_GOODS = frozenset({"product", "productgroup", "productmodel", "individualproduct", "someproducts", "vehicle", "car"})
_PRODUCTS = _GOODS | {"softwareapplication", "mobileapplication", "webapplication", "videogame"}
_OFFERS = 50
_PROPERTIES = 80
_CODES = ("sku", "mpn", "gtin", "gtin13", "gtin12", "gtin14", "gtin8", "isbn")
_PRICE_METAS = ("product:price:amount", "og:price:amount", "product:sale_price:amount")
_CURRENCY_METAS = ("product:price:currency", "og:price:currency", "product:sale_price:currency")
# How a page says that it sells one thing, beside its offers; the last are WooCommerce, Shopify, Magento and PrestaShop.
_FOR_SALE = (
    ",".join(f'meta[property="{name}"]' for name in _PRICE_METAS) + ',meta[property="og:type"][content^="product" i],'
    "body.single-product,body.template-product,body.catalog-product-view,body#product"
)
_OFFERED = frozenset({"offers", "hasVariant"})
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NUMBER = re.compile(r"\d(?:[\d.,'  ]*\d)?")
_CENTS = re.compile(r"[.,](\d{1,2}|\d{4,})$")
_LONG_CENTS = re.compile(r"(?<=\d)(\.\d\d)\d+$")


class Fact(msgspec.Struct, frozen=True):
    """One statement, as "Price": "USD 29.00". An amount is compared with what is shown by its number."""

    name: str
    value: str
    is_amount: bool = False


class Facts(msgspec.Struct, frozen=True):
    """What is stated of a thing: the facts a reader looks for first, and its specification; whether it is the one product that
    the page sells."""

    first: tuple[Fact, ...] = ()
    specification: tuple[Fact, ...] = ()
    is_for_sale: bool = False


def facts_of(document: Document, things: Sequence[Thing], title: str) -> Facts:
    """The facts of the one product that a page is about; none for a page that lists several."""
    candidates = [*things, *microdata_of(document)]
    product = _only(candidates, _PRODUCTS, title)
    is_for_sale = document.select_one(_FOR_SALE) is not None
    if product is not None:
        is_for_sale |= not (_GOODS.isdisjoint(types_of(product)) or _OFFERED.isdisjoint(product))
        return Facts(tuple(_product(product, document)), tuple(_specification(product)), is_for_sale)
    return Facts(tuple(_price({}, document)), (), is_for_sale)


def _only(candidates: Iterable[Thing], types: frozenset[str], title: str) -> Thing | None:
    """The one thing of some types, or of several the one that the page's title names."""
    found: dict[str, Thing] = {}
    for one in candidates:
        if types_of(one) & types:
            found.setdefault(line_of(one.get("name")).lower(), one)
    if len(found) == 1:
        return next(iter(found.values()))
    named = [one for name, one in found.items() if name and (name in title.lower() or title.lower() in name)]
    return named[0] if title and named else None


def _product(product: Thing, document: Document) -> Iterable[Fact]:
    yield from _price(product, document)
    rating = next(iter(things_in(product.get("aggregateRating"))), {})
    value, count = _tenths(line_of(rating.get("ratingValue"))), line_of(rating.get("ratingCount") or rating.get("reviewCount"))
    if value:
        best = line_of(rating.get("bestRating")) or "5"
        yield Fact("Rating", f"{value} of {best}" + (f" ({count} ratings)" if count else ""), is_amount=True)
    brand = next((line_of(one.get("name")) for one in things_in(product.get("brand") or product.get("manufacturer"))), "")
    if brand:
        yield Fact("Brand", brand)
    seen: set[str] = set()
    for name in _CODES:
        code = line_of(product.get(name))
        if code and code not in seen:
            seen.add(code)
            yield Fact("SKU" if name == "sku" else "GTIN" if name.startswith("gtin") else name.upper(), code)


def _tenths(value: str) -> str:
    """A rating without the digits that nobody reads: `4.81` for `4.811808`."""
    number = _number(value)
    return "" if not number else f"{number:.2f}".rstrip("0").rstrip(".")


def _price(product: Thing, document: Document) -> Iterable[Fact]:
    offers = _offers(product)
    prices = [(line_of(offer.get("priceCurrency")), amount) for offer in offers for amount in _amounts(offer)]
    if not prices:
        amount, currency = (_meta(document, names) for names in (_PRICE_METAS, _CURRENCY_METAS))
        prices = [(currency, amount)] if _number(amount) is not None else []
    if prices:
        low, high = (choose(prices, key=lambda price: _number(price[1]) or 0.0) for choose in (min, max))
        amounts = low[1] if _number(low[1]) == _number(high[1]) else f"{low[1]} to {high[1]}"
        yield Fact("Price", f"{low[0]} {amounts}".strip(), is_amount=True)
    states = {_words(line_of(offer.get("availability"))) for offer in offers} - {""}
    if len(states) == 1:
        yield Fact("Availability", states.pop())


def _offers(product: Thing) -> list[Thing]:
    variants = [product, *things_in(product.get("hasVariant"))[:_OFFERS]]
    offers = [offer for one in variants for offer in things_in(one.get("offers"))][:_OFFERS]
    return [
        inner for offer in offers for inner in (things_in(offer.get("offers"))[:_OFFERS] if not _amounts(offer) else [offer])
    ] or offers


def _amounts(offer: Thing) -> list[str]:
    found = [line_of(offer.get(name)) for name in ("price", "lowPrice", "highPrice")]
    if not any(found):
        found = [line_of(one.get("price")) for one in things_in(offer.get("priceSpecification"))[:3]]
    return [_LONG_CENTS.sub(r"\1", amount.strip("$€£¥ ")) for amount in found if _number(amount)]


def _specification(product: Thing) -> Iterable[Fact]:
    seen: set[str] = set()
    for one in things_in(product.get("additionalProperty"))[:_PROPERTIES]:
        name, value = line_of(one.get("name")), ", ".join(filter(None, map(line_of, each(one.get("value")))))
        unit = line_of(one.get("unitText"))
        if name and value and name not in seen:
            seen.add(name)
            yield Fact(name, f"{value} {unit}".strip())


def _meta(document: Document, names: Iterable[str]) -> str:
    for name in names:
        element = document.select_one(f'meta[property="{name}"][content],meta[name="{name}"][content]')
        if element is not None:
            return line_of(element.attr("content"))
    return ""


def _words(value: str) -> str:
    """The last part of a term of a vocabulary, in words: `In stock` for `https://schema.org/InStock`."""
    return _CAMEL.sub(" ", re.split(r"[/#]", value.rstrip("/"))[-1]).replace("_", " ").lower().capitalize()


def _number(amount: str) -> float | None:
    """The number in an amount, whichever signs part its thousands and its cents."""
    found = _NUMBER.search(amount)
    if found is None:
        return None
    cents = _CENTS.search(found.group(0))
    whole = re.sub(r"\D", "", found.group(0)[: cents.start()] if cents else found.group(0))
    return float(f"{whole or 0}.{cents.group(1) if cents else 0}") if len(whole) < 13 else None


def lacking(facts: Iterable[Fact], shown: str) -> list[Fact]:
    """Those of some facts that a text does not hold: amounts by their numbers, the others by their letters."""
    numbers = {_number(found) for found in _NUMBER.findall(shown)}
    letters = letters_of(shown)
    return [
        fact for fact in facts if not (_number(fact.value) in numbers if fact.is_amount else letters_of(fact.value) in letters)
    ]
