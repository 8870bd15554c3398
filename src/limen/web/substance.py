"""What becomes of a page that is none: it counts as unread, and what there was of it goes with the reason."""

import shlex
from urllib.parse import urlsplit

import msgspec

from limen.core.fault import Refusal
from limen.core.web import Page, Shell
from limen.kit.text import clip, writable

# What is told of a text that is no page's.
_TOLD_CHARS = 600
_TOLD_TARGETS = 4
_MARKUP = frozenset("[]()!*_#>|-…\\`")

_SAVE = "open it in a browser, save what it shows as a file, and: limen library add FILE"
_MENDS = {
    "reader.empty_page": "Check the address, or read another page.",
    "reader.not_found": "Check the address, or search for where the page has gone.",
    "reader.parked": "Search for where the site has gone.",
    "reader.unavailable": "Try again later.",
}


def without_text(page: Page, gate: str) -> Refusal | None:
    """Why a page counts as unread, None where it says something of its own. `gate` names who read it.

    Codes: those of `Shell`, with `kind` and `targets` in the detail, and the `text` that was there. A reader of others' is not
    taken at its word for where that came from, which no gate looks at again.
    """
    shell = page.shell
    if shell is not None and shell.partly:
        return None
    if shell is None:
        if _says_something(page):
            return None
        shell = Shell("reader.empty_page", "The page holds no text.")
    told = {
        "kind": shell.kind,
        "targets": list(shell.targets[:_TOLD_TARGETS]),
        "text": clip(writable(page.text.strip()), _TOLD_CHARS) if gate == "local" else "",
    }
    return Refusal(gate, shell.code, shell.reason, _mend(shell, page), {name: one for name, one in told.items() if one})


def noticed(page: Page) -> Page:
    """The page with a notice where it is only part of one."""
    if page.shell is None or not page.shell.partly:
        return page
    notice = " ".join(filter(None, (page.shell.reason, page.shell.mend)))
    return page if notice in page.notices else msgspec.structs.replace(page, notices=(*page.notices, notice))


def _mend(shell: Shell, page: Page) -> str:
    if shell.mend:
        return shell.mend
    if shell.targets:
        return f"limen extract {' '.join(map(shlex.quote, shell.targets[:_TOLD_TARGETS]))}"
    if shell.kind in ("login", "paywall") and (host := urlsplit(page.url).netloc):
        return f"Read another page on the subject, or log in, for the browser's tools: limen browser login {shlex.quote(host)}"
    fallback = f"O{_SAVE[1:]}" if shell.code == "reader.needs_browser" else f"Read another page on the subject, or {_SAVE}"
    return _MENDS.get(shell.code, fallback)


def _says_something(page: Page) -> bool:
    if page.media_type not in ("text/html", "application/xhtml+xml"):
        return bool(page.text.strip())  # an empty list is an answer of its own
    return any(not char.isspace() and char not in _MARKUP for char in page.text)
