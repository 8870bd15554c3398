"""What a vendor's failure is, judged from its answer alone: status, headers, error object, and where those are vague, words."""

import re
from collections.abc import Mapping
from typing import Any

from limen.core.fault import ModelFault, ModelFaultKind
from limen.kit.clock import Clock, wall_s
from limen.kit.text import clip
from limen.models.reset_time import wait_s
from limen.models.said import Said, said_by, said_in

_REASON_CHARS = 400


def _any_of(*wordings: str) -> re.Pattern[str]:
    return re.compile("|".join(wordings), re.IGNORECASE | re.DOTALL)


# Wordings of several vendors, from their documentation and from reports of what they really send.
_WINDOW = _any_of(
    r"exceed_context_size|context_length_exceeded|context_exceeded|string_above_max_length|max_prompt_tokens",
    r"maximum context length|maximum prompt length|longer than the maximum model length|must be less than max_seq_len",
    r"context (?:length|window|size|limit)\b.{0,60}\b(?:exceed|reach|only|is)",
    r"exceeds? (?:the )?(?:available |model'?s )?(?:maximum )?(?:context|input)",
    r"input (?:length|token count).{0,60}exceed",
    r"(?:prompt|input) is too long|too long to fit|reduce the length of the messages",
    r"too large for model with \d+ maximum context|request too large.{0,60}tokens",
)
_QUOTA = _any_of(r"insufficient_quota|exceeded your current quota|quota (?:has been )?exceeded", r"(?:usage|monthly|daily) limit")
_BILLING = _any_of(
    r"insufficient[_ ](?:credits?|balance|funds)|credit balance|out of credits|payment required|billing_not_active",
    r"(?:add|purchase) (?:more )?credits|余额不足",
)
_OVERLOAD = _any_of(r"overloaded|no available (?:model )?provider|server is busy|at capacity|capacity exceeded|loading model")
_FILTER = _any_of(
    r"content_filter|content_policy|content management policy|moderation|flagged|safety system",
    r"data_inspection_failed|prohibited_content",
)
_RATE = _any_of(r"rate.?limit|too many requests|resource.?exhausted|throttl")
_AUTH = _any_of(r"(?:invalid|incorrect).{0,10}api.?key|api.?key not valid|unauthori[sz]ed|authentication|permission.?denied")
_TOO_LARGE = _any_of(r"request too large")
_HTML = re.compile(rb"\s*(?:<!doctype html|<html|<\?xml|<head|<body)", re.IGNORECASE)
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)

_BY_STATUS: Mapping[int, ModelFaultKind] = {
    401: "auth", 402: "billing", 403: "auth", 408: "network", 413: "window", 429: "rate", 503: "overload", 529: "overload",
}  # fmt: skip
_READINGS: Mapping[int, tuple[tuple[ModelFaultKind, re.Pattern[str]], ...]] = {
    401: (),
    402: (),
    403: (("billing", _BILLING), ("filter", _FILTER), ("overload", _OVERLOAD)),
    404: (("billing", _BILLING),),
    429: (("overload", _OVERLOAD), ("billing", _BILLING), ("quota", _QUOTA), ("window", _TOO_LARGE)),
}
_ANY_STATUS: tuple[tuple[ModelFaultKind, re.Pattern[str]], ...] = (
    ("window", _WINDOW), ("overload", _OVERLOAD), ("billing", _BILLING), ("quota", _QUOTA), ("rate", _RATE), ("filter", _FILTER),
    ("auth", _AUTH),
)  # fmt: skip

_ANOTHER = "choose another route: limen model set ROUTE"
_MENDS: Mapping[ModelFaultKind, str] = {
    "auth": "check the key: limen doctor",
    "billing": f"add credit at the provider, or {_ANOTHER}",
    "quota": f"wait until the quota renews, or {_ANOTHER}",
    "rate": f"wait, or {_ANOTHER}",
    "overload": f"try again later, or {_ANOTHER}",
    "upstream": f"try again, or {_ANOTHER}",
    "window": "ask in a new session, or choose a model with a larger window: limen model set ROUTE",
    "filter": f"rephrase, or {_ANOTHER}",
    "shape": "check the model's name and the endpoint: limen model list",
    "network": "check the connection and the endpoint: limen model test",
    "page": "something answers in the provider's place; check the endpoint and the proxy: limen model test",
}


def fault(
    kind: ModelFaultKind, reason: str, *, mend: str = "", status: int | None = None, wait_s: float | None = None
) -> ModelFault:
    """A ModelFault of `kind`, with the mend that belongs to it where none is given."""
    return ModelFault(kind, reason, mend or _MENDS[kind], status, wait_s)


def fault_of_answer(status: int, headers: Mapping[str, str], body: bytes, now: Clock = wall_s) -> ModelFault:
    """What an HTTP answer that is no reply means. `body` may be cut; `headers` must not mind case."""
    if 300 <= status < 400:
        mend = "set the provider's endpoint to where it moved; a key never follows a redirect"
        return fault("shape", f"the endpoint redirects to {clip(headers.get('location', '?'), 200)}", mend=mend, status=status)
    if status < 500 and is_html(headers.get("content-type", ""), body):
        return fault("page", f"a web page came back instead of a reply (HTTP {status}, {_title(body)})", status=status)
    said = Said() if is_html(headers.get("content-type", ""), body) else said_in(body)
    wait = wait_s(headers, said.fields, said.message, now)
    reason = f"HTTP {status}" + (f": {clip(said.message, _REASON_CHARS)}" if said.message else "")
    return fault(kind_of(status, said, wait), reason, status=status, wait_s=wait)


def fault_of_error(error: Any, now: Clock = wall_s) -> ModelFault:
    """What an error object inside an answer of status 200 means, such as one in the middle of a stream."""
    said = said_by(error)
    status = said.number if said.number and 400 <= said.number < 600 else 500
    wait = wait_s({}, said.fields, said.message, now)
    words = clip(said.message or " ".join(said.codes) or "no reason given", _REASON_CHARS)
    return fault(kind_of(status, said, wait), f"the provider broke off: {words}", status=status, wait_s=wait)


def kind_of(status: int, said: Said, wait_s: float | None = None) -> ModelFaultKind:
    """The class of a failure. Words decide where a status means several things; a wall with a near end is a rate."""
    for kind, pattern in _READINGS.get(status, _ANY_STATUS):
        if pattern.search(said.words):
            return "rate" if kind == "quota" and wait_s is not None and "insufficient_quota" not in said.codes else kind
    return _BY_STATUS.get(status, "upstream" if status >= 500 else "shape")


def is_html(content_type: str, body: bytes) -> bool:
    """Whether an answer is a web page, by its type or its first bytes."""
    return content_type.partition(";")[0].strip().lower() in ("text/html", "application/xhtml+xml") or bool(_HTML.match(body))


def _title(body: bytes) -> str:
    found = _TITLE.search(body)
    return repr(clip(found[1].decode("utf-8", "replace"), 80)) if found else "without a title"
