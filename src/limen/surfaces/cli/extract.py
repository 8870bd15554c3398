"""`limen extract`: read pages as Markdown, each behind the same gates that a model's wish passes."""

import click

from limen.core.web import Entry, ExtractAnswer, Extraction, PageFormat, Unread, published_entry
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.faults import DONE, Refused, status_of_refusal, tell
from limen.surfaces.cli.screen import Screen


@command(example="limen extract https://docs.python.org/3/library/asyncio-task.html")
@click.argument("urls", metavar="URL...", nargs=-1, required=True)
@click.option("--char-limit", type=click.IntRange(min=1), help="Characters shown of a page [default: web.extract_char_limit].")
@click.option(
    "--format", "page_format", type=click.Choice(["markdown", "text", "html"]), default="markdown", show_default=True,
    help="What a page becomes.",
)  # fmt: skip
@click.option("--provider", default="", metavar="NAME", help="Who reads the page.")
@click.option("--fresh", is_flag=True, help="Pass by the cache.")
async def extract(
    cli: Cli, urls: tuple[str, ...], char_limit: int | None, page_format: PageFormat, provider: str, fresh: bool
) -> int:
    """Read pages as Markdown."""
    async with cli.runtime() as runtime:
        limit_chars = char_limit or runtime.loaded.config.web.extract_char_limit
        wish = Extraction(urls=urls, format=page_format, limit_chars=limit_chars, fresh=fresh, provider=provider)
        answer = await runtime.web.extract(wish, cli.call())
    if answer.refusal is not None:
        raise Refused(answer.refusal)
    if cli.options.json:
        cli.screen.json({"results": [published_entry(entry) for entry in answer.entries]})
    else:
        for index, entry in enumerate(answer.entries):
            _show(cli.screen, entry, first=index == 0)
    return _status(answer)


def _show(screen: Screen, entry: Entry, *, first: bool) -> None:
    if isinstance(entry, Unread):
        tell(screen, entry.refusal.code, f"{entry.requested}: {entry.refusal.reason}", entry.refusal.mend)
        return
    if not first:
        screen.line("\n---\n", "dim")
    where = entry.page.url or entry.requested
    screen.note(" · ".join(part for part in (where, entry.provider, _age(entry.treatment.cached, entry.treatment.age_s)) if part))
    screen.line(entry.content)
    if entry.ignored:
        screen.note(f"the reader could not do: {', '.join(entry.ignored)}")
    if entry.next_line is not None:
        screen.note(
            f"… {entry.chars_shown:,} of {entry.chars_total:,} characters; read on: limen open {where} --line {entry.next_line}"
        )


def _age(cached: bool, age_s: float) -> str:
    return f"cached {age_s:.0f} s ago" if cached else ""


def _status(answer: ExtractAnswer) -> int:
    statuses = {status_of_refusal(entry.refusal) for entry in answer.entries if isinstance(entry, Unread)}
    return max(statuses, default=DONE)
