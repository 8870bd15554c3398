"""`limen extract`: read pages as Markdown, each behind the same gates that a model's wish passes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

import anyio
import click
import msgspec

from limen.core.event import Event, ToolProgress
from limen.core.fault import Refusal
from limen.core.tool import open_on
from limen.core.web import Entry, ExtractAnswer, Extraction, Fetched, PageFormat, Unread, published_entry, published_facts
from limen.kit.cut_page import stretches
from limen.kit.fences import Fences
from limen.kit.headings import without_markup
from limen.kit.text import clip
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.faults import DONE, INTERRUPTED, Refused, status_of_refusal, tell
from limen.surfaces.cli.follow import interruptible
from limen.surfaces.cli.screen import Screen

if TYPE_CHECKING:
    from limen.core.context import CallContext
    from limen.wiring.web import Web

# A title that stands within so much of a text heads it; so much is told of who wrote it.
_TITLE_WITHIN_CHARS = 500
_AUTHOR_CHARS = 100


@command(example="limen extract report.pdf\nlimen extract https://docs.python.org/3/library/asyncio-task.html")
@click.argument("urls", metavar="URL|FILE...", nargs=-1, required=True)
@click.option("--char-limit", type=click.IntRange(min=1), help="Characters shown of a page [default: web.extract_char_limit].")
@click.option(
    "--format", "page_format", type=click.Choice(["markdown", "text", "html"]), default="markdown", show_default=True,
    help="What a page becomes.",
)  # fmt: skip
@click.option("--provider", default="", metavar="NAME", help="Who reads the page.")
@click.option("--fresh", is_flag=True, help="Pass by the cache.")
@click.option("--raw", is_flag=True, help="Show the Markdown itself on a terminal too.")
async def extract(
    cli: Cli, urls: tuple[str, ...], char_limit: int | None, page_format: PageFormat, provider: str, fresh: bool, raw: bool
) -> int:
    """Read pages and files as Markdown.

    Pages go to stdout, what is to be said of them to stderr; a terminal shows them rendered. It ends with 0 where every page
    was read, with 3 where a gate refused one of them, else with 1 where one could not be had. After Ctrl-C come the pages that
    were read by then.
    """
    is_file_name = cli.options.load("limen.web.named_file:is_file_name")
    pages = tuple(url for url in urls if not is_file_name(url))
    async with cli.runtime() as runtime:
        limit_chars = char_limit or runtime.loaded.config.web.extract_char_limit
        answer, interrupted = ExtractAnswer(), False
        if pages:
            wish = Extraction(urls=pages, format=page_format, limit_chars=limit_chars, fresh=fresh, provider=provider)
            with _counted(cli, pages) as call:
                answer, interrupted = await _interruptible(runtime.web, wish, call)
        if answer.refusal is not None:
            raise Refused(answer.refusal)
        read = iter(answer.entries)
        entries = [
            await runtime.web.read_file(url, page_format, limit_chars) if is_file_name(url) else next(read) for url in urls
        ]
    if cli.options.json:
        cli.screen.json({"results": [_published(entry) for entry in entries]})
    else:
        for entry in entries:
            _show(cli, entry, alone=len(entries) == 1, raw=raw)
    return INTERRUPTED if interrupted else _status(entries)


def _published(entry: Entry) -> dict[str, Any]:
    facts = {} if isinstance(entry, Unread) else {"page": published_facts(entry.page)}
    return {**published_entry(entry), **facts}


async def _interruptible(web: "Web", wish: Extraction, call: "CallContext") -> tuple[ExtractAnswer, bool]:
    """The answer, and whether Ctrl-C ended the call: then what was read until then is in it."""
    stop = anyio.Event()
    async with interruptible(stop.set):
        answer = await web.extract(wish, msgspec.structs.replace(call, cancelled=stop.is_set))
    return answer, stop.is_set()


@contextmanager
def _counted(cli: Cli, urls: Sequence[str]) -> "Iterator[CallContext]":
    """The call's circumstances; at a terminal a bar counts its pages where there are several."""
    call = cli.call()
    if len(urls) < 2 or not cli.screen.err_is_terminal:
        yield call
        return
    with cli.options.load("limen.surfaces.cli.bar:reading_bar")(cli.screen) as told:
        told(0, len(urls), "")

        async def emit(event: Event) -> None:
            if isinstance(event, ToolProgress) and event.total is not None:
                told(event.done, event.total, event.text.partition(" pages")[2].strip(" ,:"))

        yield msgspec.structs.replace(call, emit=emit)


