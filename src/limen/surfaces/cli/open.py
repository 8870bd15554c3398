"""`limen open`: the text behind a reference, the same one that a model is given."""

import click

from limen.core.fault import Refusal
from limen.core.ports import Opened
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.faults import DONE, Refused
from limen.surfaces.cli.screen import Screen

# What one screenful may hold; a pipe gets everything.
_SHOWN_CHARS = 15_000


@command(name="open", example="limen open lib:12 --line 40")
@click.argument("ref", metavar="REF|URL")
@click.option("--line", type=click.IntRange(min=1), default=1, show_default=True, help="Where to start.")
async def open_document(cli: Cli, ref: str, line: int) -> int:
    """Show a document behind a reference, by lines.

    A reference is what `limen search` prints, an evidence id, a file, or a page read before. A pipe gets the text alone,
    without line numbers.
    """
    async with cli.runtime() as runtime:
        opened = await runtime.open_ref(ref)
    if isinstance(opened, Refusal):
        raise Refused(opened)
    lines = opened.text.removesuffix("\n").split("\n")
    if line > len(lines):
        raise click.UsageError(f"{ref} has {len(lines):,} lines, so there is no line {line:,}.")
    if cli.options.json:
        cli.screen.json(_published(opened, line, lines))
    elif cli.screen.out_is_terminal:
        _show(cli.screen, opened, line, lines)
    else:
        cli.screen.line("\n".join(lines[line - 1 :]))
    return DONE


def _published(opened: Opened, first: int, lines: list[str]) -> dict[str, object]:
    return {
        "ref": opened.ref,
        "url": opened.url,
        "title": opened.title,
        "kind": opened.kind,
        "trust": opened.trust.value,
        "first_line": first,
        "last_line": len(lines),
        "total_lines": len(lines),
        "text": "\n".join(lines[first - 1 :]),
    }


def _show(screen: Screen, opened: Opened, first: int, lines: list[str]) -> None:
    screen.line(opened.title or opened.url or opened.ref, "bold")
    screen.line(f"{opened.url or opened.ref} · {len(lines):,} lines · {opened.trust.value}", "dim")
    screen.line()
    width = len(str(len(lines)))
    room = _SHOWN_CHARS
    for number, text in enumerate(lines[first - 1 :], first):
        if room <= 0:
            screen.note(f"… read on: limen open {opened.ref} --line {number}")
            return
        shown = text if len(text) <= room else f"{text[:room]} …"
        screen.write(f"{number:>{width}}  ", "dim")
        screen.line(shown)
        room -= len(text) + 1
