"""What models write for an argument, read as what they meant; what was read otherwise than written is noticed."""

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from limen.web.tools.number import number_of

C = TypeVar("C", bound=str)

_TRUE, _FALSE = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0", "none", "null"})
_LEFT_OUT = "it is left out"
_SHOWN_CHARS = 40


class Lenient:
    """Reads values one by one; `notices` says what was not taken as it stood."""

    def __init__(self) -> None:
        self._notices: list[str] = []

    @property
    def notices(self) -> tuple[str, ...]:
        return tuple(self._notices)

    def whole(self, name: str, value: Any, default: int) -> int:
        """A whole number, also out of a text or with its fraction cut off; the default for whatever is none."""
        number = self._whole(name, value, f"{default} is used")
        return default if number is None else number

    def whole_or_none(self, name: str, value: Any) -> int | None:
        """The same where there need not be one."""
        return None if _absent(value) else self._whole(name, value, _LEFT_OUT)

    def names(self, name: str, value: Any) -> tuple[str, ...]:
        """A list of texts; one text alone is a list of one."""
        if _absent(value):
            return ()
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, Sequence):
            self._note(name, value, "no list of names", _LEFT_OUT)
            return ()
        texts = tuple(item.strip() for item in listed if isinstance(item, str) and item.strip())
        if len(texts) < len(listed):
            self._notices.append(f"{name}: what is no name is left out")
        return texts

    def one_of(self, name: str, value: Any, choices: Sequence[C]) -> C | None:
        """One of a few words, whatever their case, also without their last s."""
        if _absent(value):
            return None
        written = value.strip().lower() if isinstance(value, str) else value
        found = next((choice for choice in choices if written in (choice, choice.rstrip("s"))), None)
        if found is None:
            self._note(name, value, f"none of {', '.join(choices)}", _LEFT_OUT)
        return found

    def flag(self, name: str, value: Any) -> bool:
        """Yes or no."""
        if _absent(value) or isinstance(value, bool):
            return value is True
        written = str(value).strip().lower()
        if written not in _TRUE | _FALSE:
            self._note(name, value, "neither true nor false", _LEFT_OUT)
        return written in _TRUE

    def text(self, name: str, value: Any) -> str:
        """A text without blanks around it; empty for whatever is none."""
        if _absent(value):
            return ""
        if not isinstance(value, str):
            self._note(name, value, "no text", _LEFT_OUT)
            return ""
        return value.strip()

    def _whole(self, name: str, value: Any, otherwise: str) -> int | None:
        number = number_of(value)
        if number is None:
            self._note(name, value, "no number", otherwise)
            return None
        whole = int(number)
        if whole != number:
            self._note(name, value, "no whole number", f"{whole} is used")
        return whole

    def _note(self, name: str, value: Any, why: str, otherwise: str) -> None:
        self._notices.append(f"{name} {_shown(value)} is {why}; {otherwise}")


def _absent(value: Any) -> bool:
    """Whether an argument was left out, in whatever way."""
    return value is msgspec.UNSET or value is None or value == ""


def _shown(value: Any) -> str:
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, UnicodeEncodeError, RecursionError):
        text = f"of type {type(value).__name__}"
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + "…"
