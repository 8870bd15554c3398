"""How a text is to be read: what its label says, held against what it holds."""

import json
import re
from urllib.parse import unquote, urlsplit

import msgspec

from limen.core.endings import ending_type

# Header values that say nothing about the bytes.
_VAGUE = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/unknown", "unknown/unknown", "*/*"})
_SNIFF_CHARS = 4_096
_HTML_START = re.compile(
    r"\s*(?:<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html|head|body|title|base|meta|script|style|link|div|p|h[1-6]|table|ul|ol|dl|"
    r"article|section|main|header|footer|nav|aside|figure|details|span|a|b|i|em|strong|small|sup|sub|code|pre|blockquote|br|img|font|center|form)\b",
    re.IGNORECASE | re.DOTALL,
)
_HTML_WITHIN = re.compile(r"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_ANY_TAG = re.compile(r"<[a-zA-Z!/?]|&#?\w{1,8};")
_MARKDOWN_SIGNS = re.compile(r"^(?:```|~~~|[-*] \[[ x]\] )|^[^\n]{1,200}\n={3,}$|\]\((?:https?://|\.{0,2}/|#)", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} \S", re.MULTILINE)
# Lines of a script: no Markdown has one heading right below another, or a mark without a blank.
_COMMENTS = re.compile(r"^#[^\n]*\n#(?!#)|^#[^\s#]", re.MULTILINE)
_XML_START = re.compile(
    r"\s*<(?:\?xml[\s?]|!DOCTYPE\s+(?!html\b)[\w:.-]+|[A-Za-z_][\w.-]*:?[\w.-]*(?:\s+[\w:.-]+\s*=|\s*/?>))", re.IGNORECASE
)
_XML_ROOT = re.compile(r"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)(?=[\s>/])")
_ROOTS = {
    "rss": ("application/rss+xml", "feed"), "feed": ("application/atom+xml", "feed"), "RDF": ("application/rss+xml", "feed"),
    "urlset": ("application/xml", "sitemap"), "sitemapindex": ("application/xml", "sitemap"),
    "opml": ("text/x-opml", "opml"), "svg": ("image/svg+xml", "svg"), "html": ("application/xhtml+xml", "html"),
}  # fmt: skip
# What says that a root of these common names is the one that is meant.
_PROOF = {
    "feed": re.compile(r"<(?:\w+:)?entry[\s>]|purl\.org/atom|w3\.org/2005/Atom"),
    "RDF": re.compile(r"purl\.org/rss/1|my\.netscape\.com/rdf"),
}
_JSON_SCALARS = r"(?:-?\d[\d.eE+-]*|true|false|null)"
_JSON_START = re.compile(rf'\s*(?:\{{\s*(?:"|\}}\s*\Z)|\[\s*(?:[\[{{"]|\]\s*\Z|{_JSON_SCALARS}\s*(?:,|\]\s*\Z)))')
_JSON_SCALAR = re.compile(rf'\s*(?:"(?:[^"\\\n]|\\.)*"|{_JSON_SCALARS})\s*')
_NOTEBOOK = re.compile(r'"nbformat"\s*:\s*\d')
_CELLS = re.compile(r'"(?:cells|worksheets)"\s*:\s*\[')
_JSON_FEED = re.compile(r'"version"\s*:\s*"https?://(?:www\.)?jsonfeed\.org/version/')
_MANUAL = re.compile(r"^[.'][ \t]*(?:TH|Dd)(?:[ \t]|$)", re.MULTILINE)
_MANUAL_CHARS = 20_000
_ALIAS = re.compile(r"\s*(?:\.?\\\"[^\n]*\n\s*){0,40}\.so[ \t]+\S+\s*(?:\n\.?\\\"[^\n]*\s*){0,40}\Z")
_STARTS = (
    (re.compile(r"\s*BEGIN:VCALENDAR\b", re.IGNORECASE), "text/calendar", "calendar"),
    (re.compile(r"\s*BEGIN:VCARD\b", re.IGNORECASE), "text/vcard", "contacts"),
    (re.compile(r"\s*WEBVTT(?:[ \t\n]|\Z)"), "text/vtt", "subtitles"),
    (re.compile(r"\s*\d{1,6}[ \t]*\n\d{1,2}:\d\d:\d\d[,.]\d{1,3}[ \t]*-->"), "application/x-subrip", "subtitles"),
    (re.compile(r"\s*(?:diff --git [^\n]+\n|Index: [^\n]+\n={3,}|--- [^\n]+\n\+\+\+ [^\n]+\n@@ )"), "text/x-diff", "source"),
    (re.compile(r"#![^\n]*\bpython"), "text/x-python", "source"),
    (re.compile(r"#![^\n]*/(?:env )?(?:ba|da|z|k)?sh\b"), "text/x-sh", "source"),
    (re.compile(r"#![^\n]*\bperl"), "text/x-perl", "source"),
    (re.compile(r"#![^\n]*\bruby"), "text/x-ruby", "source"),
    (re.compile(r"#![^\n]*\bnode"), "text/javascript", "source"),
    (re.compile(r"\s*<\?php\b"), "text/x-php", "source"),
    (re.compile(r"\s*\\documentclass\b"), "text/x-tex", "source"),
)  # fmt: skip
_KINDS = {
    "text/html": "html", "application/xhtml+xml": "html", "text/markdown": "markdown", "text/x-markdown": "markdown",
    "application/json": "json", "text/json": "json", "application/x-ndjson": "ndjson", "application/jsonl": "ndjson",
    "application/x-ipynb+json": "notebook", "application/xml": "xml", "text/xml": "xml", "image/svg+xml": "svg",
    "text/x-opml": "opml", "text/csv": "table", "text/tab-separated-values": "table", "text/calendar": "calendar",
    "text/vcard": "contacts", "application/x-subrip": "subtitles", "text/vtt": "subtitles", "text/troff": "manual",
    "application/x-troff-man": "manual", "text/css": "source", "text/javascript": "source", "application/javascript": "source",
    "application/toml": "source", "application/yaml": "text", "application/x-yaml": "text", "application/x-sh": "source",
    "application/sql": "source", "application/mbox": "text", "text/x-rst": "text", "text/asciidoc": "source",
    "text/org": "source",
}  # fmt: skip
_DELIMITERS = "\t;,|"
_TABLE_LINES = 12
_QUOTED = re.compile(r'"[^"\n]*"')


