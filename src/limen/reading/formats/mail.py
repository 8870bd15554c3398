"""E-mail messages (RFC 5322) and mailboxes to a Page: who wrote what to whom and when, the text, and what is attached."""

import re
from collections.abc import Iterator
from email import policy
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.utils import getaddresses
from itertools import groupby, islice
from typing import Any

import msgspec

from limen.core.web import Page
from limen.reading.dates import iso_date
from limen.reading.decode import decode, known_charset
from limen.reading.formats.blocks import deeper, heading, items, link, text_html
from limen.reading.formats.mail_head import ENVELOPE
from limen.reading.formats.plain import first_of

_NEXT_MESSAGE = re.compile(rb"(?:\A|\n)(?=%b)" % ENVELOPE.pattern)
_SHOWN = ("From", "To", "Cc", "Bcc", "Reply-To", "Date", "Newsgroups", "List-Id")
_RANKS = {"text/html": 2, "text/plain": 1}
_ADDRESSES = frozenset({"From", "To", "Cc", "Bcc", "Reply-To"})
_MOST_MESSAGES = 200
_MOST_RECIPIENTS = 20
_MOST_PARTS = 1_000
# Of a header with encoded words so much is read: one that is opened and not closed is looked for to the end.
_ENCODED_CHARS = 30_000
_DEEPEST = 8
_TOO_DEEP = "more parts, nested beyond what is read"
_BODY = re.compile(r"<body\b[^<>]{0,2000}>", re.IGNORECASE)
_QUOTED = re.compile(r"^((?:> ?)+)", re.MULTILINE)
_ADDRESS = re.compile(r"https?://[^\s<>\"'\]]{1,2000}[^\s<>\"'\].,;:!?)]")
_TEXT_BYTES = 5_000_000
# Defects are mended rather than raised; what one header says badly is no reason to lose the others.
_POLICY = policy.compat32


def read_mail(data: bytes) -> Page:
    """A message, or the first messages of a mailbox, as HTML with a heading for each."""
    starts = [found.end() for found in _NEXT_MESSAGE.finditer(data)] if ENVELOPE.match(data) else []
    if len(starts) < 2:
        return _told(data[data.find(b"\n") + 1 :] if starts else data, 1)
    count, ends = len(starts), [*starts[1:], len(data)]
    messages = (_told(data[data.find(b"\n", start) + 1 : end], 2).text for start, end in zip(starts, ends, strict=True))
    return Page(
        title=f"Mailbox of {count:,} messages",
        text=f"<h1>Mailbox</h1><p>{count:,} messages.</p>{''.join(islice(messages, _MOST_MESSAGES))}",
        media_type="application/mbox",
        format="html",
        notices=first_of(_MOST_MESSAGES, count, "messages"),
    )


class _Mail(Message):
    """A message in which parameters that cannot be read are none, as one numbered beyond what an integer holds."""

    def get_param(self, param: str, failobj: Any = None, header: str = "content-type", unquote: bool = True) -> Any:
        try:
            return super().get_param(param, failobj, header, unquote)
        except ValueError:
            return failobj


class _Told(msgspec.Struct):
    """What a message holds: its texts as HTML, its attachments, the number of parts looked at."""

    pieces: list[str] = []
    attached: list[str] = []
    parts: int = 0


def _told(data: bytes, level: int) -> Page:
    """One message as HTML, its subject a heading of `level`."""
    found = _Told()
    try:
        message = BytesParser(_Mail, policy=_POLICY).parsebytes(data)
    except RecursionError:
        message = BytesParser(_Mail, policy=_POLICY).parsebytes(data, headersonly=True)
        found.attached.append(_TOO_DEEP)
    _message(message, level, 0, found)
    found.pieces += [f"<p>Attached: {text_html(line)}.</p>" for line in found.attached]
    return Page(
        title=header(message, "Subject"),
        text="".join(found.pieces),
        media_type="message/rfc822",
        format="html",
        author=_people(header(message, "From")),
        published=iso_date(header(message, "Date")),
    )


def _message(message: Message, level: int, depth: int, found: _Told) -> None:
    found.pieces.append(heading(level, text_html(header(message, "Subject") or "Message without a subject")))
    told = ((name, said) for name in _SHOWN if (said := header(message, name)))
    values = ((name, _people(said) if name in _ADDRESSES else iso_date(said) or said) for name, said in told)
    found.pieces.append(items(text_html(f"{name}: {value}") for name, value in values))
    outer, found.attached = found.attached, []
    _part(message, level, depth, found)
    if found.attached:
        found.pieces.append(f"<p>Attached:</p>{items(map(text_html, found.attached))}")
    found.attached = outer


