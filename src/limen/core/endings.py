"""The media types that endings of file names speak for: what the reader turns into Markdown, and a folder scan takes up."""

import re

_OOXML = "application/vnd.openxmlformats-officedocument."
_OPEN = "application/vnd.oasis.opendocument."
# Types without a registration are named as file(1) and desktops name them.
ENDINGS = {
    ".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml",
    ".pdf": "application/pdf",
    ".md": "text/markdown", ".markdown": "text/markdown", ".mdown": "text/markdown", ".mkd": "text/markdown",
    ".mdx": "text/markdown", ".qmd": "text/markdown", ".rmd": "text/markdown",
    ".txt": "text/plain", ".text": "text/plain", ".log": "text/plain",
    ".rst": "text/x-rst", ".adoc": "text/asciidoc", ".asciidoc": "text/asciidoc", ".org": "text/org",
    ".tex": "text/x-tex", ".bib": "text/x-bibtex", ".man": "text/troff", ".mdoc": "text/troff", ".roff": "text/troff",
    ".json": "application/json", ".geojson": "application/geo+json", ".webmanifest": "application/manifest+json",
    ".jsonl": "application/x-ndjson", ".ndjson": "application/x-ndjson", ".ipynb": "application/x-ipynb+json",
    ".xml": "application/xml", ".xsd": "application/xml", ".xsl": "application/xml", ".rdf": "application/rdf+xml",
    ".rss": "application/rss+xml", ".atom": "application/atom+xml", ".opml": "text/x-opml", ".svg": "image/svg+xml",
    ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".tab": "text/tab-separated-values",
    ".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml",
    ".ini": "text/x-ini", ".cfg": "text/x-ini", ".conf": "text/plain", ".properties": "text/x-java-properties",
    ".eml": "message/rfc822", ".mbox": "application/mbox", ".ics": "text/calendar", ".vcf": "text/vcard",
    ".srt": "application/x-subrip", ".vtt": "text/vtt", ".diff": "text/x-diff", ".patch": "text/x-diff",
    ".py": "text/x-python", ".pyi": "text/x-python", ".js": "text/javascript", ".mjs": "text/javascript",
    ".cjs": "text/javascript", ".jsx": "text/javascript", ".ts": "text/x-typescript", ".tsx": "text/x-typescript",
    ".go": "text/x-go", ".rs": "text/x-rust", ".java": "text/x-java", ".kt": "text/x-kotlin", ".scala": "text/x-scala",
    ".swift": "text/x-swift", ".cs": "text/x-csharp", ".c": "text/x-c", ".h": "text/x-c", ".cc": "text/x-c++",
    ".cpp": "text/x-c++", ".cxx": "text/x-c++", ".hpp": "text/x-c++", ".rb": "text/x-ruby", ".php": "text/x-php",
    ".pl": "text/x-perl", ".pm": "text/x-perl", ".lua": "text/x-lua", ".r": "text/x-r", ".sh": "text/x-sh",
    ".bash": "text/x-sh", ".zsh": "text/x-sh", ".ps1": "text/x-powershell", ".sql": "text/x-sql", ".css": "text/css",
    ".scss": "text/x-scss", ".less": "text/x-less", ".proto": "text/x-protobuf", ".graphql": "text/x-graphql",
    ".tcl": "text/x-tcl", ".awk": "text/x-awk", ".el": "text/x-lisp", ".vim": "text/x-vim", ".texi": "text/x-texinfo",
    ".docx": _OOXML + "wordprocessingml.document", ".docm": _OOXML + "wordprocessingml.document",
    ".xlsx": _OOXML + "spreadsheetml.sheet", ".xlsm": _OOXML + "spreadsheetml.sheet",
    ".pptx": _OOXML + "presentationml.presentation", ".pptm": _OOXML + "presentationml.presentation",
    ".odt": _OPEN + "text", ".ods": _OPEN + "spreadsheet", ".odp": _OPEN + "presentation",
    ".epub": "application/epub+zip", ".rtf": "application/rtf",
    ".gz": "application/gzip", ".bz2": "application/x-bzip2", ".xz": "application/x-xz",
}  # fmt: skip

# A manual page by its section: a word before it, or it is a version.
_MANUAL = re.compile(r"(?:.*\.)?(?!so\.|log\.)[^.]*[A-Za-z\[][^.]*\.[1-9][a-z]{0,6}")
# Files whose name says more than its ending.
_NAMES = {"llms.txt": "text/markdown", "llms-full.txt": "text/markdown"}

# Documents that are large for what they say, since their pictures and fonts are within them.
HEAVY = frozenset(ENDINGS[one] for one in (".pdf", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub", ".rtf"))


def ending_type(name: str) -> str:
    """The media type that a file's name, or the path of an address, speaks for; empty when it speaks for nothing we read."""
    name = name.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    known = _NAMES.get(name) or (ENDINGS.get(dot + ending.lower(), "") if stem else "")
    return known or ("text/troff" if _MANUAL.fullmatch(name) else "")
