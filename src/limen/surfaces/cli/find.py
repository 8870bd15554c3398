"""`limen find`: where a phrase stands in one document."""

from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any

import click
import msgspec

from limen.core.fault import Refusal
from limen.core.tool import open_on
from limen.kit.found_lines import FoundLine
from limen.kit.text import clip, printable
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.browsing import call_of, session_option
from limen.surfaces.cli.faults import DONE, Refused
from limen.surfaces.cli.figures import counted
from limen.surfaces.cli.library_name import library_option, searched_library
from limen.surfaces.cli.screen import Screen
from limen.surfaces.cli.unquoted import TakesText

if TYPE_CHECKING:
    from limen.web.browse.sections import Section

_LINE_CHARS = 400


@command(
    example='limen find lib:12 "CancelledError"\nlimen find https://docs.python.org/3/library/asyncio-task.html "#asyncio.run"',
    cls=TakesText,
)
@click.argument("ref", metavar="REF|URL")
@click.argument("pattern")
@click.option("--line", type=click.IntRange(min=1), default=1, show_default=True, help="Where to start.")
@session_option
async def find(cli: Cli, ref: str, pattern: str, line: int, session: str | None) -> int:
    """Find a phrase in a document, or a section by its heading.

    Lines that hold it come with those around them, which have a dash behind their numbers. Where it is how a heading begins, or
    its anchor (`#name`), that section is told first.
    """
    if not pattern.strip():
        raise click.UsageError("The pattern is empty.")
    async with cli.runtime(searched_library()) as runtime:
        context = await call_of(cli, runtime, session, ref)
        found = await runtime.browser.find(ref, pattern, context, first=line)
        if isinstance(found, Refusal):
            raise Refused(found)
        view = await runtime.browser.handles.of_view(found.view, context)
    handle = view.ref.name or ref
    if cli.options.json:
        matches = [_published(view.ref.opens or ref, one) for one in found.lines]
        section = None if found.section is None else msgspec.to_builtins(found.section)
        named = {"ref": ref, "ref_id": view.ref.name, "pattern": pattern, "section": section}
        cli.screen.json({**named, "total": found.total, "matches": matches})
        return DONE
    if found.section is not None:
        _show_section(cli.screen, found.section, handle)
    _show(cli.screen, found.lines)
    if not found.lines and found.section is None:
        behind = f" from line {line:,} on" if line > 1 else ""
        cli.screen.note(f'"{pattern}" does not stand in {ref}{behind}', "plain")
        return DONE
    if not found.lines:
        return DONE
    opens = open_on(handle, found.lines[0].line)
    if found.total == len(found.lines):
        cli.screen.note(f"{counted(found.total, 'line')} · {opens}")
        return DONE
    cli.screen.note(f"{len(found.lines)} of {found.total:,} lines · {opens}")
    cli.screen.note(f"… find on: limen find {quote(handle)} {quote(pattern)} --line {found.lines[-1].line + 1}")
    return DONE


find.params.append(library_option("In that library of yours."))


def _show_section(screen: Screen, section: "Section", handle: str) -> None:
    screen.write(f"§ {printable(section.title)}", "bold")
    screen.line(f"  lines {section.line}-{section.end_line}", "dim")
    screen.note(f"the section: {open_on(handle, section.line)}")


def _published(opens: str, found: FoundLine) -> dict[str, Any]:
    return {"id": opens, "line": found.line, "text": found.text, "before": _lines(found.before), "after": _lines(found.after)}


def _show(screen: Screen, found: Sequence[FoundLine]) -> None:
    """Matching lines among those around them, each once and in order; a rule stands where lines are left out."""
    around: dict[int, str] = {}
    for one in found:
        before = _lines(one.before)
        around.update(enumerate((*before, one.text, *_lines(one.after)), one.line - len(before)))
    matching = {one.line: one.text for one in found}
    width = len(str(max(around, default=1)))
    last = None
    for number in sorted(around):
        if last is not None and number != last + 1:
            screen.line("--", "dim")
        last = number
        text = matching.get(number, around[number])
        if number in matching:
            screen.write(f"{number:>{width}}  ", "accent")
        elif text.strip():
            screen.write(f"{number:>{width}}- ", "dim")
        else:
            continue
        screen.line(clip(text, _LINE_CHARS))


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []
