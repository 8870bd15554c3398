"""What `web.mode` allows."""

from limen.core.fault import Refusal


def outside_mode(mode: str) -> Refusal | None:
    """The refusal of every page where the mode lets none be fetched; None where it does."""
    if mode == "live":
        return None
    return Refusal("resolve", "web.mode", f"The mode {mode!r} lets no page be fetched.", "limen config set web.mode live")
