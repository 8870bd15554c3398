"""What a vendor's failure is, judged from its answer alone: status, headers, error object, and where those are vague, words."""

import re
import shlex
from collections.abc import Mapping
from typing import Any

import msgspec

from limen.core.fault import FaultClass, ModelFault, ModelFaultKind
from limen.core.route import Route
from limen.kit.clock import Clock, wall_s
from limen.kit.text import clip
from limen.models import wordings as words
from limen.models.reset_time import wait_s
from limen.models.said import Said, said_by, said_in

_REASON_CHARS = 400
_STRANGER_CHARS = 80
# A day's quota that is used up ends no sooner, in seconds.
_DAILY_AT_LEAST_S = 60.0


_HTML = re.compile(rb"\s*(?:<!doctype html|<html|<\?xml|<head|<body)", re.IGNORECASE)
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)

_BY_STATUS: Mapping[int, ModelFaultKind] = {
    401: "auth", 402: "billing", 403: "auth", 408: "network", 413: "window", 429: "rate", 503: "overload", 529: "overload",
}  # fmt: skip
_READINGS: Mapping[int, tuple[tuple[ModelFaultKind, re.Pattern[str]], ...]] = {
    400: (
        ("window", words.WINDOW), ("billing", words.BILLING), ("quota", words.QUOTA), ("rate", words.THROTTLED),
        ("filter", words.FILTER), ("auth", words.AUTH),
    ),
    401: (),
    402: (("quota", words.QUOTA), ("rate", words.RATE)),
    403: (("billing", words.BILLING), ("filter", words.FILTER), ("overload", words.OVERLOAD), ("upstream", words.UPSTREAM)),
    404: (("billing", words.BILLING),),
    429: (
        ("window", words.WINDOW_ALONE), ("overload", words.OVERLOAD), ("upstream", words.UPSTREAM), ("billing", words.BILLING),
        ("quota", words.QUOTA), ("window", words.TOO_LARGE),
    ),
}  # fmt: skip
"""What a status may mean beside its usual meaning, by the words that go with it. A request's own text may stand among them, so
a status is asked for no more than vendors really say with it."""
_SERVER: tuple[tuple[ModelFaultKind, re.Pattern[str]], ...] = (("window", words.WINDOW), ("overload", words.OVERLOAD))
_NAMELESS: tuple[tuple[ModelFaultKind, re.Pattern[str]], ...] = (
    ("window", words.WINDOW), ("overload", words.OVERLOAD), ("billing", words.BILLING), ("quota", words.QUOTA),
    ("rate", words.RATE), ("filter", words.FILTER), ("auth", words.AUTH),
)  # fmt: skip
_STATUS_OF: Mapping[str, int] = {
    "invalid_request_error": 400, "invalid_prompt": 400, "invalid_argument": 400, "context_length_exceeded": 400,
    "authentication_error": 401, "invalid_api_key": 401, "billing_error": 402, "permission_error": 403, "not_found_error": 404,
    "model_not_found": 404, "request_too_large": 413, "rate_limit_error": 429, "rate_limit_exceeded": 429,
    "insufficient_quota": 429, "resource_exhausted": 429, "api_error": 500, "server_error": 500, "timeout_error": 504,
    "overloaded_error": 529, "server_is_overloaded": 529, "slow_down": 529,
}  # fmt: skip
"""The status that an error's name stands for, where it comes inside an answer that began as a success."""

UNSENT = 400
"""The status of a request that could not even be sent: it would be refused each time."""

_ANOTHER = "choose another route: limen model list"
_TEST, _LIST = "limen model test", "limen model list"
_MENDS: Mapping[ModelFaultKind, str] = {
    "auth": "check the key: limen doctor",
    "billing": f"add credit at the provider, or {_ANOTHER}",
    "quota": f"wait until the quota renews, or {_ANOTHER}",
    "rate": f"wait, or {_ANOTHER}",
    "overload": f"try again later, or {_ANOTHER}",
    "upstream": f"try again, or {_ANOTHER}",
    "window": "ask in a new session, or choose a model with a larger window: limen model list",
    "filter": f"rephrase, or {_ANOTHER}",
    "shape": "check the model's name and the endpoint: limen model list",
    "network": "check the connection and the endpoint: limen model test",
    "page": "a proxy, a CDN or a login page answered, so the key is not to blame; check endpoint and network: limen model test",
}


def fault(
    kind: ModelFaultKind, reason: str, *, mend: str = "", status: int | None = None, wait_s: float | None = None
) -> ModelFault:
    """A ModelFault of `kind`, with the mend that belongs to it where none is given."""
    return ModelFault(kind, reason, mend or _MENDS[kind], status, wait_s)


def at_route(failed: ModelFault, route: Route) -> ModelFault:
    """The same fault with commands in its mend that are about this very route, not about the one that is chosen."""
    mend = failed.mend
    for bare, whole in ((_TEST, f"{_TEST} {route.typed}"), (f"endpoint: {_LIST}", f"endpoint: {_LIST} {_server(route)}")):
        mend = mend.replace(bare, whole) if mend.endswith(bare) else mend
    return failed.retold(failed.reason, mend)


