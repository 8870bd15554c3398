"""MathML without a source beside it, as TeX. Letters and signs that TeX knows by name stay the characters they are."""

from turbohtml import Element, Text

# Formulas are nested by the dozen at most; below this their text is taken as it is.
_DEEPEST = 40
_UNSEEN = str.maketrans({"\u2061": "", "\u2062": "", "\u2063": ",", "\u2064": "", "−": "-", "\xa0": " "})
# Signs, names and the break of a row that every maker of TeX here writes alike.
BIG = {
    "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∬": r"\iint", "∭": r"\iiint", "∮": r"\oint", "⋃": r"\bigcup", "⋂": r"\bigcap",
}  # fmt: skip
NAMES = frozenset(
    ("sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "log", "ln", "exp", "lim",
     "max", "min", "sup", "inf", "det", "dim", "gcd", "arg", "ker", "deg", "Pr")
)  # fmt: skip
_OVER = {
    "^": "hat", "ˆ": "hat", "~": "tilde", "˜": "tilde", "¯": "overline", "‾": "overline", "_": "underline", "→": "vec",
    "⃗": "vec", "˙": "dot", "¨": "ddot", "ˇ": "check", "˘": "breve", "⏞": "overbrace", "⏟": "underbrace",
}  # fmt: skip
_SPECIAL = str.maketrans({sign: f"\\{sign}" for sign in "{}%#&$_"})
_NOTHING = frozenset({"annotation", "annotation-xml", "mphantom", "maligngroup", "malignmark", "mprescripts", "none"})
NEXT_ROW = r" \\ "


def tex_of(math: Element) -> str:
    """The TeX of a MathML element."""
    return " ".join(_tex(math, 0).split())


def _tex(element: Element, depth: int) -> str:
    tag = element.tag
    if tag in _NOTHING:
        return ""
    if depth > _DEEPEST:
        return _plain(element)
    if tag in {"mi", "mn", "mo", "mtext", "ms"}:
        return _token(tag, _plain(element))
    parts = [child for child in element.children if isinstance(child, Element)]
    if not parts:
        return _plain(element) if tag != "mspace" else " "
    if tag in {"semantics", "maction"}:
        return _tex(parts[0], depth + 1)
    if tag == "mtable":
        rows = (" & ".join(_tex(cell, depth + 2) for cell in row.children if isinstance(cell, Element)) for row in parts)
        return rf"\begin{{matrix}}{NEXT_ROW.join(rows)}\end{{matrix}}"
    texts = [_tex(part, depth + 1) for part in parts]
    if tag == "mfenced":
        inner = (element.attr("separators") or ",")[:1].join(texts)
        return f"{element.attr('open') or '('}{inner}{element.attr('close') or ')'}"
    return _shape(tag, texts) or "".join(texts)


def _shape(tag: str, texts: list[str]) -> str:
    """A construct of fixed parts; nothing for one that has others, or is a row."""
    match tag, texts:
        case "mfrac", [over, under]:
            return rf"\frac{{{over}}}{{{under}}}"
        case "msqrt", _:
            return rf"\sqrt{{{''.join(texts)}}}"
        case "mroot", [base, degree]:
            return rf"\sqrt[{degree}]{{{base}}}"
        case "msub", [base, below]:
            return f"{_base(base)}_{_script(below)}"
        case "msup", [base, above]:
            return f"{_base(base)}^{_script(above)}"
        case "msubsup" | "munderover" | "mmultiscripts", [base, below, above]:
            return f"{_base(base)}_{_script(below)}^{_script(above)}"
        case "munder" | "mover", [base, sign]:
            if name := _OVER.get(sign.replace("\\", "").strip()):
                name = "underline" if tag == "munder" and name == "overline" else name
                return rf"\{name}{{{base}}}"
            return f"{_base(base)}{'_' if tag == 'munder' else '^'}{_script(sign)}"
    return ""


def _base(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 1 or (text[0] == "\\" and text[1:].isalpha()) else f"{{{text}}}"


def _script(text: str) -> str:
    text = text.strip()
    return text if len(text) == 1 else f"{{{text}}}"


def _token(tag: str, text: str) -> str:
    if tag in {"mtext", "ms"}:
        return rf"\text{{{text}}}" if text.strip() else " "
    if text in BIG:
        return f"{BIG[text]} "
    if len(text) > 1 and text.isalpha() and text.isascii() and tag != "mn":
        return rf"\{text} " if text in NAMES else rf"\mathrm{{{text}}}"
    return text.translate(_SPECIAL)


def _plain(element: Element) -> str:
    return " ".join("".join(node.data for node in element.descendants if isinstance(node, Text)).translate(_UNSEEN).split())
