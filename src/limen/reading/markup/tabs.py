"""Tabs: each panel stands in the text under its tab's label, the closed ones too."""

from collections.abc import Sequence

from turbohtml import Element, Node, Text

from limen.reading.elements import children_of

_TABS = '[role="tab"],[data-bs-toggle="tab"],[data-toggle="tab"],[data-bs-toggle="pill"]'
_PANELS = '[role="tabpanel"],.tab-pane'
_ROWS = '[role="tablist"]'
# Labels and panels that only their order joins: the holder of the labels, then that of the panels.
_PAIRED = ((".tabbed-labels", ".tabbed-content"), (".vp-code-group > .tabs", ".blocks"), (".code-tabs-nav", ".code-tabs-content"))
# Labels that stand just before their panel.
_BEFORE = ".sd-tab-set > label,.tab-set > label,.tabbed-set > label"
_ANY = ",".join((_TABS, _BEFORE, *(labels for labels, _ in _PAIRED)))
_LABEL_CHARS = 80


def mend_tabs(root: Node) -> None:
    """Label every panel below `root` that has a tab, show it, and take the tabs away."""
    if root.select_one(_ANY) is None:
        return
    for label in root.select(_BEFORE):
        label.tag = "p"
        label.wrap_children(Element("strong"))
    for labels, panels in _PAIRED:
        for row in root.select(labels):
            body = next((node for node in row.next_siblings if isinstance(node, Element) and node.matches(panels)), None)
            if body is not None:
                _label_all(_children(row, "label,button,a,li"), _children(body, "*"))
    tabs = root.select(_TABS)
    if tabs:
        _mend_linked(tabs, root.select(_PANELS))
        for row in root.select(_ROWS):
            if not row.text.strip():
                row.extract()


def _mend_linked(tabs: Sequence[Element], panels: Sequence[Element]) -> None:
    """Panels that name their tab or are named by it; the others beside as many tabs have them in their order."""
    names: dict[str, Element] = {}
    for tab in tabs:
        href = tab.attr("href") or ""
        for name in (tab.attr("aria-controls"), tab.attr("data-bs-target"), tab.attr("data-target"), href):
            if name and (name != href or name[0] == "#"):
                names.setdefault(name.lstrip("#"), tab)
        names.setdefault(f"#{tab.attr('id')}", tab)
    alone: dict[Node, list[Element]] = {}
    for panel in panels:
        tab_of = names.get(panel.attr("id") or "", names.get(f"#{panel.attr('aria-labelledby') or ''}"))
        if tab_of is not None:
            _label(panel, tab_of)
        elif panel.parent is not None:
            alone.setdefault(panel.parent, []).append(panel)
    for holder, siblings in alone.items():
        row = holder.select_one(_ROWS)
        if row is None and holder.parent is not None:
            row = holder.parent.select_one(_ROWS)
        if row is not None:
            _label_all(row.select(_TABS), siblings)


def _label_all(tabs: Sequence[Element], panels: Sequence[Element]) -> None:
    if len(tabs) == len(panels):
        for tab, panel in zip(tabs, panels, strict=True):
            _label(panel, tab)


def _label(panel: Element, tab: Element) -> None:
    text = " ".join(tab.text.split())
    inside = panel.text.strip()
    if not text or not inside or len(text) > _LABEL_CHARS or panel in tab.ancestors:
        return
    for name in ("hidden", "aria-hidden", "style"):
        if panel.attr(name) is not None:
            del panel.attrs[name]
    heading = panel.select_one("h1,h2,h3,h4,h5,h6")
    first = heading.text.strip() if heading is not None else ""
    if text not in {inside, inside.split("\n", 1)[0].strip(), first if inside.startswith(first) else ""}:
        panel.insert(0, Element("p", {}, [Element("strong", {}, [Text(text)])]))
    if tab.select_one("h1,h2,h3,h4,h5,h6") is None:
        tab.clear()


def _children(holder: Element, selector: str) -> list[Element]:
    return [child for child in children_of(holder) if child.matches(selector)]
