"""What became of the pages that a person named for a question: as an exit status, as JSON, and as lines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from limen.core.fault import Refusal
from limen.surfaces.cli.faults import status_of_refusal
from limen.surfaces.cli.screen import Screen

if TYPE_CHECKING:
    from limen.agent.sources import NamedPage


def failure(pages: "Sequence[NamedPage]") -> Refusal | None:
    """Why a question about these pages has failed: some could not be had, and none was read. Else None.

    A refusal by a gate goes before a page that could not be had.
    """
    unread = [(page.url, page.refusal) for page in pages if page.refusal is not None]
    if not unread or any(page.state == "read" for page in pages):
        return None
    url, refusal = max(unread, key=lambda one: status_of_refusal(one[1]))
    none = "" if len(pages) == 1 else f"none of the {len(pages)} named pages was read; "
    return msgspec.structs.replace(refusal, reason=f"{none}{url}: {refusal.reason}")


def published_pages(pages: "Sequence[NamedPage]") -> list[dict[str, Any]]:
    """Each named page with `read` and, where it is not, `error`; that is null for a page that the model did not ask for."""
    return [
        {
            "url": page.url,
            "read": page.state == "read",
            "error": None if page.refusal is None else page.refusal.published(),
        }
        for page in pages
    ]


def warn_of_unread(screen: Screen, pages: "Sequence[NamedPage]") -> None:
    """A line on stderr for each page that was not read."""
    for page in pages:
        if page.state == "untried":
            _warn(screen, f"not read: {page.url}, since the model did not ask for it")
        elif page.refusal is not None:
            _warn(screen, f"not read: {page.url}: {page.refusal.reason} [{page.refusal.code}]")


def _warn(screen: Screen, text: str) -> None:
    screen.fresh_line()
    screen.say("! ", "warn", end="")
    screen.say(" ".join(text.split()))
