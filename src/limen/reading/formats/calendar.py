"""Calendars and address books to a Page: iCalendar (RFC 5545) and vCard (RFC 6350)."""

import quopri
import re
from collections.abc import Iterator
from html import escape

import msgspec

from limen.core.web import Page
from limen.reading.formats.plain import name_of
from limen.reading.text_kind import Media

_MOST_ITEMS = 2_000
_TEXT_CHARS = 20_000_000
_FOLD = re.compile(r"\n[ \t]")
_SOFT_BREAKS = re.compile(r";ENCODING=QUOTED-PRINTABLE(?:[^\n]*+(?<==)\n)++[^\n]*+", re.IGNORECASE)
_LINE = re.compile(r"(?:[\w-]+\.)?([\w-]+)((?:;(?:\"[^\"\n]*\"|[^\":;\n])*)*):([^\n]*)")
_ESCAPE = re.compile(r"\\([nN,;:\\\"])")
_WHEN = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z)?)?$")
_PARAMETER = re.compile(r";(?:TYPE=)?([\w-]+(?:,[\w-]+)*)(?=;|$)", re.IGNORECASE)
_ITEMS = {"VEVENT": "Event", "VTODO": "Task", "VJOURNAL": "Note", "VCARD": "Contact"}
# The facts of an item, in the order in which they are told.
_TOLD = {
    "DUE": "Due", "RRULE": "Repeats", "LOCATION": "Where", "STATUS": "Status", "ORGANIZER": "Organizer", "ATTENDEE": "Attendees",
    "CATEGORIES": "Categories", "URL": "Link", "NICKNAME": "Nickname", "ORG": "Organization", "TITLE": "Title", "ROLE": "Role",
    "TEL": "Phone", "EMAIL": "E-mail", "ADR": "Address", "BDAY": "Birthday", "NOTE": "Note", "DESCRIPTION": "Description",
}  # fmt: skip
_PARTS = frozenset({"ADR", "ORG", "N"})


class Field(msgspec.Struct, frozen=True):
    """One property: its name in capitals, its parameters as written, its value without escapes."""

    name: str
    parameters: str
    value: str


def read_calendar(text: str, url: str, media: Media, charset: str) -> Page:
    """Events and tasks with their times as ISO 8601, in the order of the file."""
    return _page("Calendar", text, url, media, charset)


def read_contacts(text: str, url: str, media: Media, charset: str) -> Page:
    """The contacts of an address book."""
    return _page("Contacts", text, url, media, charset)


def _page(what: str, text: str, url: str, media: Media, charset: str) -> Page:
    about, items = _items(text[:_TEXT_CHARS])
    name = next((field.value for field in about if field.name in {"X-WR-CALNAME", "NAME"}), "")
    shown = items[:_MOST_ITEMS]
    notices = (f"Of {len(items):,} items this shows the first {len(shown):,}.",) if len(items) > len(shown) else ()
    if len(text) > _TEXT_CHARS:
        notices = (*notices, "The file was too large to be read whole; its end is missing.")
    counted = f"{len(items):,} item{'' if len(items) == 1 else 's'}."
    return Page(
        url=url,
        title=name or (_name(items[0][1]) if len(items) == 1 else "") or name_of(url),
        text=f"<h1>{escape(name or what)}</h1><p>{counted}</p>{''.join(_written(kind, fields) for kind, fields in shown)}",
        media_type=media.media_type,
        format="html",
        charset=charset,
        notices=notices,
    )


def _items(text: str) -> tuple[list[Field], list[tuple[str, list[Field]]]]:
    """What is said of the whole, and each item with its fields; what lies within items (alarms, zones) is passed by."""
    text = _SOFT_BREAKS.sub(lambda found: found.group().replace("=\n", ""), text)
    about: list[Field] = []
    items: list[tuple[str, list[Field]]] = []
    path: list[str] = []
    for field in _fields(_FOLD.sub("", text)):
        if field.name == "BEGIN":
            kind = field.value.strip().upper()
            if kind in _ITEMS and not (path and path[-1] in _ITEMS):
                items.append((kind, []))
            path.append(kind)
        elif field.name == "END":
            if path:
                path.pop()
        elif path and path[-1] in _ITEMS:
            items[-1][1].append(field)
        elif len(path) <= 1:
            about.append(field)
    return about, items


