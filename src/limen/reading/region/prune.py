"""What is dropped before anything is chosen: what is never text of the page."""

from collections import Counter

from turbohtml import Document, Element

from limen.reading.markup.convert import literal

# Never text of the page. Kept by name in `Page.dropped`.
_MACHINERY = (
    "script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "embed", "select", "textarea", "datalist",
    "input", "audio", "video", "map", "frameset", "button",
)  # fmt: skip


class Pruner:
    """Drops parts of one document, in place, and counts what it dropped by kind."""

    def __init__(self, document: Document) -> None:
        self.dropped: Counter[str] = Counter()
        self._document = document

    def machinery(self) -> None:
        """Scripts, styles, form fields, embedded media. TeX sources of formulas are kept as `$…$`, headings' buttons as text."""
        for script in self._document.select('script[type^="math/tex"]'):
            script.replace_with(literal(f"${script.text.strip()}$"))
        for button in self._document.select("h1 button,h2 button,h3 button,h4 button,h5 button,h6 button,summary button"):
            button.unwrap()
        self._open_noscript()
        for element in list(self._document.iter_elements(_MACHINERY)):
            self._drop(element, element.tag)

    def _open_noscript(self) -> None:
        """Where a page is written by scripts, what it offers to readers without them is the page."""
        body = self._document.find("body")
        offered = max(self._document.select("body noscript"), key=lambda element: len(element.text), default=None)
        if body is None or offered is None or offered.select_one("p,h1,h2,article,ul") is None:
            return
        for element in body.select("script,style,template"):
            self._drop(element, element.tag)
        if len(offered.text.strip()) > len(body.text.strip()) / 2:
            offered.unwrap()

    def _drop(self, element: Element, kind: str) -> None:
        if element.parent is not None:
            self.dropped[kind] += 1
            element.extract()