class Media(msgspec.Struct, frozen=True):
    """A media type without parameters, in lower case, and how it is to be read: a key of `limen.reading.document.READERS`."""

    media_type: str
    kind: str


def declared_type(content_type: str | None) -> str:
    """The media type of a Content-Type header, without parameters; empty where it says nothing."""
    declared = (content_type or "").split(";", 1)[0].strip().lower()
    return "" if declared in _VAGUE or "/" not in declared else declared


def sniff(text: str, content_type: str | None, url: str) -> Media:
    """Decide how a text is read: what its own form proves, then its header, its name, and how it starts."""
    declared = declared_type(content_type)
    named = ending_type(path_of(url))
    start = text[:_SNIFF_CHARS]
    if declared == "text/plain" and named:
        declared = named
    label = declared if kind_of(declared) else named
    proven = _proven(text, start, label)
    if proven is not None:
        return proven
    for media_type in (declared, named):
        kind = kind_of(media_type)
        if kind and _holds(kind, text, start):
            return Media(media_type, kind)
    return _undeclared(text, start)


def path_of(url: str) -> str:
    """The path of an address or of a file; empty for what is neither."""
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def name_of(url: str) -> str:
    """The last part of an address's path, as a person would write it."""
    return " ".join(unquote(path_of(url).rstrip("/").rpartition("/")[2]).split())


def kind_of(media_type: str) -> str:
    """How a declared type is read; empty when it is none that holds text, so that the content decides."""
    known = _KINDS.get(media_type)
    if known:
        return known
    if media_type.endswith("+json"):
        return "json"
    if media_type.endswith("+xml"):
        return "xml"
    if media_type.startswith("text/x-"):
        return "source"
    return "text" if media_type.startswith("text/") or media_type.endswith(("/x-httpd-php", "/x-tex")) else ""


