"""A vendor's error in its own words, whatever shape of JSON or text it came in."""

import json
from typing import Any

import msgspec

_TEXT_KEYS = ("message", "detail", "error_description", "error", "reason")
_CODE_KEYS = ("type", "code", "error_code", "status")
_RESET_KEYS = ("retryDelay", "quotaResetDelay")


class Said(msgspec.Struct, frozen=True):
    """`codes` are its machine-readable names, `number` its numeric code, `fields` what it says beside them.

    `headers` are those of a vendor behind an aggregator, in lower case; `limits` names the limits that were reached, where
    that is said apart.
    """

    message: str = ""
    codes: tuple[str, ...] = ()
    number: int | None = None
    fields: dict[str, Any] = {}
    headers: dict[str, str] = {}
    limits: str = ""

    @property
    def words(self) -> str:
        """Names and message in one string, for searching."""
        return " ".join((*self.codes, self.message))


def said_in(body: bytes) -> Said:
    """The error in an answer's body."""
    try:
        shape = json.loads(body)
    except (ValueError, RecursionError):
        return Said(body.decode("utf-8", "replace").strip())
    if isinstance(shape, list) and shape:
        shape = shape[0]
    if not isinstance(shape, dict) or not shape.get("error"):
        return said_by(shape)
    said = said_by(shape["error"])
    return said if said.message else msgspec.structs.replace(said, message=_first_text({**shape, "error": None}))


def said_by(error: object) -> Said:
    """The error in an error object, which some vendors make a plain string."""
    if isinstance(error, str):
        return Said(error.strip())
    if not isinstance(error, dict):
        return Said(json.dumps(error, default=str))
    codes = tuple(str(error[key]) for key in _CODE_KEYS if isinstance(error.get(key), str) and error[key])
    fields = {**error, **_nested_resets(error)}
    return Said(_message(error), codes, _number(error.get("code")), fields, _passed_on(error), _limits(error))


def _message(error: dict[str, Any]) -> str:
    message = _first_text(error)
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if isinstance(raw, str) and raw and raw not in message:  # an aggregator passes on what the vendor behind it said
        return f"{message} ({raw})" if message else raw
    return message


def _number(code: object) -> int | None:
    if isinstance(code, str) and code.isascii() and code.isdigit():
        return int(code[:6])
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def _first_text(shape: dict[str, Any]) -> str:
    for key in _TEXT_KEYS:
        value = shape.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, list) and value:
            return "; ".join(filter(None, map(_complaint, value))) or json.dumps(value, ensure_ascii=False, default=str)
    return ""


def _complaint(item: object) -> str:
    """One of a validator's complaints: what and where, without the input, which is the conversation's own text."""
    if not isinstance(item, dict) or not isinstance(item.get("msg"), str):
        return ""
    place = item.get("loc")
    return f"{'.'.join(map(str, place))}: {item['msg']}" if isinstance(place, list) and place else item["msg"]


def _passed_on(error: dict[str, Any]) -> dict[str, str]:
    metadata = error.get("metadata")
    headers = metadata.get("headers") if isinstance(metadata, dict) else None
    return {str(name).lower(): str(value) for name, value in headers.items()} if isinstance(headers, dict) else {}


def _limits(error: dict[str, Any]) -> str:
    """The names of the quotas that Google says were reached."""
    details = error.get("details")
    violations = [
        violation
        for detail in (details if isinstance(details, list) else ())
        if isinstance(detail, dict) and isinstance(detail.get("violations"), list)
        for violation in detail["violations"]
        if isinstance(violation, dict)
    ]
    return " ".join(str(violation.get("quotaId", "")) for violation in violations)


def _nested_resets(error: dict[str, Any]) -> dict[str, Any]:
    details = error.get("details")
    found: dict[str, Any] = {}
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict):
            found.update({key: detail[key] for key in _RESET_KEYS if key in detail})
    return found
