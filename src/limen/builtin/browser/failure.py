"""What a browser's failures mean, and what is said of requests that were refused."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from playwright.async_api import Error
from playwright.async_api import TimeoutError as TookTooLong

from limen.builtin.browser.admission import NOT_ASKED
from limen.core.fault import Refusal
from limen.net.checking_proxy import Blocked

_TOLD_HOSTS = 5
# Chromium's and Playwright's words for a navigation that ends without a page.
_NOTHING_SHOWN = ("net::ERR_ABORTED", "Download is starting")


def explained(error: Error, url: str, blocked: Iterable[Blocked]) -> Refusal:
    """What an error of the browser means: the gate's refusal where one stands behind it.

    Codes: those of the gates, `browser.timeout`, `browser.closed`, `browser.failed`.
    """
    text = error.message
    refusal = refusal_of(url, blocked)
    if refusal is not None:
        return refusal
    host = urlsplit(url).hostname or "the page"
    if isinstance(error, TookTooLong):
        return Refusal(
            "browser", "browser.timeout", f"{host} took too long in the browser.", "Try again, or raise browser.timeout_s."
        )
    if "closed" in text or "crashed" in text:
        return Refusal("browser", "browser.closed", "The browser has ended, or its page has.", "Open the page again.")
    if any(sign in text for sign in _NOTHING_SHOWN):
        reason = f"{host} answered with nothing that a browser shows: an empty answer, or a file."
        return Refusal("browser", "browser.failed", reason, "Read it with web_extract, or save the file with web_fetch.")
    reason = text.partition("\n")[0].partition(" at http")[0][:200]
    return Refusal("browser", "browser.failed", f"The browser could not do it at {host}: {reason}", "Try another way.")


def refusal_of(url: str, blocked: Iterable[Blocked]) -> Refusal | None:
    """Why the latest request to this address's host was refused."""
    host = urlsplit(url).hostname
    return next((one.refusal for one in reversed(list(blocked)) if urlsplit(one.url).hostname == host), None)


def notices_of(blocked: Iterable[Blocked]) -> tuple[str, ...]:
    """What a page was refused while it was shown: each host once, with the first code."""
    codes: dict[str, str] = {}
    for one in blocked:
        if one.refusal.code == NOT_ASKED:  # the browser's own wish and no page's
            continue
        codes.setdefault(urlsplit(one.url).hostname or one.url[:80], one.refusal.code)
    told = [f"{host} [{code}]" for host, code in list(codes.items())[:_TOLD_HOSTS]]
    more = f" and {len(codes) - _TOLD_HOSTS} more" if len(codes) > _TOLD_HOSTS else ""
    return (f"The page was refused: {', '.join(told)}{more}.",) if told else ()
