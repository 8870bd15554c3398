"""Formulas of Office Math (ECMA-376 part 1, 22.1) as TeX."""

from turbohtml import Element

from limen.reading.formats.office.package import children, first, local, value
from limen.reading.markup.mathml import BIG, NAMES, NEXT_ROW

_SPECIAL = str.maketrans(
    {"%": r"\%", "#": r"\#", "&": r"\&", "_": r"\_", "{": r"\{", "}": r"\}", "$": r"\$", "\\": r"\backslash "}
)
_ACCENTS = {
    "\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "overline", "\u0307": "dot", "\u0308": "ddot",
    "\u030c": "check", "\u0306": "breve", "\u20d7": "vec", "\u2192": "vec", "¯": "bar", "^": "hat", "~": "tilde",
}  # fmt: skip
_FENCES = {"{": r"\{", "}": r"\}", "⟨": r"\langle ", "⟩": r"\rangle ", "‖": r"\|", "": "."}


def tex_of(element: Element | None) -> str:
    """The TeX of what stands below an element."""
    return "".join(_one(tag, child) for tag, child in children(element))


def _one(tag: str, e: Element) -> str:
    made = _STRUCTURES.get(tag)
    if made is not None:
        return made(e)
    if tag == "t":
        return e.text.translate(_SPECIAL)
    return "" if tag.endswith("Pr") else tex_of(e)


def _part(e: Element, name: str) -> str:
    return tex_of(first(e, name)).strip()


def _set(e: Element, properties: str, name: str, otherwise: str) -> str:
    """A property's value, which may be there and empty."""
    found = first(e, properties, name)
    return otherwise if found is None else value(found, "val")


def _fraction(e: Element) -> str:
    kind, over, under = _set(e, "fPr", "type", "bar"), _part(e, "num"), _part(e, "den")
    if kind == "noBar":
        return rf"\binom{{{over}}}{{{under}}}"
    return f"{{{over}}}/{{{under}}}" if kind in {"lin", "skw"} else rf"\frac{{{over}}}{{{under}}}"


def _scripts(e: Element) -> str:
    base = _part(e, "e")
    base = base if len(base) == 1 else f"{{{base}}}"
    below, above = _part(e, "sub"), _part(e, "sup")
    scripts = (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")
    return f"{{}}{scripts}{base}" if local(e) == "sPre" else base + scripts


def _root(e: Element) -> str:
    degree = _part(e, "deg")
    return rf"\sqrt[{degree}]{{{_part(e, 'e')}}}" if degree else rf"\sqrt{{{_part(e, 'e')}}}"


def _nary(e: Element) -> str:
    sign = _set(e, "naryPr", "chr", "∫")
    below, above = _part(e, "sub"), _part(e, "sup")
    scripts = (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")
    return f"{BIG.get(sign, sign)}{scripts} {_part(e, 'e')}"


def _fenced(e: Element) -> str:
    opened, closed = _set(e, "dPr", "begChr", "("), _set(e, "dPr", "endChr", ")")
    inner = _set(e, "dPr", "sepChr", "|").join(tex_of(child).strip() for tag, child in children(e) if tag == "e")
    return rf"\left{_FENCES.get(opened, opened)}{inner}\right{_FENCES.get(closed, closed)}"


def _matrix(e: Element) -> str:
    rows = (
        " & ".join(tex_of(cell).strip() for tag, cell in children(row) if tag == "e") for tag, row in children(e) if tag == "mr"
    )
    return rf"\begin{{matrix}}{NEXT_ROW.join(rows)}\end{{matrix}}"


def _array(e: Element) -> str:
    rows = (tex_of(row).strip().replace(r"\&", "&") for tag, row in children(e) if tag == "e")
    return rf"\begin{{aligned}}{NEXT_ROW.join(rows)}\end{{aligned}}"


def _function(e: Element) -> str:
    name = _part(e, "fName")
    word = next((known for known in NAMES if name == known or name.startswith((known + "_", known + "^"))), "")
    return f"{chr(92) + name if word else name} {_part(e, 'e')}"


def _limit(e: Element) -> str:
    base = _part(e, "e")
    base = rf"\{base}" if base in NAMES else base
    return f"{base}{'_' if local(e) == 'limLow' else '^'}{{{_part(e, 'lim')}}}"


def _accent(e: Element) -> str:
    sign = _set(e, "accPr", "chr", "\u0302")
    return rf"\{_ACCENTS.get(sign, 'hat')}{{{_part(e, 'e')}}}"


def _bar(e: Element) -> str:
    return rf"\{'overline' if _set(e, 'barPr', 'pos', 'bot') == 'top' else 'underline'}{{{_part(e, 'e')}}}"


def _group(e: Element) -> str:
    return rf"\{'overbrace' if _set(e, 'groupChrPr', 'pos', 'bot') == 'top' else 'underbrace'}{{{_part(e, 'e')}}}"


_STRUCTURES = {
    "f": _fraction, "sSup": _scripts, "sSub": _scripts, "sSubSup": _scripts, "sPre": _scripts, "rad": _root, "nary": _nary,
    "d": _fenced, "m": _matrix, "eqArr": _array, "func": _function, "limLow": _limit, "limUpp": _limit, "acc": _accent,
    "bar": _bar, "groupChr": _group,
}  # fmt: skip
