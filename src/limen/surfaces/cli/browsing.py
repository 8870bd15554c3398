"""What the commands that browse share: whose handles are meant, and how a view is shown."""

import secrets
from shlex import quote
from typing import TYPE_CHECKING, Any

import click
import msgspec

from limen.core.context import CallContext
from limen.core.refs import COMMAND_LINE, ref_name
from limen.core.tool import open_on
from limen.kit.text import clip
from limen.surfaces.cli.app import Cli
from limen.surfaces.cli.options import SessionKey
from limen.surfaces.cli.pick import known_session
from limen.surfaces.cli.screen import Screen

if TYPE_CHECKING:
    from limen.runtime import Runtime
    from limen.web.browse.view import View, Window

# What one screenful may hold; a pipe gets everything.
_SHOWN_CHARS = 15_000
_LISTED_LINKS = 40
_LINK_CHARS = 60

session_option = click.option(
    "--session",
    type=SessionKey(),
    metavar="KEY",
    help="Of which conversation [default: whichever gave that ref last, else none].",
)


async def call_of(cli: Cli, runtime: "Runtime", session: str | None, ref: str = "") -> CallContext:
    """The circumstances of a command: in a named conversation, in that which gave the ref last, else outside of any.

    Raises Fault `session.unknown`, `session.ambiguous`.
    """
    key = COMMAND_LINE
    if session is not None:
        key = (await known_session(runtime.sessions, session)).key
    elif ref_name(name := ref.partition("#")[0]) is not None:
        key = await runtime.refs.holder(name) or COMMAND_LINE
        if key != COMMAND_LINE:
            cli.screen.note(f"{name} of conversation {key}")
    return msgspec.structs.replace(cli.call(), session=key, turn=f"c_{secrets.token_hex(6)}")


def published_view(view: "View", first: int, char: int, given: str) -> dict[str, Any]:
    """A view from a character of a line on, in the shape of `limen open --json`."""
    lines = view.lines()
    return {
        "ref": given,
        "ref_id": view.ref.name,
        "url": view.ref.url,
        "title": view.ref.title,
        "kind": view.kind,
        "trust": view.trust.value,
        "first_line": first,
        "first_char": char,
        "last_line": len(lines),
        "total_lines": len(lines),
        "text": lines.from_line(first)[char - 1 :],
        "links": [{"n": link.n, "text": link.text, "url": link.url} for link in view.ref.links],
        "notices": list(view.notices),
    }


def tell_view(cli: Cli, view: "View", first: int, given: str, char: int = 1) -> None:
    """Show a view from a character of a line on: as JSON, as lines and links on a terminal, as its text alone in a pipe."""
    lines = view.lines()
    if first > len(lines):
        raise click.UsageError(f"{given} has {len(lines):,} lines, so there is no line {first:,}.")
    if char > max(len(lines[first - 1]), 1):
        raise click.UsageError(f"Line {first:,} of {given} has {len(lines[first - 1]):,} characters, so there is no {char:,}th.")
    if cli.options.json:
        cli.screen.json(published_view(view, first, char, given))
        return
    for notice in view.notices:
        cli.screen.say("! ", "warn", end="")
        cli.screen.say(notice)
    if not cli.screen.out_is_terminal:
        cli.screen.line(lines.from_line(first)[char - 1 :])
        return
    window = cli.options.load("limen.web.browse.view:window")
    shown = window(view, lines, first, most_lines=len(lines), most_chars=_SHOWN_CHARS, from_char=char)
    _show(cli.screen, view, shown, given)


def _show(screen: Screen, view: "View", window: "Window", given: str) -> None:
    ref = view.ref
    screen.line(ref.title or ref.url or given, "bold")
    where = [part for part in (ref.name, ref.url or given) if part]
    screen.line(f"{' · '.join(where)} · {window.total:,} lines · {view.trust.value}", "dim")
    screen.line()
    width = len(str(window.last))
    for number, text in enumerate(window.shown, window.first):
        screen.write(f"{number:>{width}}  ", "dim")
        screen.line(text)
    links = window.links(view)
    if links:
        screen.line()
    for link in links[:_LISTED_LINKS]:
        screen.write(f"({link.n}) ", "accent")
        screen.line(f"{clip(link.text, _LINK_CHARS)}  {link.url}", "dim")
    if len(links) > _LISTED_LINKS:
        screen.note(f"… and {len(links) - _LISTED_LINKS:,} more links: --json lists them all")
    handle = ref.name or given
    if window.next_char is not None:
        screen.note(f"… read on: {open_on(handle, window.first, window.next_char)}")
    elif window.next_line is not None:
        screen.note(f"… read on: {open_on(handle, window.next_line)}")
    if links:
        screen.note(f"follow a link: limen click {quote(handle)} {links[0].n}")