def _part(part: Message, level: int, depth: int, found: _Told) -> None:
    """A part of a message: its text, the best of its alternatives, or what is attached, named."""
    found.parts += 1
    if found.parts > _MOST_PARTS or depth > _DEEPEST:
        found.attached.append(_TOO_DEEP)
        return
    kind = part.get_content_type()
    if kind == "message/rfc822":
        for inner in _inner(part):
            found.pieces.append("<hr>")
            _message(inner, min(level + 1, 6), depth + 1, found)
    elif kind == "message/delivery-status":
        fields = (f"{name}: {_decoded(str(said))}" for inner in _inner(part) for name, said in inner.items())
        found.pieces.append(f"<p>Delivery:</p>{items(map(text_html, fields))}")
    elif part.is_multipart():
        for inner in _best(part) if kind == "multipart/alternative" else _inner(part):
            _part(inner, level, depth + 1, found)
    elif part.get_content_disposition() == "attachment" or (kind not in _RANKS and _is_file(part, kind)):
        found.attached.append(_fact(part, kind))
    else:
        found.pieces.append(_text(part, kind, level))


def _inner(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [inner for inner in payload if isinstance(inner, Message)] if isinstance(payload, list) else []


def _best(part: Message) -> Iterator[Message]:
    """Of alternatives the richest that is read: HTML, which has links and tables, else the last text. Files beside it stay."""
    inner = _inner(part)
    ranks = [max((_RANKS.get(leaf.get_content_type(), 0) for leaf in each.walk()), default=0) for each in inner]
    best = max(ranks, default=0)
    chosen = next((each for each, rank in zip(reversed(inner), reversed(ranks), strict=True) if rank == best), None)
    return (each for each, rank in zip(inner, ranks, strict=True) if each is chosen or not rank)


def _is_file(part: Message, kind: str) -> bool:
    return not kind.startswith("text/") or bool(part.get_filename())


def _text(part: Message, kind: str, level: int) -> str:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset("")
    label = f"text/x; charset={charset}" if charset and known_charset(charset) else None
    text = decode(data[:_TEXT_BYTES], label).text
    if len(data) > _TEXT_BYTES:
        text = f"{text}\n\n… {len(data) - _TEXT_BYTES:,} more bytes …"
    if kind == "text/html":
        start = _BODY.search(text)
        body = text[start.end() if start else 0 :]
        return f"<div>{deeper(body, level)}</div>"
    return _paragraphs(text, flowed=part.get_param("format") == "flowed")


def _paragraphs(text: str, *, flowed: bool) -> str:
    """Plain text with its lines kept, quotations as quotations, addresses linked."""
    pieces: list[str] = []
    depth = 0
    for block in re.split(r"\n[ \t]*\n", text.strip("\n")):
        for quoted, lines in _by_depth(block.split("\n")):
            pieces.append("<blockquote>" * (quoted - depth) + "</blockquote>" * (depth - quoted))
            depth = quoted
            pieces.append(f"<p>{_joined(lines, flowed=flowed)}</p>")
    return "".join(pieces) + "</blockquote>" * depth


def _by_depth(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Lines that follow each other in one quotation, without its marks."""
    marked = ((_QUOTED.match(line), line) for line in lines)
    told = ((min(marks[1].count(">"), 6), line[marks.end() :]) if marks else (0, line) for marks, line in marked)
    for (depth, is_blank), run in groupby(told, key=lambda one: (one[0], not one[1].strip())):
        if not is_blank:
            yield depth, [said for _, said in run]


def _joined(lines: list[str], *, flowed: bool) -> str:
    """Lines with their breaks; flowed text (RFC 3676) breaks only where a line does not end in a blank."""
    pieces = []
    for line in lines:
        pieces.append(_linked(line.rstrip()))
        pieces.append(" " if flowed and line.endswith(" ") and line != "-- " else "<br>")
    return "".join(pieces[:-1])


def _linked(line: str) -> str:
    pieces, at = [], 0
    for found in _ADDRESS.finditer(line):
        pieces += [text_html(line[at : found.start()]), link(found.group(), text_html(found.group()))]
        at = found.end()
    return "".join((*pieces, text_html(line[at:])))


def _fact(part: Message, kind: str) -> str:
    payload = part.get_payload(decode=True)
    name = _decoded(part.get_filename() or "") or "unnamed"
    return f"{name} ({kind}, {len(payload) if isinstance(payload, bytes) else 0:,} bytes)"


def header(message: Message, name: str) -> str:
    """A header as text: encoded words decoded, even broken ones, on one line; empty where there is none."""
    value = message.get(name)
    return _decoded(str(value)) if value is not None else ""


def _decoded(value: str) -> str:
    try:
        parts = decode_header(value[:_ENCODED_CHARS]) if "=?" in value else [(value, None)]
    except (HeaderParseError, ValueError):
        parts = [(value, None)]
    return " ".join("".join(_word(part, charset) for part, charset in parts).split())


def _word(part: bytes | str, charset: str | None) -> str:
    data = part.encode("ascii", "surrogateescape") if isinstance(part, str) and not part.isascii() and _surrogates(part) else part
    if isinstance(data, str):
        return data
    known = known_charset(charset or "")
    return decode(data, f"text/x; charset={known}" if known else None).text


def _surrogates(text: str) -> bool:
    return all(char.isascii() or "\udc80" <= char <= "\udcff" for char in text)


def _people(said: str) -> str:
    people = [(name, address) for name, address in getaddresses([said]) if name or address]
    named = [f"{name} <{address}>" if name and address else name or address for name, address in people[:_MOST_RECIPIENTS]]
    more = len(people) - len(named)
    return ", ".join(named) + (f" and {more:,} more" if more > 0 else "")