def _proven(text: str, start: str, label: str) -> Media | None:
    """What a text shows itself to be, whatever it is called; a name that explains its start as something else is believed."""
    if kind_of(label) in {"markdown", "source"} and label != "text/troff":
        return None
    for pattern, media_type, kind in _STARTS:
        if pattern.match(start):
            return Media(media_type, kind)
    head = start.lstrip()
    if head[:1] == "<":
        return _proven_xml(start, label)
    if head[:1] in {"{", "["}:
        return _proven_json(text, start, label)
    if head.startswith((".", "'", '\\"')) and (_MANUAL.search(text[:_MANUAL_CHARS]) or _ALIAS.match(start)):
        return Media("text/troff", "manual")
    return None


def _proven_xml(start: str, label: str) -> Media | None:
    root = _XML_ROOT.search(start)
    name = root.group(1) if root else ""
    if name not in _ROOTS or (name in _PROOF and not _PROOF[name].search(start)):
        return None
    media_type, kind = _ROOTS[name]
    if kind == "html":
        return Media(label, kind) if label in {"application/xml", "text/xml", "application/xhtml+xml"} else None
    if name == "svg" and kind_of(label) == "html":
        return None
    return Media(label if label.endswith("+xml") and kind in {"feed", "sitemap"} else media_type, kind)


def _proven_json(text: str, start: str, label: str) -> Media | None:
    if not _JSON_START.match(start) or kind_of(label) == "table":
        return None
    ends = (start, text[-_SNIFF_CHARS:])
    if any(map(_NOTEBOOK.search, ends)) and any(map(_CELLS.search, ends)):
        return Media("application/x-ipynb+json", "notebook")
    if _JSON_FEED.search(start):
        return Media("application/feed+json", "jsonfeed")
    if _is_lines(start) and text.rstrip()[-1:] in {"}", "]"}:
        return Media(label if kind_of(label) == "ndjson" else "application/x-ndjson", "ndjson")
    if text.rstrip()[-1:] in {"}", "]"}:
        return Media(label if kind_of(label) == "json" else "application/json", "json")
    return None


def _is_lines(start: str) -> bool:
    """Whether the first line is a whole JSON value and the next begins another."""
    first, _, rest = start.lstrip().partition("\n")
    if rest.lstrip()[:1] not in {"{", "["} or first[:1] + first.rstrip()[-1:] not in {"{}", "[]"}:
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def _holds(kind: str, text: str, start: str) -> bool:
    """Whether a text can be what its label says."""
    if kind == "html":
        return "\n" not in text.strip() or _ANY_TAG.search(text) is not None
    if kind in {"json", "ndjson", "notebook"}:
        return bool(_JSON_START.match(start)) or _JSON_SCALAR.fullmatch(text) is not None
    if kind in {"xml", "svg", "opml"}:
        return start.lstrip()[:1] == "<"
    if kind == "table":
        return not _HTML_WITHIN.search(start)
    return kind not in {"manual", "calendar", "contacts", "subtitles"}


def _undeclared(text: str, start: str) -> Media:
    if _HTML_START.match(start) or _HTML_WITHIN.search(start):
        return Media("text/html", "html")
    if _XML_START.match(start) and text.rstrip()[-1:] == ">":
        return Media("application/xml", "xml")
    headed = _HEADING.search(start) is not None and not _COMMENTS.search(start)
    if headed or _MARKDOWN_SIGNS.search(start) or start.startswith("---\n"):
        return Media("text/markdown", "markdown")
    delimiter = delimiter_of(start)
    if delimiter:
        return Media("text/tab-separated-values" if delimiter == "\t" else "text/csv", "table")
    return Media("text/plain", "text")


def delimiter_of(start: str) -> str:
    """The sign that divides each of a text's first lines into as many cells, where one does; else an empty string."""
    lines = [line for line in start.split("\n")[:_TABLE_LINES] if line.strip()]
    if len(start) >= _SNIFF_CHARS and len(lines) < _TABLE_LINES:
        lines = lines[:-1]
    if len(lines) < 3:
        return ""
    bare = [_QUOTED.sub("", line) for line in lines]
    for delimiter in _DELIMITERS:
        counts = {line.count(delimiter) for line in bare}
        divides = any(delimiter in line.rstrip(f"{delimiter} \r") for line in bare)  # rather than ends lines, as in programs
        if divides and len(counts) == 1 and counts.pop() >= (1 if delimiter in "\t;" else 2):
            return delimiter
    return ""
