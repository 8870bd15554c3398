"""A page in a browser as tools see it: what it shows, and what can be done with it."""

from typing import Literal

import msgspec

from limen.core.fault import Refusal

Act = Literal["click", "type", "select", "scroll"]


class Action(msgspec.Struct, frozen=True):
    """What to do with an element of the last snapshot; `scroll` without one moves the page by a window's height, up for "up"."""

    do: Act
    ref: str = ""
    text: str = ""
    submit: bool = False


class Seen(msgspec.Struct, frozen=True):
    """A page as it stands in the browser: its elements as an accessibility tree with references, cut where it is long."""

    url: str
    title: str
    snapshot: str
    status: int | None = None
    notices: tuple[str, ...] = ()


def no_page() -> Refusal:
    """No page is open in this session's browser."""
    return Refusal("browser", "browser.no_page", "No page is open in this session's browser.", "Open one with browser_open.")
