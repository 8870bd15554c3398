"""Formulas of Office Math (ECMA-376 part 1, 22.1) as TeX."""

from turbohtml import Element

from limen.reading.formats.office.package import children, first, local, value
from limen.reading.markup.mathml import ACCENTS, BIG, NAMES, SPECIAL, grid, root, scripted

_FENCES = {"{": r"\{", "}": r"\}", "⟨": r"\langle ", "⟩": r"\rangle ", "‖": r"\|", "": "."}


def tex_of(element: Element | None) -> str:
    """The TeX of what stands below an element."""
    return "".join(_one(tag, child) for tag, child in children(element))


def _one(tag: str, e: Element) -> str:
    made = _STRUCTURES.get(tag)
    if made is not None:
        return made(e)
    if tag == "t":
        return e.text.translate(SPECIAL)
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
    base, below, above = _part(e, "e"), _part(e, "sub"), _part(e, "sup")
    return "{}" + scripted("", below, above) + scripted(base) if local(e) == "sPre" else scripted(base, below, above)


def _root(e: Element) -> str:
    return root(_part(e, "e"), _part(e, "deg"))


def _nary(e: Element) -> str:
    sign = _set(e, "naryPr", "chr", "∫")
    return f"{scripted(BIG.get(sign, sign), _part(e, 'sub'), _part(e, 'sup'))} {_part(e, 'e')}"


def _fenced(e: Element) -> str:
    opened, closed = _set(e, "dPr", "begChr", "("), _set(e, "dPr", "endChr", ")")
    inner = _set(e, "dPr", "sepChr", "|").join(tex_of(child).strip() for tag, child in children(e) if tag == "e")
    return rf"\left{_FENCES.get(opened, opened)}{inner}\right{_FENCES.get(closed, closed)}"


def _matrix(e: Element) -> str:
    rows = (row for tag, row in children(e) if tag == "mr")
    return grid("matrix", ((tex_of(cell).strip() for tag, cell in children(row) if tag == "e") for row in rows))


def _array(e: Element) -> str:
    return grid("aligned", ((tex_of(row).strip().replace(r"\&", "&"),) for tag, row in children(e) if tag == "e"))


def _function(e: Element) -> str:
    name = _part(e, "fName")
    word = next((known for known in NAMES if name == known or name.startswith((known + "_", known + "^"))), "")
    return f"{chr(92) + name if word else name} {_part(e, 'e')}"


def _limit(e: Element) -> str:
    base, limit = _part(e, "e"), _part(e, "lim")
    base = rf"\{base}" if base in NAMES else base
    return scripted(base, below=limit) if local(e) == "limLow" else scripted(base, above=limit)


def _accent(e: Element) -> str:
    return rf"\{ACCENTS.get(_set(e, 'accPr', 'chr', '^'), 'hat')}{{{_part(e, 'e')}}}"


def _lined(e: Element) -> str:
    """A bar or a brace over or under what it belongs to."""
    line = "line" if local(e) == "bar" else "brace"
    return rf"\{'over' if _set(e, f'{local(e)}Pr', 'pos', 'bot') == 'top' else 'under'}{line}{{{_part(e, 'e')}}}"


_STRUCTURES = {
    "f": _fraction, "sSup": _scripts, "sSub": _scripts, "sSubSup": _scripts, "sPre": _scripts, "rad": _root, "nary": _nary,
    "d": _fenced, "m": _matrix, "eqArr": _array, "func": _function, "limLow": _limit, "limUpp": _limit, "acc": _accent,
    "bar": _lined, "groupChr": _lined,
}  # fmt: skip
