"""Code blocks: lines and indents kept, the language named; line numbers, prompts that cannot be selected and buttons left out."""

import re
from collections.abc import Sequence

from turbohtml import Element, Text

from limen.reading.elements import children_of
from limen.reading.markup.languages import language_of

_LINE_CLASSES = frozenset({"line", "token-line", "code-line", "view-line", "react-code-text", "cl", "ln-line", "CodeMirror-line"})
_NUMBERS = ':is(span,a,td,div,i,b,em,data)[class*="lin" i],.ln,.lnt,.gutter,.blob-num,[data-line-number],[class*="LineNr"]'
_COPY = (
    '[class*="copy" i],[class*="clipboard" i],clipboard-copy,[data-clipboard-text],[data-clipboard-target],'
    ".code-toolbar > .toolbar"
)
_COPY_WORDS = re.compile(r"(?:copy|copied|copy code|copy to clipboard|kopieren|复制|复制代码|!|\s)*", re.IGNORECASE)
_UNSELECTABLE = (
    '[aria-hidden="true"],[class*="select-none"],[class*="unselectable"],[class*="noselect"],[style*="user-select:none"],'
    '[style*="user-select: none"]'
)
_PROMPT = re.compile(r"\s*(?:[$#%>❯➜»]|>>>|\.\.\.|(?:iex|irb|In \[\d+\]).{0,12}[>:])\s*")
_COLUMN = ".linenos,.linenodiv,.gutter,.line-numbers,.lineno,.rouge-gutter,.code-gutter,.hljs-ln-numbers,.linenumbers"
_CODE_CELLS = "td.blob-code,td.hljs-ln-code,td.code-line,td.js-file-line,td.code div.line"
_CODE_TABLES = f"table:has({_CODE_CELLS})"
# Editors that draw each line as an element of its own.
_EDITORS = ".CodeMirror-code,.cm-content,.view-lines,.ace_text-layer"
_COUNTED = re.compile(r"[ \t]*(\d{1,6})")
_FEWEST_COUNTED = 4
_JUPYTER_PROMPTS = ".prompt.input_prompt,.prompt.output_prompt,.jp-InputPrompt,.jp-OutputPrompt"


def mend_code(region: Element) -> None:
    """Reduce each `pre` to plain text in one `code` that names its language; empty ones go."""
    _find_listings(region)
    blocks = region.select("pre")
    if blocks:
        for button in region.select(_COPY):
            if _COPY_WORDS.fullmatch(button.text) and button.select_one("img,pre") is None:
                button.extract()
        for prompt in region.select(_JUPYTER_PROMPTS):
            prompt.extract()
    for block in blocks:
        if block.parent is not None and block.closest("pre pre") is None:
            _mend(block)


def _find_listings(region: Element) -> None:
    """Make a `pre` of every listing that a page draws otherwise."""
    for table in region.select(_CODE_TABLES):
        if table.closest("pre") is None:
            _from_lines(table, table.select(_CODE_CELLS))
    for editor in region.select(_EDITORS):
        if editor.closest("pre") is None and editor.tag not in {"pre", "code"}:
            _from_lines(editor, editor.select("pre") or children_of(editor))
    for code in region.select("tt"):
        code.tag = "code"
    for code in region.select("code:has(br),code:has(> div)"):
        if code.closest("pre") is None and _is_listing(code):
            code.wrap(Element("pre"))
    for element in region.select("listing,xmp"):
        element.tag = "pre"


def _mend(block: Element) -> None:
    language = language_of(block)
    if block.children and (len(block.children) > 1 or isinstance(block.children[0], Element)):
        _leave_out(block)
        for line_break in block.select("br"):
            line_break.replace_with(Text("\n"))
        _restore_lines(block)
    text = block.text.strip("\n").rstrip()
    if block.select_one("span,div,a"):
        text = _without_count(text)
    if not text.strip() or (_is_count(text) and block.closest(_COLUMN) is not None):
        block.extract()
        return
    attributes = {"class": f"language-{language}"} if language else {}
    if block.attr("class") is not None:
        del block.attrs["class"]
    block.clear()
    block.append(Element("code", attributes, [Text(text)]))


def _leave_out(block: Element) -> None:
    """What is drawn beside the code and is not part of it."""
    for number in block.select(_NUMBERS):
        if not number.text.strip("0123456789 \n\t.:|") and not _is_text_line(number):
            number.extract()
    for prompt in block.select(_UNSELECTABLE):
        text = prompt.text
        if _PROMPT.fullmatch(text) or text.strip().isdigit():
            prompt.extract()


def _is_text_line(element: Element) -> bool:
    """Whether an element is a line of the code, which may be empty or a number by itself."""
    names = element.attr("class") or ""
    if not _LINE_CLASSES.isdisjoint(names.split()):
        return True
    return element.tag != "td" and not element.text.strip("\n ") and "number" not in names.lower()


def _is_count(text: str) -> bool:
    words = text.split()
    if not all(word.isascii() and word.isdecimal() and len(word) < 9 for word in words):
        return False
    return words == [str(int(words[0]) + place) for place in range(len(words))]


def _without_count(text: str) -> str:
    """A listing without the numbers that count its lines, where each line begins with one."""
    lines = text.split("\n")
    counted = [_COUNTED.match(line) for line in lines] if len(lines) >= _FEWEST_COUNTED else [None]
    if any(found is None or int(found[1]) != place for place, found in enumerate(counted, 1)):
        return text
    rest = [line[found.end() :] for line, found in zip(lines, counted, strict=True) if found is not None]
    return "\n".join([line[1:] for line in rest] if all(line[:1] in {"", " "} for line in rest) else rest)


def _is_listing(code: Element) -> bool:
    """Whether code outside of a `pre` stands by itself, rather than in a line of text."""
    for beside in (code.previous_sibling, code.next_sibling):
        if isinstance(beside, Text) and beside.data.strip():
            return False
    return code.closest("a,h1,h2,h3,h4,h5,h6,td,th") is None


def _from_lines(drawn: Element, lines: Sequence[Element]) -> None:
    """Code whose lines are the rows of a table, or elements of an editor."""
    language = language_of(drawn)
    block = Element("pre", {"class": f"language-{language}"} if language else {})
    block.append(Text("\n".join([line.text.strip("\n") for line in lines])))
    drawn.replace_with(block)


def separate_code(region: Element) -> None:
    """A blank between code spans that touch: Markdown cannot write them side by side."""
    for element in region.select("code + code,tt + tt,kbd + kbd,samp + samp,code + kbd,kbd + code"):
        if isinstance(element.previous_sibling, Element):
            element.insert_before(Text(" "))


def _restore_lines(block: Element) -> None:
    """Line ends for highlighters that draw each line as a block of its own."""
    if "\n" in block.text.strip():
        return
    lines = [element for element in block.iter_elements(("span", "div", "tr", "li", "p", "code")) if _is_line(element)]
    if len(lines) < 2:
        return
    for element in lines:
        element.append(Text("\n"))


def _is_line(element: Element) -> bool:
    if element.tag == "span":
        classes = (element.attr("class") or "").split()
        return not _LINE_CLASSES.isdisjoint(classes) or "display:block" in (element.attr("style") or "").replace(" ", "")
    if element.tag == "code":
        parent = element.parent
        return isinstance(parent, Element) and parent.tag == "pre"
    return element.select_one("div,tr,li,p") is None
