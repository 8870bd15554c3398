"""Markdown and plain text to a Page: kept as they are, with an outline where there is one."""

import re

from limen.core.web import Heading, Link, Page
from limen.kit.link_numbers import absolute
from limen.reading.formats.text_outline import outline_of, title_in
from limen.reading.text_kind import Media

_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)\n\1[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_FIELD = re.compile(r"^(\w[\w -]{0,40})[ \t]*[:=][ \t]*(.+?)[ \t]*$", re.MULTILINE)
_FRONT_CHARS = 20_000
_LINK = re.compile(
    r"(?<!!)\[([^\[\]\n]{1,300})\]\(<?([^\s<>()#][^\s<>()]{0,2000}(?:\([^\s<>()]{0,200}\))?)>?(?:[ \t]+\"[^\"\n]{0,300}\")?\)"
)
_WEB = ("http://", "https://")
_AUTOLINK = re.compile(r"<(https?://[^\s<>]{1,2000})>")
_RULE_CHARS = 400
# Beyond this nobody finds their way by an outline.
_OUTLINED_CHARS = 20_000_000
_RST_RULE = re.compile(r"([=\-~^\"'`#*+:.<>_])\1{2,}[ \t]*$")


def read_markdown(text: str, url: str, _media: Media) -> Page:
    """Markdown as it is; title, author, date and language from its front matter, the title else from its first heading."""
    front, lines = _front_matter(text)
    outline = tuple(heading for heading in outline_of(text[:_OUTLINED_CHARS]) if heading.line > lines)
    return Page(
        title=front.get("title") or title_in(outline),
        text=as_it_is(text),
        links=links_of(text[:_OUTLINED_CHARS], url),
        outline=outline,
        author=front.get("author", ""),
        published=front.get("date", ""),
        language=front.get("lang", "") or front.get("language", ""),
    )


def read_text(text: str, _url: str, _media: Media) -> Page:
    """Text as it is. Underlined titles, as reStructuredText has them, make its outline."""
    outline = underlined(text[:_OUTLINED_CHARS])
    return Page(title=outline[0].text if outline else "", text=as_it_is(text), outline=outline)


def as_it_is(text: str) -> str:
    """A text without the blank lines at its end; those at its start stay, so that lines keep their numbers."""
    return text.rstrip("\n") if text.strip() else ""


def _front_matter(text: str) -> tuple[dict[str, str], int]:
    """The plain fields of a front matter and the number of its lines."""
    found = _FRONT_MATTER.match(text[:_FRONT_CHARS])
    if not found or not _FRONT_FIELD.search(found.group(2)):
        return {}, 0
    fields = {name.lower(): value.strip("\"'") for name, value in _FRONT_FIELD.findall(found.group(2))}
    return fields, found.group(0).count("\n")


def links_of(text: str, page_url: str) -> tuple[Link, ...]:
    """Links to pages, each address once; relative ones are those of the page that the text came from."""
    texts: dict[str, str] = {}
    for label, target in _LINK.findall(text):
        url = absolute(page_url, target)
        if url.startswith(_WEB):
            texts.setdefault(url, label)
    for url in _AUTOLINK.findall(text):
        texts.setdefault(url, url)
    return tuple(Link(n, label, url) for n, (url, label) in enumerate(texts.items(), 1))


def first_of(shown: int, count: int, what: str, last: int = 0) -> tuple[str, ...]:
    """A notice where only the first, or also the last, of many are shown."""
    if shown + last >= count:
        return ()
    return (f"Of {count:,} {what} this shows the first {shown:,}{f' and the last {last}' if last else ''}.",)


def underlined(text: str) -> tuple[Heading, ...]:
    """Lines underlined with one repeated sign, at least as long as themselves; levels by order of first use."""
    outline: list[Heading] = []
    styles: list[str] = []
    above, title = "", ""
    for number, line in enumerate(text.split("\n"), 1):
        rule = _RST_RULE.fullmatch(line) if len(line) < _RULE_CHARS else None
        if rule and _is_title(title) and len(line.rstrip()) >= len(title.strip()):
            overlined = above.rstrip() == line.rstrip()
            style = rule.group(1) + ("+" if overlined else "")
            if overlined or not title[0].isspace():
                if style not in styles:
                    styles.append(style)
                outline.append(Heading(min(styles.index(style) + 1, 6), title.strip(), number - 1))
        above, title = title, line
    return tuple(outline)


def _is_title(line: str) -> bool:
    return bool(line.strip()) and len(line) < _RULE_CHARS and not _RST_RULE.fullmatch(line)
