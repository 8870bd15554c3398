"""`limen extract`: read pages as Markdown, each behind the same gates that a model's wish passes."""

import click

from limen.core.web import Entry, ExtractAnswer, Extraction, PageFormat, Unread, published_entry
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.faults import DONE, FAILED, REFUSED, Refused, tell
from limen.surfaces.cli.screen import Screen

# Refusals of these gates are a "no" to the request; any other reason means that the page could not be had.
_GATES = frozenset({"secrets", "network", "resolve", "policy", "permission"})


@command(example="limen extract https://docs.python.org/3/library/asyncio-task.html")
@click.argument("urls", metavar="URL...", nargs=-1, required=True)
@click.option("--char-limit", type=click.IntRange(min=1), default=15_000, show_default=True, help="Characters shown of a page.")
@click.option(
    "--format", "page_format", type=click.Choice(["markdown", "text", "html"]), default="markdown", show_default=True,
    help="What a page becomes.",
)  # fmt: skip
@click.option("--provider", default="", metavar="NAME", help="Who reads the page.")
@click.option("--fresh", is_flag=True, help="Pass by the cache.")
async def extract(cli: Cli, urls: tuple[str, ...], char_limit: int, page_format: PageFormat, provider: str, fresh: bool) -> int:
    """Read pages as Markdown."""
    wish = Extraction(urls=urls, format=page_format, limit_chars=char_limit, fresh=fresh, provider=provider)
    async with cli.runtime() as runtime:
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
    if entry.next_line is not None:
        screen.note(
            f"… {entry.chars_shown:,} of {entry.chars_total:,} characters; read on: limen open {where} --line {entry.next_line}"
        )


def _age(cached: bool, age_s: float) -> str:
    return f"cached {age_s:.0f} s ago" if cached else ""


def _status(answer: ExtractAnswer) -> int:
    unread = [entry for entry in answer.entries if isinstance(entry, Unread)]
    if not unread:
        return DONE
    return REFUSED if any(entry.refusal.gate in _GATES for entry in unread) else FAILED
