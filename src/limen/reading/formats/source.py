"""Source code, markup that has no reader of its own, and settings to a Page: as they are, with an outline of what they define."""

import re
from collections.abc import Iterator
from itertools import islice

from limen.core.web import Heading, Page
from limen.reading.formats.plain import as_it_is
from limen.reading.text_kind import Media

_MOST_HEADINGS = 1_000
_LINE_CHARS = 300
_OUTLINED_CHARS = 20_000_000
# What opens a definition: one group for its indentation or depth, one for what it is called.
_WORD = r"[A-Za-z_$][\w$.:~-]*"
_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|abstract|final|sealed|async|override|open|data|pub(?:\([^()]*\))?"
    r"|unsafe|extern|const|partial|readonly|virtual|inline) +)*"
)
_BRACED = (
    rf"([ \t]*){_MODIFIERS}((?:class|interface|struct|enum|trait|impl|object|record|namespace|module|protocol|extension|type|"
    r"function\*?|fn|func|fun|def|mod|union)\b[^\n{;=]*)"
)
_C = (
    rf"()((?:class|struct|union|enum|namespace) +{_WORD}[^\n;={{]*(?=[{{\n]|$)|#define +{_WORD}|"
    rf"(?!(?:return|else|typedef|case|if|while|for|switch)\b|[A-Z_]+ ?\()[A-Za-z_](?:[\w:<>,*& \t]*[ \t*&]{_WORD}| *[\w:]*) ?"
    rf"\([^\n;{{]*(?=[^\n;]*$))"
)
_JAVASCRIPT = (
    rf"([ \t]*)(?:export +)?(?:default +)?"
    rf"((?:(?:async +)?function\*? *|(?:abstract +)?class +|(?:interface|enum) +){_WORD}[^\n{{]*|"
    rf"(?:const|let|var) +{_WORD}(?= *= *(?:async *)?(?:\([^\n()]*\)|\w+) *=>))"
)
_SQL = (
    r"()((?:CREATE|ALTER|DROP)(?: +OR +REPLACE)?(?: +\w+){0,3}? +"
    r"(?:TABLE|VIEW|FUNCTION|PROCEDURE|INDEX|TRIGGER|TYPE|SCHEMA|DATABASE|SEQUENCE)\b[^\n(;]*)"
)
_TEX = r"()\\(part|chapter|section|subsection|subsubsection|paragraph)\*?(?:\[[^\]\n]*\])?\{([^\n]*)\}[^\n]*"
_DEFINITIONS = {
    "text/x-python": r"([ \t]*)((?:async +def|def|class) +\w+)",
    "text/javascript": _JAVASCRIPT,
    "text/x-go": r"()((?:func|type) +[^\n{]+)",
    "text/x-ruby": r"([ \t]*)((?:def|class|module) +[^\n;#]+)",
    "text/x-perl": r"()((?:sub|package) +[\w:]+)",
    "text/x-lua": r"([ \t]*)((?:local +)?function +[^\n]+)",
    "text/x-sh": r"()((?:function +)?[A-Za-z_][\w:.-]*(?: *\(\))(?= *\{?)|function +[\w:.-]+)",
    "text/x-sql": _SQL,
    "text/x-c": _C,
    "text/x-c++": _C,
    "text/x-diff": r"()(?:diff --git +a/([^\n]+?) b/[^\n]*|Index: +([^\n]+))",
    "text/x-tex": _TEX,
    "text/x-ini": r"()\[([^\]\n]+)\]",
    "application/toml": r"()\[\[?([^\]\n]+)\]\]?",
    "text/asciidoc": r"(=+)[ \t]+([^\n]+)",
    "text/org": r"(\*+)[ \t]+(?:(?:TODO|DONE)[ \t]+)?([^\n]+)",
    "text/x-bibtex": r"()(@\w+\{[^,\n]+)",
    "text/x-protobuf": r"([ \t]*)((?:message|service|enum|rpc) +[^\n{]+)",
    "text/css": "",
    "text/x-r": r"()([\w.]+ *<- *function\b)",
}
_CASELESS = frozenset({"text/x-sql"})
_LATEX = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")
_TEX_COMMAND = re.compile(r"\\label\{[^{}]*\}|\\[a-zA-Z]+\*? *|[{}]")
_LATEX_TITLE = re.compile(r"\\title(?:\[[^\]\n]*\])?\{([^{}\n]{1,300})\}")
_STATED_TITLE = re.compile(r"#\+TITLE:[ \t]*([^\n]{1,300})", re.IGNORECASE)
_COMMON_TYPES = {
    "application/javascript": "text/javascript",
    "text/x-typescript": "text/javascript",
    "application/x-sh": "text/x-sh",
    "application/sql": "text/x-sql",
}
_INDENT = 4


def read_source(text: str, _url: str, media: Media) -> Page:
    """Text as it is. The outline holds its definitions or sections, by patterns of its language; an unknown one has none."""
    kind = _COMMON_TYPES.get(media.media_type, media.media_type)
    outline = tuple(islice(_outline(text, kind), _MOST_HEADINGS)) if len(text) <= _OUTLINED_CHARS else ()
    return Page(title=_title(text, kind, outline), text=as_it_is(text), outline=outline)


def _outline(text: str, kind: str) -> Iterator[Heading]:
    pattern = _DEFINITIONS.get(kind, _BRACED if kind.startswith(("text/x-", "application/")) else "")
    if not pattern:
        return
    definition = re.compile(pattern, re.IGNORECASE if kind in _CASELESS else 0)
    steps: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        found = definition.match(line) if line and len(line) < _LINE_CHARS else None
        if found is None:
            continue
        deep, *names = found.groups()
        if kind == "text/x-tex":
            yield Heading(_LATEX.index(names[0]) + 1, _TEX_COMMAND.sub("", names[1]).strip() or names[0], number)
            continue
        name = next((name for name in names if name), "").strip()
        if deep and not deep.isspace():
            level = len(deep)
        else:
            width = len(deep.expandtabs(_INDENT))
            while steps and steps[-1] >= width:
                steps.pop()
            steps.append(width)
            level = len(steps)
        if name:
            yield Heading(min(level, 6), name, number)


def _title(text: str, kind: str, outline: tuple[Heading, ...]) -> str:
    if kind == "text/x-tex":
        found = _LATEX_TITLE.search(text[:100_000])
    elif kind == "text/org":
        found = _STATED_TITLE.search(text[:10_000])
    else:
        return outline[0].text if kind == "text/asciidoc" and outline and outline[0].level == 1 else ""
    return found.group(1).strip() if found else ""
