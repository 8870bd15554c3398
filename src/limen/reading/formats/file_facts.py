"""What a file that holds no text is: a page of facts in its place, for pictures, sounds, films, fonts, archives, programs."""

import re
from collections.abc import Sequence
from shlex import quote
from urllib.parse import unquote

from limen.core.web import Page, Shell
from limen.reading.formats.blocks import heading, items, line_of, table, text_html
from limen.reading.text_kind import name_of, path_of

# Facts in order: what it is, what is said of it.
Facts = list[tuple[str, str]]
_UNFIT = re.compile(r"[^\w.+ ()-]")
_NAME_CHARS = 120


def facts_page(url: str, media_type: str, what: str, size: int, facts: Facts, listed: Sequence[Sequence[str]] = ()) -> Page:
    """A page that tells what a file is, and where it is to be had; `listed` is a table with its head, of what is in it.

    `Page.is_file` holds for it.
    """
    name = plain_name(url)
    rows = [("Kind", f"{what} ({media_type})"), ("Size", f"{size:,} bytes"), *facts]
    html = heading(1, text_html(name)) if name else ""
    html += items(text_html(f"{key}: {line_of(said)}") for key, said in rows if said)
    head, *rest = ([text_html(line_of(cell)) for cell in row] for row in listed) if listed else ([],)
    html += table([head, *([f"<code>{first}</code>", *more] for first, *more in rest)])  # names are no Markdown: `__init__.py`
    title = next((said for key, said in facts if key == "Title"), "") or name
    mend = f"Save it: {save(url)}" if save(url) else ""
    reason = f"This is {_article(what)} {what} of {size:,} bytes; the text is facts about it, not its content."
    shell = Shell("reader.file", reason, partly=True, mend=mend)
    author = next((said for key, said in facts if key in {"Artist", "Author"}), "")
    return Page(url=url, title=title, text=html, media_type=media_type, author=author, format="html", shell=shell)


def save(url: str) -> str:
    """The command that saves what is at an address of the web; empty for any other."""
    return f"curl -fL -o {quote(plain_name(url) or 'FILE')} {quote(url)}" if url.startswith(("http://", "https://")) else ""


def file_of(url: str, ending: str) -> str:
    """The path of a local file, else the name that `save` gives one of the web, else a stand-in with an ending."""
    return unquote(path_of(url)) if url.startswith("file://") else plain_name(url) or f"FILE{ending}"


def plain_name(url: str) -> str:
    """A file's own name, of nothing but plain characters."""
    return _UNFIT.sub("_", name_of(url))[:_NAME_CHARS]


def printable(name: str) -> str:
    """A name out of a file, with what would steer a terminal spelled out."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in name)


def _article(what: str) -> str:
    return "an" if what[:1].lower() in "aeiou" or what.startswith(("MP", "SQL", "RAR", "XZ")) else "a"
