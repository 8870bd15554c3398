"""Code blocks: lines kept, the language found where highlighters write it."""

import re

from turbohtml import Element, Text

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|highlight-|brush:\s*|sourcecode\s+|prettyprint\s+|src-|code-)([a-z0-9+#_.-]{1,24})",
    re.IGNORECASE,
)
# Words that highlighters write in the place of a language and that name none.
_NO_LANGUAGE = frozenset(
    {"default", "none", "text", "plain", "plaintext", "nohighlight", "block", "wrapper", "container", "box", "auto", "source"}
)
_SAME = {
    "python3": "python",
    "py": "python",
    "ipython3": "python",
    "ipython": "python",
    "js": "javascript",
    "ts": "typescript",
    "sh": "bash",
}
_LINE_CLASSES = frozenset({"line", "token-line", "code-line", "view-line", "react-code-text"})
_PARENTS = 3


def mend_code(region: Element) -> None:
    """Reduce each `pre` to plain text in one `code` that names its language; empty ones go."""
    for block in region.select("pre"):
        if block.parent is None or block.closest("pre pre") is not None:
            continue
        language = _language(block)
        for line_break in block.select("br"):
            line_break.replace_with(Text("\n"))
        _restore_lines(block)
        text = block.text.strip("\n").rstrip()
        if not text.strip():
            block.extract()
            continue
        attributes = {"class": f"language-{language}"} if language else {}
        block.clear()
        block.append(Element("code", attributes, [Text(text)]))


def separate_code(region: Element) -> None:
    """A blank between code spans that touch: Markdown cannot write them side by side."""
    for element in region.select("code + code,tt + tt,kbd + kbd,samp + samp,code + kbd,kbd + code"):
        if isinstance(element.previous_sibling, Element):
            element.insert_before(Text(" "))


def _language(block: Element) -> str:
    nodes: list[Element] = [block]
    inner = block.select_one("code")
    if inner is not None:
        nodes.append(inner)
    parent = block.parent
    for _ in range(_PARENTS):
        if not isinstance(parent, Element) or parent.tag in {"body", "main", "article"}:
            break
        nodes.append(parent)
        parent = parent.parent
    for node in nodes:
        named = node.attr("data-lang") or node.attr("data-language") or ""
        found = _LANGUAGE.search(node.attr("class") or "")
        language = (named or (found.group(1) if found else "")).strip().lower()
        if language and language not in _NO_LANGUAGE and re.fullmatch(r"[a-z0-9+#_.-]{1,24}", language):
            return _SAME.get(language, language)
    return ""


def _restore_lines(block: Element) -> None:
    """Line ends for highlighters that draw each line as a block of its own."""
    if "\n" in block.text.strip():
        return
    lines = [element for element in block.iter_elements(("span", "div")) if _is_line(element)]
    if len(lines) < 2:
        return
    for element in lines:
        element.append(Text("\n"))


def _is_line(element: Element) -> bool:
    classes = (element.attr("class") or "").split()
    if element.tag == "div":
        return element.select_one("div") is None
    return not _LINE_CLASSES.isdisjoint(classes) or "display:block" in (element.attr("style") or "").replace(" ", "")
