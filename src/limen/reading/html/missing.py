"""What a page states and does not show, put into its main part: a list of facts, a specification, answers."""

from collections.abc import Sequence

import msgspec
from turbohtml import Document, Element, Text

from limen.reading.html.linked_data import Thing, line_of, text_of, things_in, types_of
from limen.reading.html.product import Fact, Facts, lacking
from limen.reading.html.stated import Letters, as_html

_ITEMS = 200
_SOME = 0.5


class Missing(msgspec.Struct, frozen=True):
    """What a page may not show of what it states: facts, to compare with its main part, and parts that stand nowhere."""

    facts: Facts
    parts: tuple[Element, ...]

    def put_into(self, region: Element) -> None:
        """Complete a page's main part, in place."""
        if self.facts.first or self.facts.specification:
            _add_facts(region, self.facts)
        for part in self.parts:
            region.append(part)


def missing_in(document: Document, things: Sequence[Thing], facts: Facts) -> Missing:
    """What a page states in JSON-LD beside some facts; needs the page without its scripts and before its choice."""
    lists, body = [thing for thing in things if "faqpage" in types_of(thing)], document.find("body")
    page = Letters(body.text if lists and body is not None else "")
    return Missing(facts, tuple(part for thing in lists for part in _answers(thing, page)))


def _add_facts(region: Element, facts: Facts) -> None:
    """Put the facts that a main part lacks below its title, and a specification that it lacks at its end."""
    shown = region.text
    missing = lacking(facts.first, shown)
    if missing:
        items = [Element("li", children=[Text(f"{fact.name}: {fact.value}")]) for fact in missing]
        _below_title(region, Element("ul", children=items))
    specification = lacking(facts.specification, shown)
    if len(specification) > len(facts.specification) * _SOME:
        region.append(_heading("Specification"))
        region.append(_table(facts.specification))


def _below_title(region: Element, facts: Element) -> None:
    title = region.select_one("h1")
    if title is None:
        region.insert(0, facts)
        return
    place = title
    for ancestor in title.ancestors:  # outside of what holds the title alone, as a header or a link does
        if ancestor == region or not isinstance(ancestor, Element) or ancestor.text.strip() != title.text.strip():
            break
        place = ancestor
    if place == region:
        region.append(facts)
    else:
        place.insert_after(facts)


def _heading(text: str) -> Element:
    return Element("h2", children=[Text(text)])


def _table(facts: Sequence[Fact]) -> Element:
    rows = [Element("tr", children=[Element("td", children=[Text(part)]) for part in (fact.name, fact.value)]) for fact in facts]
    head = Element("tr", children=[Element("th", children=[Text(name)]) for name in ("Property", "Value")])
    return Element("table", children=[head, *rows])


def _answers(thing: Thing, page: Letters) -> list[Element]:
    """Answers of a page's JSON-LD that stand nowhere on the page, as elements to put at its end."""
    parts = []
    for question in things_in(thing.get("mainEntity"))[:_ITEMS]:
        answer = next((text_of(one.get("text")) for one in things_in(question.get("acceptedAnswer"))), "")
        if answer and not page.hold(answer):
            body = Element("div")
            body.set_inner_html(as_html(answer))
            parts += [Element("h3", children=[Text(line_of(question.get("name")))]), body]
    return parts
