"""What goes wrong at a vendor, as refusals with stable codes: one meaning for all vendors, whatever each of them sends."""

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from limen.core.fault import Refusal
from limen.core.untrusted import defuse
from limen.kit.text import clip, printable

Area = Literal["search", "extract", "facts"]
Kind = Literal[
    "auth", "billing", "quota", "rate_limited", "request", "failed", "malformed", "too_large", "provider_blocked",
    "layout_changed", "redirected", "ungrounded", "unsupported", "key_host", "page_failed", "page_status", "unknown",
]  # fmt: skip

_MENDS: Mapping[Kind, str] = {
    "auth": "check the key of {vendor}, or choose another provider",
    "billing": "look at the plan and credits of your account with {vendor}, or choose another provider",
    "quota": "wait for the next period of your plan with {vendor}, or choose another provider",
    "rate_limited": "wait, or choose another provider",
    "request": "ask more simply, without filters",
    "failed": "try again later, or choose another provider",
    "malformed": "try again; if it stays, choose another provider",
    "too_large": "ask for fewer or shorter results",
    "provider_blocked": "choose a provider with a key; {vendor} turns programs away from here",
    "layout_changed": "choose another provider; {vendor} has changed its pages",
    "redirected": "give the address that {vendor} answers at itself",
    "ungrounded": "ask again more precisely, or choose a provider that searches itself",
    "unsupported": "choose another provider for this",
    "key_host": "configure this address together with a key for it",
    "page_failed": "check the address, or choose another provider",
    "page_status": "check the address, or read another source",
    "unknown": "check the name, or search the web for it",
}
_STATUSES: Mapping[int, Kind] = {
    400: "request", 401: "auth", 402: "billing", 403: "auth", 404: "request", 405: "request", 406: "request", 408: "failed",
    413: "request", 414: "request", 415: "request", 422: "request", 429: "rate_limited", 432: "quota", 433: "quota",
}  # fmt: skip
_WORDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("rate_limited", re.compile(r"rate.?limit|too.many.requests|slow down|\b429\b", re.IGNORECASE)),
    ("billing", re.compile(r"credit|billing|payment|insufficient|\b402\b", re.IGNORECASE)),
    ("quota", re.compile(r"quota|usage limit|plan limit|free (?:tier|plan) limit", re.IGNORECASE)),
    ("auth", re.compile(r"api.?key|unauthori[sz]ed|authenticat|\b401\b|\b403\b", re.IGNORECASE)),
)
# A vendor's words stand in a message of ours, so they are few and on one line.
_SAID_CHARS = 200


def refuse(
    area: Area, kind: Kind, vendor: str, reason: str, *, mend: str = "", detail: Mapping[str, Any] | None = None
) -> Refusal:
    """A vendor's refusal with a code of the area.

    Codes: `search.auth`, `search.billing`, `search.quota`, `search.rate_limited`, `search.request`, `search.failed`,
    `search.malformed`, `search.too_large`, `search.provider_blocked`, `search.layout_changed`, `search.redirected`,
    `search.ungrounded`, `search.unsupported`, `search.key_host`, `extract.auth`, `extract.billing`, `extract.quota`,
    `extract.rate_limited`, `extract.request`, `extract.failed`, `extract.malformed`, `extract.too_large`,
    `extract.redirected`, `extract.key_host`, `extract.page_failed`, `extract.page_status`, `facts.auth`, `facts.billing`,
    `facts.quota`, `facts.rate_limited`, `facts.request`, `facts.failed`, `facts.malformed`, `facts.too_large`,
    `facts.redirected`, `facts.unknown`.
    """
    advice = mend or _MENDS[kind].format(vendor=vendor)
    return Refusal(vendor, f"{area}.{kind}", reason, advice, {"provider": vendor, **(detail or {})})


def kind_of_status(status: int) -> Kind:
    """What a status that is no success means, unless a vendor uses it otherwise."""
    return "failed" if status >= 500 else _STATUSES.get(status, "failed" if status >= 400 else "redirected")


def kind_of_words(said: str) -> Kind:
    """What a vendor's words mean where there is no status to go by."""
    return next((kind for kind, words in _WORDS if words.search(said)), "failed")


def said_in(body: bytes) -> str:
    """The message in a vendor's JSON error, cut short; empty when there is none."""
    try:
        answer = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return ""
    return _short(_message(answer))


def quoted(text: str) -> str:
    """A vendor's words as they may stand in our message."""
    return _short(text)


def _short(text: str) -> str:
    return defuse(clip(printable(text), _SAID_CHARS))


def _message(answer: Any) -> str:
    """Vendors put it under `error`, `detail` or `message`, one or two levels deep, in a list or not."""
    for _ in range(4):
        if isinstance(answer, list) and answer:
            answer = answer[0]
        elif isinstance(answer, dict):
            answer = next(
                (answer[name] for name in ("reason", "error", "detail", "message", "msg", "code") if answer.get(name)), ""
            )
        else:
            break
    return answer if isinstance(answer, str) else ""
