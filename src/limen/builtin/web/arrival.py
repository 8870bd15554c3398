"""What the way to a page says of it: a status of failure with a wall behind it, a redirect to the site's home page."""

from urllib.parse import urlsplit

import msgspec

from limen.core.fault import Refusal
from limen.core.web import Page

# Walls that say more than a status of failure does: 403 stands for a bot check as well as for a closed door.
_TELLING = frozenset({"captcha", "region", "age", "consent", "cookies"})
_WHOLE_NAME_CHARS = 12
LED_HOME = "The address led to the site's home page: the page that was asked for is probably gone."


def failure_of(page: Page, failure: Refusal) -> Refusal:
    """What a server's failure was, given the page that it came with."""
    shell = page.shell
    if shell is None or shell.kind not in _TELLING:
        return failure
    reason = f"{failure.reason}: {shell.reason[0].lower()}{shell.reason[1:]}"
    return msgspec.structs.replace(
        failure, gate="local", code=shell.code, reason=reason, detail={**failure.detail, "kind": shell.kind}
    )


def noted(page: Page, asked: str, came_to: str) -> Page:
    """The page with a notice where a page deep in the site led to its home page."""
    there, here = urlsplit(asked), urlsplit(came_to)
    if here.path.strip("/") or here.query or not _names_a_page(there.path) or not _same_site(there.hostname, here.hostname):
        return page
    return msgspec.structs.replace(page, notices=(LED_HOME, *page.notices))


def _names_a_page(path: str) -> bool:
    """Whether a path leads deeper than to a home page by another name (`/en`, `/index.html`, `/home`)."""
    steps = [step for step in path.split("/") if step]
    return len(steps) > 1 or (len(steps) == 1 and len(steps[0]) >= _WHOLE_NAME_CHARS and "index" not in steps[0].lower())


def _same_site(one: str | None, other: str | None) -> bool:
    return (one or "").removeprefix("www.") == (other or "").removeprefix("www.")
