"""Formulas: their TeX source where the page carries it or it can be told from MathML, each once, as `$…$` or `$$…$$`."""

import re

from turbohtml import Element, Node, Text

from limen.reading.elements import attribute
from limen.reading.markup.convert import literal
from limen.reading.markup.mathml import tex_of

# What draws a formula beside its source, or shows it until it is drawn.
_DRAWN = ".MathJax_Preview,.MathJax,.MathJax_Display,.MathJax_SVG,.MathJax_SVG_Display,.MathJax_CHTML"
_FALLBACKS = 'img[class*="mwe-math"],img.tex,img.latex,img.math,img[src*="latex.codecogs.com"],img[src*="/latex.php?"]'
_WHOLE = ".katex,mjx-container,math"
_BLOCKS = '.katex-display,mjx-container[display="true"],.mwe-math-element-block,.MathJax_Display,[display="block"]'
# Elements whose class says that their text is TeX, with or without its delimiters.
_SOURCES = ".math-container,.math,.arithmatex,.tex2jax_process"
_NO_TEX = "code,pre,tt,kbd,samp,textarea,a"
_STYLE = re.compile(r"\{\s*\\(?:display|text)style\s(.*)\}", re.DOTALL)
_DELIMITED = re.compile(
    # Nothing here may run on past the next opening sign, so that many of them cost one look each.
    r"\\\((?P<inline>(?:[^$\\]|\\[^()])+?)\\\)|\\\[(?P<block>(?:[^$\\]|\\[^\[\]])+?)\\\]|\$\$(?P<dollars>[^$]+)\$\$"
    r"|(?P<environment>\\begin\{(?P<name>equation|align|gather|multline|eqnarray)(?P<star>\*?)\}"
    r"(?:(?!\\begin\{(?P=name)).)+?\\end\{(?P=name)(?P=star)\})"
    # A price has none of TeX's signs.
    r"|(?<![\w$\\])\$(?P<dollar>(?=[^$\n]{0,300}[\\^_])[^\s$](?:[^$\n]{0,298}[^\s$\\])?)\$(?![\w$])",
    re.DOTALL,
)


def mend_formulas(root: Node) -> None:
    """Write each formula below `root` that is an element: MathML, KaTeX, MathJax, sources in scripts, images of TeX."""
    scripts = root.select('script[type^="math/tex"]')
    for script in scripts:
        _put(script, script.text, "display" in (script.attr("type") or ""))
    if scripts:
        for drawn in root.select(_DRAWN):
            drawn.extract()
    for formula in root.select(_WHOLE):
        if formula.parent is not None and formula.closest(".katex .katex,mjx-container mjx-container,.katex math") is None:
            _mend(formula)
    for image in root.select(_FALLBACKS):
        around = image.closest(".mwe-math-element")
        if around is not None and around.text.strip():
            image.extract()
        elif alt := (image.attr("alt") or "").strip():
            _put(image, alt, "display" in (image.attr("class") or ""))


def mend_tex(region: Element) -> None:
    """Formulas written in the text between TeX's delimiters are left as they are, but for the delimiters."""
    text = region.text
    if "$" not in text and "\\" not in text:
        return
    for node in list(region.descendants):
        if not isinstance(node, Text) or ("$" not in node.data and "\\" not in node.data):
            continue
        parent = node.parent
        if _DELIMITED.search(node.data) and isinstance(parent, Element) and parent.closest(_NO_TEX) is None:
            _split(node)


def _split(node: Text) -> None:
    pieces: list[Node] = []
    end = 0
    for found in _DELIMITED.finditer(node.data):
        pieces.append(Text(node.data[end : found.start()]))
        inline = found["inline"] or found["dollar"]
        pieces.append(_written(inline or found["block"] or found["dollars"] or found["environment"] or "", block=inline is None))
        end = found.end()
    node.replace_with(*pieces, Text(node.data[end:]))


def _mend(formula: Element) -> None:
    block = formula.closest(_BLOCKS) is not None
    source = formula.select_one('annotation[encoding*="tex" i]')
    math = formula if formula.tag == "math" else formula.select_one("math")
    named = formula.select_one("[data-latex]")
    if source is not None:
        _put(formula, source.text, block)
    elif math is not None:
        stated = attribute(math, "alttext", "data-latex") or attribute(named, "data-latex")
        _put(formula, stated or tex_of(math), block or math.attr("display") == "block")
    elif named is not None:
        _put(formula, attribute(named, "data-latex"), block)


def _put(element: Element, tex: str, block: bool) -> None:
    if tex.strip(" \n\t$"):
        element.replace_with(_written(tex, block))
    else:
        element.extract()


def _written(tex: str, block: bool) -> Text:
    tex = tex.strip().strip("$").strip()
    styled = _STYLE.fullmatch(tex)
    mark = "$$" if block else "$"
    return literal(f"{mark}{' '.join((styled[1] if styled else tex).split())}{mark}")
