"""How much text stands where, with a budget: nesting can make the same text be measured again and again."""

from turbohtml import Element


class Measure:
    """Counts characters below elements of one page, and is exhausted after reading the page about `rounds` times."""

    def __init__(self, page_chars: int, rounds: int = 60) -> None:
        self._left = (page_chars + 20_000) * rounds

    @property
    def exhausted(self) -> bool:
        """Whether rules that need to measure should stop: the page is nested beyond reason."""
        return self._left < 0

    def chars(self, element: Element) -> int:
        """Characters of text below `element`, blanks at the ends not counted; 0 once exhausted."""
        if self._left < 0:
            return 0
        text = element.text
        self._left -= len(text) + 200
        return len(text.strip())

    def link_density(self, element: Element) -> float:
        """Share of an element's text that stands in links."""
        total = self.chars(element)
        if not total:
            return 0.0
        return sum(self.chars(link) for link in element.select("a")) / total