def mend_of_swap(kind: FaultClass, route: Route) -> str:
    """What a person does about a route that gave way to another because of a failure of that kind; empty where nothing helps."""
    match kind:
        case "window" | "missing" | "shape":
            return f"{_LIST} {_server(route)}"
        case "auth" | "billing" | "quota" | "rate" if route.references:
            return f"limen credentials status {shlex.quote(route.provider)}"
        case "filter":
            return ""
        case _:
            return f"{_TEST} {route.typed}"


def _server(route: Route) -> str:
    """What names a route's server in a shell."""
    return msgspec.structs.replace(route, model="").typed


def fault_of_answer(status: int, headers: Mapping[str, str], body: bytes, now: Clock = wall_s) -> ModelFault:
    """What an HTTP answer that is no reply means. `body` may be cut; `headers` must not mind case."""
    if 300 <= status < 400:
        mend = "set the provider's endpoint to where it moved; a key never follows a redirect"
        return fault("shape", f"the endpoint redirects to {clip(headers.get('location', '?'), 200)}", mend=mend, status=status)
    if status < 500 and is_html(headers.get("content-type", ""), body):
        return fault("page", f"a web page came back instead of a reply (HTTP {status}, {_title(body)})", status=status)
    said = Said() if is_html(headers.get("content-type", ""), body) else said_in(body)
    limited = status in (402, 403, 429)
    wait = wait_s({**said.headers, **headers}, said.fields, said.message, now, limited=limited)
    reason = f"HTTP {status}" + (f": {clip(said.message, _REASON_CHARS)}" if said.message else "")
    return _judged(status, said, reason, wait)


def fault_of_stranger(status: int, content_type: str, body: bytes) -> ModelFault:
    """An answer of success that no model server gives: neither a document nor a stream of events."""
    text = body.decode("utf-8", "replace")
    readable = "\ufffd" not in text and all(char.isprintable() or char.isspace() for char in text)
    said = f", {clip(text, _STRANGER_CHARS)!r}" if readable else ""
    what = f"{content_type or 'something without a type'} came back instead of a reply"
    return fault("page", f"{what} (HTTP {status}, {len(body):,} bytes{said})", status=status)


def fault_of_error(error: Any, now: Clock = wall_s) -> ModelFault:
    """What an error object inside an answer of status 200 means, such as one in the middle of a stream."""
    said = said_by(error)
    named = (said.number, *(_STATUS_OF.get(code.lower()) for code in said.codes))
    status = next((one for one in named if one is not None and 400 <= one < 600), 0)
    wait = wait_s(said.headers, said.fields, said.message, now)
    told = clip(said.message or " ".join(said.codes) or "no reason given", _REASON_CHARS)
    return _judged(status, said, f"the provider broke off: {told}", wait)


def no_reply(reason: str) -> ModelFault:
    """An answer that came whole and is no reply: class `reply`, which a second try may mend."""
    return fault("shape", reason, mend=_MENDS["upstream"])


def _judged(status: int, said: Said, reason: str, wait: float | None) -> ModelFault:
    kind = kind_of(status, said, wait)
    if kind == "quota" and wait is not None and wait < _DAILY_AT_LEAST_S:
        wait = None  # a vendor names the pause of its shortest limit, though the day's is the one reached
    if kind == "shape" and status != 404 and words.MISSING.search(said.words):
        status = 404
    return fault(kind, reason, status=status or 500, wait_s=wait)


def kind_of(status: int, said: Said, wait_s: float | None = None) -> ModelFaultKind:
    """The class of a failure; `status` 0 where there is none. Words decide where a status means several things; a wall with a
    near end is a rate."""
    readings = _SERVER if status >= 500 else _READINGS.get(status, _READINGS[400]) if status else _NAMELESS
    for kind, pattern in readings:
        if pattern.search(said.words):
            return _by_its_end(kind, said, wait_s, usual=_BY_STATUS.get(status))
    return _BY_STATUS.get(status, "shape" if 0 < status < 500 else "upstream")


def _by_its_end(kind: ModelFaultKind, said: Said, wait_s: float | None, usual: ModelFaultKind | None) -> ModelFaultKind:
    if usual == "billing":
        return "billing" if wait_s is None else "rate"
    if kind != "quota" or wait_s is None or "insufficient_quota" in said.codes:
        return kind
    return "quota" if words.DAILY.search(f"{said.words} {said.limits}") else "rate"


def is_html(content_type: str, body: bytes) -> bool:
    """Whether an answer is a web page, by its type or its first bytes."""
    return content_type.partition(";")[0].strip().lower() in ("text/html", "application/xhtml+xml") or bool(_HTML.match(body))


def _title(body: bytes) -> str:
    found = _TITLE.search(body)
    return repr(clip(found[1].decode("utf-8", "replace"), 80)) if found else "without a title"
