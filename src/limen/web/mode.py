"""What `web.mode` allows."""

from typing import Literal

from limen.core.fault import Refusal

Mode = Literal["off", "cached", "indexed", "live"]


def outside_mode(mode: str) -> Refusal | None:
    """The refusal of every page where the mode lets none be fetched; None where it does."""
    if mode == "live":
        return None
    return Refusal("resolve", "web.mode", f"The mode {mode!r} lets no page be fetched.", "limen config set web.mode live")


def switched_off(mode: Mode) -> Refusal | None:
    """The refusal of every page, kept ones too, where the web is off; None where it is not."""
    return outside_mode(mode) if mode == "off" else None


def nothing_kept(mode: str) -> Refusal:
    """The refusal of a page that may not be fetched and of which nothing is at hand."""
    reason = f"The mode {mode!r} lets no page be fetched, and neither the cache, the library nor a stored page holds this one."
    return Refusal("cache", "web.mode", reason, "limen config set web.mode live")


def no_search(mode: Mode, *, asks_outside: bool) -> Refusal | None:
    """Why nothing is searched: at all, or where somebody outside would be asked; None where the mode lets it be."""
    if mode == "off":
        return Refusal("resolve", "web.mode", "The mode 'off' lets nothing be searched.", _SEARCHES)
    if mode == "cached" and asks_outside:
        reason = "The mode 'cached' lets nobody be asked: neither the library nor an earlier search holds an answer."
        return Refusal("resolve", "web.mode", reason, _SEARCHES)
    return None


def no_facts(mode: Mode, kind: str) -> Refusal | None:
    """Why no provider of facts is asked; None where the mode lets it be."""
    if mode in ("off", "cached"):
        return Refusal("resolve", "web.mode", f"The mode {mode!r} lets nobody be asked for {kind}.", _SEARCHES)
    return None


_SEARCHES = "limen config set web.mode indexed"
