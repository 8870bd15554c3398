"""Calendars and address books to a Page: iCalendar (RFC 5545) and vCard (RFC 6350)."""

import quopri
import re
from collections.abc import Iterator

import msgspec

from limen.core.web import Page
from limen.reading.dates import iso_date
from limen.reading.formats.blocks import heading, items, link, paragraphs, text_html
from limen.reading.formats.plain import first_of
from limen.reading.text_kind import Media

_MOST_ITEMS = 2_000
_TEXT_CHARS = 20_000_000
_FOLD = re.compile(r"\n[ \t]")
_SOFT_BREAKS = re.compile(r";ENCODING=QUOTED-PRINTABLE(?:[^\n]*+(?<==)\n)++[^\n]*+", re.IGNORECASE)
_LINE = re.compile(r"(?:[\w-]+\.)?([\w-]+)((?:;(?:\"[^\"\n]*\"|[^\":;\n])*)*):([^\n]*)")
_ESCAPE = re.compile(r"\\([nN,;:\\\"])")
_PARAMETER = re.compile(r";(?:TYPE=)?([\w-]+(?:,[\w-]+)*)(?=;|$)", re.IGNORECASE)
_NAME = re.compile(r';CN=(?:"([^"]*)"|([^;:]*))', re.IGNORECASE)
_ZONE = re.compile(r";TZID=\"?([^;:\"]+)", re.IGNORECASE)
_ITEMS = {"VEVENT": "Event", "VTODO": "Task", "VJOURNAL": "Note", "VCARD": "Contact"}
# The facts of an item, in the order in which they are told.
_TOLD = {
    "DUE": "Due", "RRULE": "Repeats", "LOCATION": "Where", "STATUS": "Status", "ORGANIZER": "Organizer", "ATTENDEE": "Attendees",
    "CATEGORIES": "Categories", "URL": "Link", "NICKNAME": "Nickname", "ORG": "Organization", "TITLE": "Title", "ROLE": "Role",
    "TEL": "Phone", "EMAIL": "E-mail", "ADR": "Address", "BDAY": "Birthday",
}  # fmt: skip
_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year", "HOURLY": "hour"}
_RULES = {"UNTIL": "until {}", "COUNT": "{} times", "BYDAY": "on {}", "BYMONTHDAY": "on day {}", "BYMONTH": "in month {}"}
_TEXTS = frozenset({"NOTE", "DESCRIPTION"})
_PARTS = frozenset({"ADR", "ORG", "N"})


class Field(msgspec.Struct, frozen=True):
    """One property: its name in capitals, its parameters as written, its value without escapes."""

    name: str
    parameters: str
    value: str


def read_calendar(text: str, _url: str, media: Media) -> Page:
    """Events and tasks with their times as ISO 8601, or the contacts of an address book, in the order of the file."""
    about, found = _items(text[:_TEXT_CHARS])
    name = next((field.value for field in about if field.name in {"X-WR-CALNAME", "NAME"}), "")
    counted = f"<p>{len(found):,} item{'' if len(found) == 1 else 's'}.</p>"
    what = "Contacts" if media.kind == "contacts" else "Calendar"
    shown = found[:_MOST_ITEMS]
    cut = ("The file was too large to be read whole; its end is missing.",) if len(text) > _TEXT_CHARS else ()
    return Page(
        title=name or (_name(found[0][1]) if len(found) == 1 else ""),
        text=heading(1, text_html(name or what)) + counted + "".join(_written(kind, fields) for kind, fields in shown),
        format="html",
        notices=(*first_of(len(shown), len(found), "items"), *cut),
    )


