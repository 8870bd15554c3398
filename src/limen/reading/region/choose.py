"""Which part of a page is the page: the marked main part where it holds enough, else the smallest part holding most."""

from turbohtml import Document, Element, Node

from limen.reading.region.measure import Measure

# A marked main part that holds less than this of the text marks something else.
_MARKED_SHARE = 0.35
# Walking down stops where the largest child holds less than this of the text.
_WALK_SHARE = 0.9
_WALK_STEPS = 40
_EARLY_HEADINGS = 3
# Lists of links whose surroundings are links as well are navigation, unless they are what the page is about.
_LINK_DENSITY = 0.6
_LIST_LOSS_SHARE = 0.5
_CONTAINERS = frozenset({"div", "section", "article", "main", "center", "form"})


def title_of(document: Document, stated: str) -> Element | None:
    """The heading that is the page's title: its h1, else an early heading that the stated title contains."""
    title = document.find("h1")
    if title is not None:
        return title
    for heading in document.select("h2,h3")[:_EARLY_HEADINGS]:
        text = " ".join(heading.text.split())
        if text and text.lower() in stated.lower():
            return heading
    return None


def choose(document: Document, title: Element | None, page_chars: int) -> Element | None:
    """The element that holds what the page is about, with its title; None for a document without elements.

    `page_chars` bounds how much is measured.
    """
    body = document.find("body") or document.root
    if body is None:
        return None
    measure = Measure(page_chars)
    around = frozenset(title.ancestors) if title is not None else frozenset()
    region = _largest(body, body.select("main,[role=main]"), measure) or body
    articles = region.select("article")
    if len(articles) == 1 and (region not in around or articles[0] in around):
        region = _largest(region, articles, measure) or region
    marked = region.tag in {"main", "article"} or region.attr("role") == "main"
    return region if marked else _walk_down(region, measure, around)


def _largest(whole: Element, parts: list[Element], measure: Measure) -> Element | None:
    """The largest of some parts, if it holds enough of the whole."""
    found = max(parts, key=measure.chars, default=None)
    if found is None or measure.exhausted or measure.chars(found) < measure.chars(whole) * _MARKED_SHARE:
        return None
    return found


def _walk_down(region: Element, measure: Measure, around: frozenset[Node]) -> Element:
    """Follow the child that holds nearly all of the text, as long as the title stays inside."""
    total = measure.chars(region)
    for _ in range(_WALK_STEPS if total else 0):
        children = [child for child in region.children if isinstance(child, Element)]
        heaviest = max(children, key=measure.chars, default=None)
        if heaviest is None or heaviest.tag not in _CONTAINERS or measure.chars(heaviest) < total * _WALK_SHARE:
            return region
        if region in around and heaviest not in around:
            return region
        region = heaviest
    return region


def drop_link_lists(region: Element) -> int:
    """Drop lists whose parent and grandparent are mostly links; answers how many. A page of links keeps them."""
    measure = Measure(len(region.text), rounds=20)
    total = measure.chars(region)
    densities: dict[Element, float] = {}

    def dense(element: object) -> bool:
        if not isinstance(element, Element):
            return False
        if element not in densities:
            densities[element] = measure.link_density(element)
        return densities[element] > _LINK_DENSITY

    found = []
    for element in region.select("ul,ol"):
        parent = element.parent
        if parent is None or parent == region or parent.parent is None or (isinstance(parent, Element) and parent.tag == "li"):
            continue
        if dense(parent) and (parent.parent == region or dense(parent.parent)):
            found.append(element)
        if measure.exhausted:
            return 0
    if not total or sum(measure.chars(element) for element in found) > total * _LIST_LOSS_SHARE:
        return 0
    for element in found:
        element.extract()
    return len(found)
