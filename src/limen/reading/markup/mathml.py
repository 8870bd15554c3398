"""MathML without a source beside it, as TeX. Letters and signs that TeX knows by name stay the characters they are."""

from collections.abc import Iterable

from turbohtml import Element, Text

from limen.reading.elements import children_of

# Formulas are nested by the dozen at most; below this their text is taken as it is.
_DEEPEST = 40
_UNSEEN = str.maketrans({"\u2061": "", "\u2062": "", "\u2063": ",", "\u2064": "", "−": "-", "\xa0": " "})
# Signs, names and constructs that every maker of TeX here writes alike.
BIG = {
    "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∬": r"\iint", "∭": r"\iiint", "∮": r"\oint", "⋃": r"\bigcup", "⋂": r"\bigcap",
}  # fmt: skip
NAMES = frozenset(
    ("sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "log", "ln", "exp", "lim",
     "max", "min", "sup", "inf", "det", "dim", "gcd", "arg", "ker", "deg", "Pr")
)  # fmt: skip
ACCENTS = {
    "\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "overline", "\u0307": "dot", "\u0308": "ddot",
    "\u030c": "check", "\u0306": "breve", "^": "hat", "ˆ": "hat", "~": "tilde", "˜": "tilde", "¯": "overline",
    "‾": "overline", "_": "underline", "→": "vec", "⃗": "vec", "˙": "dot", "¨": "ddot", "ˇ": "check", "˘": "breve",
    "⏞": "overbrace", "⏟": "underbrace",
}  # fmt: skip
SPECIAL = str.maketrans({"\\": r"\backslash ", **{sign: f"\\{sign}" for sign in "{}%#&$_"}})
_NOTHING = frozenset({"annotation", "annotation-xml", "mphantom", "maligngroup", "malignmark", "mprescripts", "none"})


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
    parts = children_of(element)
    if not parts:
        return _plain(element) if tag != "mspace" else " "
    if tag in {"semantics", "maction"}:
        return _tex(parts[0], depth + 1)
    if tag == "mtable":
        return grid("matrix", ((_tex(cell, depth + 2) for cell in children_of(row)) for row in parts))
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
            return root("".join(texts))
        case "mroot", [base, degree]:
            return root(base, degree)
        case "msub", [base, below]:
            return scripted(base, below=below)
        case "msup", [base, above]:
            return scripted(base, above=above)
        case "msubsup" | "munderover" | "mmultiscripts", [base, below, above]:
            return scripted(base, below, above)
        case "munder" | "mover", [base, sign]:
            if name := ACCENTS.get(sign.replace("\\", "").strip()):
                name = "underline" if tag == "munder" and name == "overline" else name
                return rf"\{name}{{{base}}}"
            return scripted(base, below=sign) if tag == "munder" else scripted(base, above=sign)
    return ""


def scripted(base: str, below: str = "", above: str = "") -> str:
    """A base with what stands below and above it, as far as there is any."""
    base = base.strip()
    base = base if len(base) <= 1 or (base[0] == "\\" and base[1:].isalpha()) else f"{{{base}}}"
    scripts = ((sign, text.strip()) for sign, text in (("_", below), ("^", above)))
    return base + "".join(f"{sign}{text if len(text) == 1 else f'{{{text}}}'}" for sign, text in scripts if text)


def root(inside: str, degree: str = "") -> str:
    """A root, square where no degree is told."""
    return rf"\sqrt{f'[{degree}]' if degree else ''}{{{inside}}}"


def grid(kind: str, rows: Iterable[Iterable[str]]) -> str:
    """Rows of cells in an environment: `matrix`, `aligned`."""
    inner = r" \\ ".join(" & ".join(cells) for cells in rows)
    return rf"\begin{{{kind}}}{inner}\end{{{kind}}}"


def _token(tag: str, text: str) -> str:
    if tag in {"mtext", "ms"}:
        return rf"\text{{{text}}}" if text.strip() else " "
    if text in BIG:
        return f"{BIG[text]} "
    if len(text) > 1 and text.isalpha() and text.isascii() and tag != "mn":
        return rf"\{text} " if text in NAMES else rf"\mathrm{{{text}}}"
    return text.translate(SPECIAL)


def _plain(element: Element) -> str:
    return " ".join("".join(node.data for node in element.descendants if isinstance(node, Text)).translate(_UNSEEN).split())
