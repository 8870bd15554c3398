"""What is dropped before anything is chosen: what is never text of the page."""

import re
from collections import Counter

from turbohtml import Document, Element

from limen.reading.markup.convert import literal, without_signs

# Never text of the page. Kept by name in `Page.dropped`.
_MACHINERY = (
    "script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "embed", "select", "textarea", "datalist",
    "input", "audio", "video", "map", "frameset", "button",
)  # fmt: skip
# Words within a line that its page does not show. What is longer, or says that it is the rest of a text, opens at a click.
_WORDS = "a,b,em,font,i,label,small,span,strong"
_UNSHOWN = f":is({_WORDS})[style*=none i],:is({_WORDS})[style*=hidden i],:is({_WORDS})[hidden]"
_UNSHOWN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_OPENS = re.compile(r"more|full|rest|expand|collaps|toggle|trunc|hide|long|ellips", re.IGNORECASE)
_OPENS_CHARS = 300
_NO_WORDS = "img,p,div,li,pre,table"


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
        for element in self._document.select(_UNSHOWN):
            if _is_unshown(element):
                self._drop(element, "hidden")

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


def _is_unshown(element: Element) -> bool:
    """Whether a part of a line stays hidden: what was put there for machines, and what would say more than a reader sees."""
    hidden = element.attr("hidden")
    if (hidden is None or hidden == "until-found") and not _UNSHOWN_STYLE.search(element.attr("style") or ""):
        return False
    opens = _OPENS.search(f"{element.attr('class') or ''} {element.attr('id') or ''}")
    said = element.text
    is_formula = without_signs(said) != said
    return opens is None and not is_formula and len(said) < _OPENS_CHARS and element.select_one(_NO_WORDS) is None
