"""Numbers of cells as people read them: exact, with the unit, percent sign or date of their format (ECMA-376 part 1, 18.8.30)."""

import re
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Literal

import msgspec

Kind = Literal["number", "percent", "date", "time", "moment", "elapsed"]
# The formats that a file may name by number alone, as far as they are no plain numbers.
_BUILT_IN: dict[int, str] = {
    9: "0%", 10: "0.00%", **dict.fromkeys((14, 15, 16, 17), "yyyy-mm-dd"), **dict.fromkeys((18, 20), "h:mm"),
    **dict.fromkeys((19, 21), "h:mm:ss"), 22: "yyyy-mm-dd h:mm", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
    **dict.fromkeys((*range(27, 32), 36, *range(50, 59)), "yyyy-mm-dd"), 2: "0.00", 4: "#,##0.00",
}  # fmt: skip
# A quoted text, an escaped sign, a currency or a condition in brackets, a blank as wide as a sign, a sign that fills.
_TOKEN = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|\[(h+|m+|s+)\]|\[[^\]]*\]|_.|\*.|(.)', re.IGNORECASE | re.DOTALL)
_DIGITS = re.compile(r"[0#?][0#?,]*(?:\.([0#?]*))?(,*)(?:E[+-]0+)?", re.IGNORECASE)
_CURRENCIES = frozenset("$€£¥₩₹₽₺₴₪฿¢")
_AFFIX_CHARS = 20
# As many as a program writes; brackets left open are looked for to the end.
_CODE_CHARS = 255
# Serial numbers below this count from a day later: the first spreadsheets took 1900 for a leap year.
_LEAP_DAY = 60
_LAST_DAY = 2_958_466
_LARGEST_PLAIN, _SMALLEST_PLAIN = Decimal("1e21"), Decimal("1e-9")


class Format(msgspec.Struct, frozen=True):
    """How a number is shown: what stands before and behind it, and its fewest decimals."""

    kind: Kind = "number"
    before: str = ""
    behind: str = ""
    decimals: int = 0


def format_of(number: int, code: str | None) -> Format:
    """The format of a number and its code, where the file gives one."""
    return _parsed(code if code is not None else _BUILT_IN.get(number, "General"))


def _parsed(code: str) -> Format:
    bare, literal = _split(code)
    lowered = re.sub(r"general|am/pm|a/p", "", bare, flags=re.IGNORECASE).lower()
    if "\x01" in lowered:
        return Format("elapsed")
    dated, timed = bool(re.search(r"[yd]|(?<![hsm:.])m+(?![:sm])", lowered)), bool(re.search(r"[hs]", lowered))
    if (dated or timed) and not re.search(r"[0#?]{2}|[#?]|e[+-]", lowered.replace(".0", "")):
        return Format("moment" if dated and timed else "date" if dated else "time")
    found = _DIGITS.search(bare)
    if "%" in bare:
        return Format("percent", decimals=_zeros(found))
    if found is None or found[2] or found[0].rstrip().endswith(",") or "/" in bare:
        return Format()
    behind = "".join(text for place, text in literal if place >= found.end())
    before = "".join(text for place, text in literal if place <= found.start())
    return Format("number", before.strip()[:_AFFIX_CHARS], behind.rstrip()[:_AFFIX_CHARS], _zeros(found))


def _split(code: str) -> tuple[str, list[tuple[int, str]]]:
    """A format's first section without its texts, and the texts by where they stood."""
    bare, literal = "", []
    for found in _TOKEN.finditer(code[:_CODE_CHARS]):
        quoted, escaped, currency, elapsed, sign = found.groups()
        if sign == ";":
            break
        text = quoted or escaped or currency or (sign if sign in _CURRENCIES else "")
        if text:
            literal.append((len(bare), text))
        elif elapsed:
            bare += "\x01"
        elif sign:
            bare += sign
            if sign == " ":
                literal.append((len(bare), sign))
    return bare, literal


def _zeros(found: re.Match[str] | None) -> int:
    return found[1].count("0") if found and found[1] else 0


def shown(said: str, form: Format, *, from_1904: bool = False) -> str:
    """A cell's number as text; what is no number stays as it is."""
    try:
        number = Decimal(f"{float(said):.15g}")
    except (ValueError, InvalidOperation):
        return said
    if not number.is_finite():
        return said
    if form.kind == "percent":
        return _decimal(number * 100, form.decimals) + "%"
    if form.kind == "number":
        text = form.before + _decimal(abs(number), form.decimals) + form.behind
        return f"-{text}" if number < 0 else text
    if form.kind == "elapsed":
        seconds = round(abs(number) * 86_400)
        return f"{'-' if number < 0 else ''}{seconds // 3_600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return _moment(number, form.kind, from_1904) if 0 <= number < _LAST_DAY else _decimal(number, 0)


def _decimal(number: Decimal, fewest: int) -> str:
    size = abs(number)
    if size and not _SMALLEST_PLAIN <= size < _LARGEST_PLAIN:
        return f"{number:.15g}".replace("E", "e")
    text = f"{number.normalize():f}" if number else "0"
    have = len(text.partition(".")[2])
    return text if have >= fewest else text + ("." if not have else "") + "0" * (fewest - have)


def _moment(number: Decimal, kind: Kind, from_1904: bool) -> str:
    days = int(number)
    seconds = round((number - days) * 86_400, 3)
    start = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 31 if 0 < number < _LEAP_DAY else 30)  # noqa: DTZ001 - it has none
    try:
        at = start + timedelta(days=days, milliseconds=int(seconds * 1_000))
    except OverflowError:
        return _decimal(number, 0)
    seconds_shown = f":{at:%S}" if at.second or at.microsecond else ""
    time = f"{at:%H:%M}{seconds_shown}" + (f".{at.microsecond // 1_000:03}" if at.microsecond else "")
    day = f"{at.year:04}-{at.month:02}-{at.day:02}"
    return day if kind == "date" else time if kind == "time" else f"{day} {time}"