def _fields(text: str) -> Iterator[Field]:
    for line in text.split("\n"):
        found = _LINE.match(line)
        if found is None:
            continue
        name, parameters, value = found.groups()
        if "QUOTED-PRINTABLE" in parameters.upper():
            value = quopri.decodestring(value.encode()).decode("utf-8", "replace")
        name = name.upper()
        if name in _PARTS:
            value = ", ".join(part.strip() for part in value.split(";") if part.strip())
        yield Field(
            name, parameters, _ESCAPE.sub(lambda found: "\n" if found.group(1) in "nN" else found.group(1), value).strip()
        )


def _name(fields: list[Field]) -> str:
    for wanted in ("SUMMARY", "FN", "N", "ORG", "EMAIL"):
        found = next((field.value for field in fields if field.name == wanted and field.value), "")
        if found:
            return " ".join(found.split())
    return ""


def _written(kind: str, fields: list[Field]) -> str:
    facts = [f"<li>When: {escape(when)}</li>"] if (when := _when(fields)) else []
    for name, label in _TOLD.items():
        values = [_said(field) for field in fields if field.name == name and field.value]
        if values and name in {"NOTE", "DESCRIPTION"}:
            continue
        facts += [f"<li>{label}: {'; '.join(dict.fromkeys(values))}</li>"] if values else []
    told = [field.value for field in fields if field.name in {"NOTE", "DESCRIPTION"} and field.value]
    text = "".join(f"<p>{escape(part).replace(chr(10), '<br>')}</p>" for value in told for part in value.split("\n\n"))
    return f"<h2>{escape(_name(fields) or _ITEMS[kind])}</h2><ul>{''.join(facts)}</ul>{text}"


def _said(field: Field) -> str:
    value = " ".join(field.value.split())
    if field.name == "URL":
        return f'<a href="{escape(value)}">{escape(value)}</a>'
    if field.name in {"ORGANIZER", "ATTENDEE"}:
        common = re.search(r';CN=(?:"([^"]*)"|([^;:]*))', field.parameters, re.IGNORECASE)
        address = value[7:] if value.lower().startswith("mailto:") else value
        name = (common.group(1) or common.group(2)) if common else ""
        return escape(f"{name} ({address})" if name and name != address else address)
    kinds = {kind.lower() for kind in _PARAMETER.findall(field.parameters)} - {"pref", "internet", "voice"}
    value = _iso(value) if field.name in {"DUE", "BDAY"} else value.removeprefix("tel:")
    return escape(value) + (f" ({escape(', '.join(sorted(kinds)))})" if kinds and field.name in {"TEL", "EMAIL", "ADR"} else "")


def _when(fields: list[Field]) -> str:
    """Start and end of an event; the zone where it is named."""
    start, end = (next((field for field in fields if field.name == name), None) for name in ("DTSTART", "DTEND"))
    if start is None:
        return ""
    zone = re.search(r";TZID=\"?([^;:\"]+)", start.parameters, re.IGNORECASE)
    until = f" to {_iso(end.value)}" if end is not None and end.value != start.value else ""
    lasting = next((f", lasting {field.value}" for field in fields if field.name == "DURATION"), "")
    return f"{_iso(start.value)}{until}{lasting}{f' ({zone.group(1)})' if zone else ''}"


def _iso(value: str) -> str:
    found = _WHEN.match(value)
    if not found:
        return value
    year, month, day, hour, minute, second, zulu = found.groups()
    time = f"T{hour}:{minute}:{second or '00'}{zulu or ''}" if hour else ""
    return f"{year}-{month}-{day}{time}"