def _items(text: str) -> tuple[list[Field], list[tuple[str, list[Field]]]]:
    """What is said of the whole, and each item with its fields; what lies within items (alarms, zones) is passed by."""
    text = _SOFT_BREAKS.sub(lambda found: found.group().replace("=\n", ""), text)
    about: list[Field] = []
    found: list[tuple[str, list[Field]]] = []
    path: list[str] = []
    for field in _fields(_FOLD.sub("", text)):
        if field.name == "BEGIN":
            kind = field.value.strip().upper()
            if kind in _ITEMS and not (path and path[-1] in _ITEMS):
                found.append((kind, []))
            path.append(kind)
        elif field.name == "END":
            if path:
                path.pop()
        elif path and path[-1] in _ITEMS:
            found[-1][1].append(field)
        elif len(path) <= 1:
            about.append(field)
    return about, found


def _fields(text: str) -> Iterator[Field]:
    for found in filter(None, map(_LINE.match, text.split("\n"))):
        name, parameters, value = found.groups()
        if "QUOTED-PRINTABLE" in parameters.upper():
            value = quopri.decodestring(value.encode()).decode("utf-8", "replace")
        name = name.upper()
        if name in _PARTS:
            value = ", ".join(part.strip() for part in value.split(";") if part.strip())
        value = _ESCAPE.sub(lambda found: "\n" if found.group(1) in "nN" else found.group(1), value)
        yield Field(name, parameters, value.strip())


def _name(fields: list[Field]) -> str:
    names = {field.name: " ".join(field.value.split()) for field in reversed(fields) if field.value}
    return next(filter(None, map(names.get, ("SUMMARY", "FN", "N", "ORG", "EMAIL"))), "")


def _written(kind: str, fields: list[Field]) -> str:
    facts = [f"When: {text_html(when)}"] if (when := _when(fields)) else []
    for name, label in _TOLD.items():
        values = dict.fromkeys(_said(field) for field in fields if field.name == name and field.value)
        facts += [f"{label}: {'; '.join(values)}"] if values else []
    texts = (paragraphs(field.value) for field in fields if field.name in _TEXTS)
    return heading(2, text_html(_name(fields) or _ITEMS[kind])) + items(facts) + "".join(texts)


def _said(field: Field) -> str:
    value = " ".join(field.value.split())
    if field.name == "URL":
        return link(value, text_html(value))
    if field.name in {"ORGANIZER", "ATTENDEE"}:
        common = _NAME.search(field.parameters)
        address = value[7:] if value.lower().startswith("mailto:") else value
        name = (common.group(1) or common.group(2)) if common else ""
        return text_html(f"{name} ({address})" if name and name != address else address)
    if field.name in {"DUE", "BDAY"}:
        value = iso_date(value) or value
    elif field.name == "RRULE":
        value = _repeats(value)
    kinds = set(",".join(_PARAMETER.findall(field.parameters)).lower().split(",")) - {"", "pref", "internet", "voice"}
    told = f" ({', '.join(sorted(kinds))})" if kinds and field.name in {"TEL", "EMAIL", "ADR"} else ""
    return text_html(value.removeprefix("tel:") + told)


def _repeats(rule: str) -> str:
    """A rule of recurrence (RFC 5545, 3.3.10) in words, as far as they are known."""
    told = dict(part.partition("=")[::2] for part in rule.upper().split(";"))
    unit, step = _UNITS.get(told.pop("FREQ", ""), ""), told.pop("INTERVAL", "1")
    every = f"every {unit}" if step == "1" else f"every {step} {unit}s"
    parts = (_RULES.get(name, f"{name.lower()} {{}}").format(iso_date(value) or value) for name, value in told.items())
    return ", ".join((every, *parts)) if unit else rule


def _when(fields: list[Field]) -> str:
    """Start and end of an event; the zone where it is named."""
    start, end = (next((field for field in fields if field.name == name), None) for name in ("DTSTART", "DTEND"))
    if start is None:
        return ""
    zone = _ZONE.search(start.parameters)
    until = f" to {iso_date(end.value) or end.value}" if end is not None and end.value != start.value else ""
    lasting = next((f", lasting {field.value}" for field in fields if field.name == "DURATION"), "")
    return f"{iso_date(start.value) or start.value}{until}{lasting}{f' ({zone.group(1)})' if zone else ''}"
