"""`limen library`: the private document index."""

from collections.abc import Awaitable
from shlex import quote
from typing import TYPE_CHECKING

import anyio
import click
import msgspec

from limen.core.fault import Fault
from limen.core.ports import LibraryDocument
from limen.kit.text import clip, printable
from limen.surfaces.cli.app import Cli, command, group
from limen.surfaces.cli.bar import end_of, reading_bar
from limen.surfaces.cli.faults import DONE, Refused, status_of_refusal
from limen.surfaces.cli.figures import local_time
from limen.surfaces.cli.screen import Screen
from limen.surfaces.cli.table import Column, show_table

if TYPE_CHECKING:
    from limen.runtime import Runtime
    from limen.web.library.report import AddReport, LeftOutLine

_META = "limen.library"
_SHOWN_PROBLEMS = 10
_COLUMNS = (
    Column("id", "right"),
    Column("added", style="dim"),
    Column("sections", "right"),
    Column("title", gives_way=True),
    Column("origin", style="dim", gives_way=True),
)

library = group("library", "Keep the documents that questions are answered from.", example="limen library add ~/notes ./docs")


def _choose(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        if not value.strip() or len(value) > 64 or not value.isprintable():
            raise click.BadParameter("a library's name is 1 to 64 printable characters")
        context.meta[_META] = value.strip()


def _named() -> click.Option:
    return click.Option(
        ["--library"], metavar="NAME", expose_value=False, callback=_choose, help="Another library than the default one."
    )


library.params.append(_named())


def _chosen() -> str | None:
    name: str | None = click.get_current_context().meta.get(_META)
    return name


@command(name="add", example="limen library add /usr/share/doc/python3.11/html", under=library)
@click.argument("paths", nargs=-1, required=True, metavar="PATH|URL...")
async def add(cli: Cli, paths: tuple[str, ...]) -> int:
    """Read files, folders and URLs into the index. Again later: only what changed is read."""
    name = _chosen()
    async with cli.runtime() as runtime:
        with reading_bar(cli.screen) as told:
            report = await _kept(cli, runtime.library.add(paths, library=name, progress=told))
        return _tell(cli, runtime, report)


@command(name="refresh", example="limen library refresh", under=library)
async def refresh(cli: Cli) -> int:
    """Look again at everything that was added: read what changed, drop what is gone."""
    name = _chosen()
    async with cli.runtime() as runtime:
        with reading_bar(cli.screen) as told:
            report = await _kept(cli, runtime.library.refresh(library=name, progress=told))
        return _tell(cli, runtime, report)


@command(name="list", example="limen library list", under=library)
@click.option("--limit", type=click.IntRange(min=1), default=1_000_000, show_default="all", help="How many.")
async def list_documents(cli: Cli, limit: int) -> int:
    """List the documents, by path."""
    name = _chosen()
    async with cli.runtime() as runtime:
        found = await runtime.library.list(library=name, limit=limit)
    if cli.options.json:
        cli.screen.json([msgspec.to_builtins(document) for document in found])
    elif not found:
        cli.screen.note("no documents yet: limen library add PATH", "plain")
    else:
        show_table(cli.screen, _COLUMNS, [_row(document) for document in found])
    return DONE


@command(name="remove", example="limen library remove 12", under=library)
@click.argument("targets", nargs=-1, required=True, metavar="ID|PATH|URL...")
async def remove(cli: Cli, targets: tuple[str, ...]) -> int:
    """Forget documents: by number, or everything that came from a path or URL."""
    name = _chosen()
    removed: dict[str, int] = {}
    async with cli.runtime() as runtime:
        for target in targets:
            removed[target] = await runtime.library.remove(target, library=name)
    if unknown := [target for target, count in removed.items() if not count]:
        reason = f"the library has no document {', '.join(unknown)}"
        raise Fault("library.unknown", reason, "limen library list shows the numbers")
    if cli.options.json:
        cli.screen.json({"removed": sum(removed.values())})
    else:
        cli.screen.note(f"{_count(sum(removed.values()))} removed", "plain")
    return DONE


for _child in library.commands.values():
    _child.params.append(_named())


async def _kept(cli: Cli, work: Awaitable["AddReport"]) -> "AddReport":
    """The report; whoever interrupts is told that nothing is lost."""
    try:
        return await work
    except anyio.get_cancelled_exc_class():
        cli.screen.fresh_line()
        cli.screen.note("what was read so far is kept; the same command goes on from there", "plain")
        raise


def _tell(cli: Cli, runtime: "Runtime", report: "AddReport") -> int:
    refusal = report.refusal
    if refusal is not None:
        if cli.options.json:
            cli.screen.json({"error": refusal.published()})
        raise Refused(refusal)
    if cli.options.json:
        shape = msgspec.to_builtins(report)
        del shape["refusal"]
        cli.screen.json(shape)
    _say(cli.screen, report)
    searched = runtime.loaded.config.library.search or ("default",)
    if report.library not in searched:
        names = ", ".join((*searched, report.library))
        cli.screen.note(
            f"questions are not answered from {report.library!r} yet: limen config set library.search '{names}'", "warn"
        )
    return max((status_of_refusal(problem.refusal) for problem in report.problems if problem.named), default=DONE)


def _say(screen: Screen, report: "AddReport") -> None:
    parts = [
        f"{_count(count)} {what}"
        for count, what in (
            (report.added, "added"), (report.updated, "read anew"), (report.unchanged, "unchanged"), (report.removed, "gone"),
        )
        if count
    ]  # fmt: skip
    screen.note(", ".join(parts) or ("nothing could be read" if report.failed else "nothing there"), "plain")
    for line in report.left_out():
        screen.note(f"  left out: {line.count:,} {line.words}{_named_paths(line)}")
    for problem in report.problems[:_SHOWN_PROBLEMS]:
        screen.note(f"  failed: {problem.origin}: {clip(problem.reason, 200)} [{problem.code}]", "warn")
        if problem.named and problem.mend:
            screen.note(f"    → {problem.mend}", "warn")
    if report.failed > _SHOWN_PROBLEMS:
        screen.note(f"  failed: {report.failed - _SHOWN_PROBLEMS:,} more (--json lists them)", "warn")
    for root in report.missing:
        screen.note(f"  out of reach, its documents were kept: {root} (limen library remove {quote(root)} forgets them)", "warn")


def _named_paths(line: "LeftOutLine") -> str:
    if not line.names:
        return ""
    names = ", ".join(printable(end_of(name)) for name in line.names)
    return f": {names}{', …' if line.count > len(line.names) else ''}"


def _count(number: int) -> str:
    return f"{number:,} document{'' if number == 1 else 's'}"


def _row(document: LibraryDocument) -> list[str]:
    return [str(document.id), local_time(document.added_at), str(document.sections), document.title, document.origin]