def _show(cli: Cli, entry: Entry, *, alone: bool, raw: bool) -> None:
    screen = cli.screen
    if isinstance(entry, Unread):
        tell(screen, entry.refusal.code, f"{entry.requested}: {entry.refusal.reason}", entry.refusal.mend)
        _show_others(screen, entry.refusal)
        return
    where = entry.page.url or entry.requested
    at_terminal = screen.out_is_terminal and not raw
    size = (f"{entry.chars_total:,} characters",) if at_terminal else ()
    if not alone:  # what goes into a file says where it is from
        screen.line(f"--- {where} ---\n", "dim")
    if at_terminal:
        _show_head(screen, entry)
    screen.note(" · ".join((where, *_marks(entry), *size)))
    if at_terminal and entry.page.format == "markdown" and not entry.page.plain:
        screen.line()
        _show_rendered(cli, entry)
    else:
        screen.line(entry.content if at_terminal else _titled(entry))
    if not alone:
        screen.line()
    source = published_entry(entry)["source"]
    for notice in source["notices"]:
        screen.note("! ", "warn", end="")
        screen.note(notice, "plain")
    if entry.next_line is not None and len(entry.content) == entry.chars_shown:  # too short for a footer of its own
        rest = open_on(entry.stored_path or where, entry.next_line, entry.next_char or 1)
        screen.note(f"… {entry.chars_shown:,} of {entry.chars_total:,} characters; read on: {rest}")


def _titled(entry: Fetched) -> str:
    """What is shown of a page, below its title where the text leaves that out."""
    title = " ".join(entry.page.title.split())
    if "title" not in entry.page.dropped:
        return entry.content
    line = {"markdown": f"# {title}", "html": f"<h1>{escape(title)}</h1>"}.get(entry.page.format, title)
    return f"{line}\n\n{entry.content}"


def _show_rendered(cli: Cli, entry: Fetched) -> None:
    """The page's own text rendered, and between its two ends what says that something is left out."""
    show = cli.options.load("limen.surfaces.cli.markdown:show_markdown")
    head, *tail = stretches(entry.content, entry.next_line)
    underscores = "html" in entry.page.media_type  # of HTML we write the Markdown, and mark nothing with them
    show(cli.screen, head.text, underscores=underscores)
    for one in tail:
        mark, _, rest = entry.content[len(head.text) :].partition("\n")
        cli.screen.line(f"\n{mark}\n", "dim")
        show(cli.screen, one.text, in_code=_is_code(entry.page.text, one.first_line), underscores=underscores)
        cli.screen.line(f"\n{rest[len(one.text) :].strip()}", "dim")


def _is_code(text: str, line: int) -> bool:
    """Whether a line of Markdown, as it stands there, is inside of a block of code."""
    fences = Fences()
    for before in text.split("\n")[: line - 1]:
        fences.holds(before)
    return fences.is_open


def _show_head(screen: Screen, entry: Fetched) -> None:
    """Title, author, date and language of a page; a title that its text begins with is not said twice."""
    page = entry.page
    title = " ".join(page.title.split())
    if title and title not in without_markup(entry.content[:_TITLE_WITHIN_CHARS]):
        screen.paragraph(title)
    about = " · ".join(filter(None, (clip(page.author, _AUTHOR_CHARS), page.published, page.language)))
    if about:
        screen.line(about, "dim")


def _marks(entry: Fetched) -> Iterator[str]:
    """Who read a page, and everything that makes it another than the page as it is now."""
    treatment = entry.treatment
    yield entry.provider
    if treatment.cached:
        yield f"cached {treatment.age_s:,.0f} s ago"
    if entry.snapshot_at:
        yield f"a snapshot of {entry.snapshot_at}"
    if treatment.rescued_from:
        cause = f": {entry.rescue_cause}" if entry.rescue_cause else ""
        stood_in = "drawn in a browser" if treatment.rescued_from == entry.provider else f"instead of {treatment.rescued_from}"
        yield f"{stood_in}{cause}"
    elif entry.readers_failed:
        yield f"after {', '.join(entry.readers_failed)}"
    if entry.page.format != "markdown":
        yield entry.page.format
    if entry.ignored:
        yield f"not done: {', '.join(entry.ignored)}"


def _show_others(screen: Screen, refusal: Refusal) -> None:
    """What every other reader said that was asked for the page."""
    for name, said in {**refusal.detail.get("readers", {}), **refusal.detail.get("rescue", {})}.items():
        screen.say(f"  {name}: {said}", "dim")


def _status(entries: Sequence[Entry]) -> int:
    statuses = {status_of_refusal(entry.refusal) for entry in entries if isinstance(entry, Unread)}
    return max(statuses, default=DONE)
