"""`limen library`: the private document index."""

from collections.abc import Awaitable, Mapping, Sequence
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
from limen.surfaces.cli.faults import DONE, FAILED, Refused, status_of_refusal
from limen.surfaces.cli.figures import local_time
from limen.surfaces.cli.library_name import chosen_library, library_option
from limen.surfaces.cli.screen import Screen
from limen.surfaces.cli.table import Column, show_table

if TYPE_CHECKING:
    from limen.runtime import Runtime
    from limen.store.library import LibrarySource
    from limen.web.library.report import AddReport, LeftOutLine

_SHOWN_PROBLEMS = 10
_SHOWN_NAMES = 3
_COLUMNS = (
    Column("id", "right"),
    Column("added", style="dim"),
    Column("sections", "right"),
    Column("title", gives_way=True),
    Column("origin", style="dim", gives_way=True),
)

library = group("library", "Keep the documents that questions are answered from.", example="limen library add ~/notes ./docs")
_SOURCE_COLUMNS = (
    Column("kind"),
    Column("documents", "right"),
    Column("refreshed", style="dim"),
    Column("source", gives_way=True),
    Column("note", style="dim", gives_way=True),
)

library.params.append(library_option())


@command(
    name="add",
    example="limen library add ~/notes ./docs\nlimen library add https://docs.example.org/sitemap.xml\n"
    "limen library add --crawl --max-pages 500 https://docs.example.org/guide/",
    under=library,
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH|URL...")
@click.option("--crawl", is_flag=True, help="Read the site below each URL by its links and sitemaps.")
@click.option("--max-pages", type=click.IntRange(min=1), default=None, help="Pages of each site [library.crawl_max_pages].")
@click.option("--depth", type=click.IntRange(min=1, max=100), default=None, help="How many links away a page may be [8].")
async def add(cli: Cli, paths: tuple[str, ...], crawl: bool, max_pages: int | None, depth: int | None) -> int:
    """Read files, folders, exports and URLs into the index. Again later: only what changed is read.

    A folder that Git keeps is read without what it ignores. A .jsonl file with a text in each line is an export: a document a
    line. A URL is a page, or all pages that it lists where it is a sitemap, a feed or an llms.txt. Sites are read slowly and by
    their robots.txt; whatever interrupts that, the same command goes on from there.
    """
    name = chosen_library()
    async with cli.runtime() as runtime:
        wishes = cli.options.load("limen.web.library.roots:Wishes")(crawl, max_pages or 0, depth or 0)
        with reading_bar(cli.screen) as told:
            report = await _kept(cli, runtime.library.add(paths, library=name, wishes=wishes, progress=told))
        return _tell(cli, runtime, report)


@command(name="refresh", example="limen library refresh", under=library)
async def refresh(cli: Cli) -> int:
    """Look again at everything that was added: read what changed, drop what is gone."""
    name = chosen_library()
    async with cli.runtime() as runtime:
        with reading_bar(cli.screen) as told:
            report = await _kept(cli, runtime.library.refresh(library=name, progress=told))
        return _tell(cli, runtime, report)


@command(name="list", example="limen library list --sources", under=library)
@click.option("--limit", type=click.IntRange(min=1), default=1_000_000, show_default="all", help="How many.")
@click.option("--sources", is_flag=True, help="What the documents come from, and how reading it went.")
async def list_documents(cli: Cli, limit: int, sources: bool) -> int:
    """List the documents, by path; or the sources they come from."""
    name = chosen_library()
    async with cli.runtime() as runtime:
        origins = await runtime.library.sources(library=name)
        found = [] if sources else await runtime.library.list(library=name, limit=limit)
        libraries = await runtime.library.libraries()
        current = name or runtime.library.name
    if cli.options.json:
        cli.screen.json([msgspec.to_builtins(one) for one in (origins if sources else found)])
        return DONE
    if sources and origins:
        show_table(cli.screen, _SOURCE_COLUMNS, [_source_row(source) for source in origins[:limit]])
    elif found:
        show_table(cli.screen, _COLUMNS, [_row(document) for document in found])
    else:
        cli.screen.note(f"no documents yet: limen library add{_in(name)} PATH", "plain")
    _say_sources(cli.screen, name, current, origins, libraries)
    return DONE


def _in(name: str | None) -> str:
    return f" --library {quote(name)}" if name else ""


def _say_sources(
    screen: Screen, name: str | None, current: str, sources: "Sequence[LibrarySource]", libraries: Mapping[str, int]
) -> None:
    """What is the matter with sources, and which other libraries there are."""
    for source in sources:
        if not source.finished:
            go_on = f"limen library refresh{_in(name)}"
            screen.note(f"  not read to its end{f' ({source.note})' if source.note else ''}: {source.root} ({go_on})", "warn")
        if source.failed:
            screen.note(f"  {source.failed:,} could not be read, the first: {clip(source.problem, 200)} ({source.root})", "warn")
    if others := [f"{other} ({_count(count)})" for other, count in libraries.items() if other != current]:
        screen.note(f"other libraries: {', '.join(others)}")


def _source_row(source: "LibrarySource") -> list[str]:
    refreshed = local_time(source.refreshed_at) if source.refreshed_at else "never"
    return [source.kind, f"{source.documents:,}", refreshed, source.root, source.note or source.problem]


@command(name="remove", example="limen library remove 12", under=library)
@click.argument("targets", nargs=-1, required=True, metavar="ID|PATH|URL...")
async def remove(cli: Cli, targets: tuple[str, ...]) -> int:
    """Forget documents: by number, or everything that came from a path or URL."""
    name = chosen_library()
    removed: dict[str, int] = {}
    async with cli.runtime() as runtime:
        for target in targets:
            removed[target] = await runtime.library.remove(target, library=name)
    if unknown := [target for target, count in removed.items() if not count]:
        reason = f"the library has no document {', '.join(unknown)}"
        raise Fault("library.unknown", reason, f"limen library list{_in(name)} shows the numbers")
    if cli.options.json:
        cli.screen.json({"removed": sum(removed.values())})
    else:
        cli.screen.note(f"{_count(sum(removed.values()))} removed", "plain")
    return DONE


for _child in library.commands.values():
    _child.params.append(library_option())


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
    named = (status_of_refusal(problem.refusal) for problem in report.problems if problem.named)
    return max(named, default=FAILED if report.failed else DONE)


def _say(screen: Screen, report: "AddReport") -> None:
    parts = [
        f"{_count(count)} {what}"
        for count, what in (
            (report.added, "added"), (report.updated, "read anew"), (report.unchanged, "unchanged"), (report.removed, "gone"),
            (report.failed, "could not be read"), (report.stale, "kept as read before"),
        )
        if count
    ]  # fmt: skip
    screen.note(", ".join(parts) or "nothing there", "plain")
    for line in report.left_out():
        screen.note(f"  left out: {line.count:,} {line.words}{_named_paths(line)}")
    if report.partial:
        rest = "whose rest scripts draw or a wall hides"
        screen.note(f"  read in part: {len(report.partial):,} {rest}: {_some(report.partial)}", "warn")
    if undrawn := report.undrawn():
        screen.note(f"    → {undrawn}", "warn")
    for problem in report.problems[:_SHOWN_PROBLEMS]:
        screen.note(f"  failed: {problem.origin}: {clip(problem.reason, 200)} [{problem.code}]", "warn")
        if problem.named and problem.mend:
            screen.note(f"    → {problem.mend}", "warn")
    if report.failed > _SHOWN_PROBLEMS:
        screen.note(f"  failed: {report.failed - _SHOWN_PROBLEMS:,} more (--json lists them)", "warn")
    if report.gone:
        screen.note(f"  no longer there, dropped: {_some(report.gone)}", "warn")
    for old, new in list(report.moved.items())[:_SHOWN_PROBLEMS]:
        screen.note(f"  moved: {old} is now {new}")
    for source, note in report.notes.items():
        screen.note(f"  not read to its end: {source}: {note}", "warn")
    for root in report.missing:
        screen.note(f"  out of reach, its documents were kept: {root} (limen library remove {quote(root)} forgets them)", "warn")


def _named_paths(line: "LeftOutLine") -> str:
    if not line.names:
        return ""
    return f": {_some(line.names, line.count)}"


def _some(names: Sequence[str], count: int = 0) -> str:
    """A few names, and whether there are more."""
    shown = names[:_SHOWN_NAMES]
    return ", ".join(printable(end_of(name)) for name in shown) + (", …" if max(count, len(names)) > len(shown) else "")


def _count(number: int) -> str:
    return f"{number:,} document{'' if number == 1 else 's'}"


def _row(document: LibraryDocument) -> list[str]:
    return [str(document.id), local_time(document.added_at), str(document.sections), document.title, document.origin]
