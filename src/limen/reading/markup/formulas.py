"""Formulas: their TeX source where the page carries it, once."""

from turbohtml import Element

from limen.reading.markup.convert import literal


def mend_formulas(region: Element) -> None:
    """Write each MathML formula as `$TeX$` where it is annotated, else drop the annotations that would repeat it."""
    for formula in region.select("math"):
        source = formula.select_one('annotation[encoding*="tex" i]')
        tex = " ".join((source.text if source is not None else formula.attr("alttext") or "").split())
        if tex:
            mark = "$$" if formula.attr("display") == "block" else "$"
            formula.replace_with(literal(f"{mark}{tex}{mark}"))
        else:
            for annotation in formula.select("annotation,annotation-xml"):
                annotation.extract()
