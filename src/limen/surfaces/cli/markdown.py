"""Markdown as a person reads it at a terminal: headings, tables in its columns, code with colours, links by their words."""

import io
import re
from typing import ClassVar

from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.markdown import Heading, Markdown, MarkdownElement, TableElement
from rich.table import Table
from rich.theme import Theme

from limen.kit.text import printable
from limen.surfaces.cli.screen import Screen

# Longer texts would be minutes in the making; they are shown as they are.
_MOST_CHARS = 300_000
# The terminal's own colours, which its owner chose to be read on their background, dark or light.
_CODE = "ansi_light"
_BREAK_TAG = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_THEME = Theme(
    {
        "markdown.h1": "bold underline", "markdown.h2": "bold", "markdown.h3": "bold", "markdown.h4": "bold italic",
        "markdown.h5": "italic", "markdown.h6": "italic", "markdown.code": "cyan", "markdown.link": "underline",
        "markdown.link_url": "underline", "markdown.block_quote": "italic", "markdown.item.number": "dim",
        "markdown.item.bullet": "dim", "markdown.table.border": "dim", "markdown.table.header": "bold", "markdown.hr": "dim",
    }
)  # fmt: skip


# Line breaks that Markdown has no sign for, with the row of a table that one may stand in.
_BREAK = re.compile(r"^[ \t]*\|[^\n]*|<br[ \t]*/?>", re.MULTILINE | re.IGNORECASE)


def _break(found: re.Match[str]) -> str:
    return _BREAK_TAG.sub(" / ", found[0]) if "|" in found[0] else "\\\n"


class _LeftHeading(Heading):
    LEVEL_ALIGN: ClassVar[dict[str, JustifyMethod]] = dict.fromkeys(Heading.LEVEL_ALIGN, "left")


class _WholeTable(TableElement):
    """A table in whose narrow columns long words are broken, where they would be cut off."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for shown in super().__rich_console__(console, options):
            if isinstance(shown, Table):
                for column in shown.columns:
                    column.overflow = "fold"
            yield shown


class _Rendered(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
        "table_open": _WholeTable,
    }


def _show_underscores(shown: Markdown) -> None:
    for block in shown.parsed:
        for token in block.children or ():
            if token.markup[:1] == "_":
                token.type, token.tag, token.nesting, token.content = "text", "", 0, token.markup


def show_markdown(screen: Screen, text: str, *, in_code: bool = False, underscores: bool = False) -> None:
    """Write a text to a terminal; `in_code` says that it begins inside of a block of code, `underscores` that they are no
    marks in it (`__init__`). What is too long is written as it is."""
    if len(text) > _MOST_CHARS:
        screen.line(text)
        return
    file = io.StringIO()
    # Without colours there are no links to click on either: then each shows its address.
    console = Console(
        file=file,
        width=screen.width,
        force_terminal=screen.colour,
        color_system="standard" if screen.colour else None,
        no_color=not screen.colour,
        legacy_windows=False,
        theme=_THEME,
    )
    text = f"```\n{text}" if in_code else text
    shown = _Rendered(_BREAK.sub(_break, printable(text)), code_theme=_CODE, hyperlinks=screen.colour)
    if underscores:
        _show_underscores(shown)
    console.print(shown)
    screen.rendered("\n".join(line.rstrip() for line in file.getvalue().split("\n")))
