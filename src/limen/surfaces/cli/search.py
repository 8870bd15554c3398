"""`limen search`: search alone, without a model."""

import click

from limen.core.web import Hit, SearchAnswer, SearchRequest, published_search
from limen.kit.text import clip
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.faults import DONE, Refused
from limen.surfaces.cli.screen import Screen
from limen.surfaces.cli.unquoted import TakesText

_SNIPPET_CHARS = 300


@command(example='limen search "cancel asyncio task"', cls=TakesText)
@click.argument("query")
@click.option("--limit", type=click.IntRange(min=1, max=100), default=5, show_default=True, help="How many hits.")
@click.option("--provider", default="", metavar="NAME", help="Who searches.")
@click.option("--site", "sites", multiple=True, metavar="DOMAIN", help="Only hits from there; may be given more than once.")
@click.option("--not-site", "not_sites", multiple=True, metavar="DOMAIN", help="No hits from there.")
async def search(cli: Cli, query: str, limit: int, provider: str, sites: tuple[str, ...], not_sites: tuple[str, ...]) -> int:
    """Search, and nothing else."""
    if not query.strip():
        raise click.UsageError("The query is empty.")
    if sites and not_sites:
        raise click.UsageError("--site and --not-site exclude each other.")
    wish = SearchRequest(query, limit=limit, allowed_domains=sites, blocked_domains=not_sites, provider=provider)
    async with cli.runtime() as runtime:
        answer = await runtime.web.search(wish, cli.call())
    if answer.refusal is not None:
        raise Refused(answer.refusal)
    if cli.options.json:
        cli.screen.json(published_search(answer))
    else:
        _show(cli.screen, query, answer)
    return DONE


def _show(screen: Screen, query: str, answer: SearchAnswer) -> None:
    if not answer.hits:
        screen.note(f'no results for "{query}" from {answer.source.provider}', "plain")
    for hit in answer.hits:
        _show_hit(screen, hit)
    source = answer.source
    remarks = [source.provider]
    remarks.append(f"cached {source.age_s:.0f} s ago" if source.cached else "")
    remarks.append(f"instead of {source.rescued_from}: {source.rescue_cause}" if source.rescued_from else "")
    remarks.append(f"failed: {', '.join(source.engines_failed)}" if source.engines_failed else "")
    remarks.append(f"not used: {', '.join(source.ignored)}" if source.ignored else "")
    remarks.append(f"{source.dropped} dropped by policy" if source.dropped else "")
    said = [remark for remark in remarks if remark]
    if answer.hits or len(said) > 1:
        screen.note(" · ".join(said))


def _show_hit(screen: Screen, hit: Hit) -> None:
    screen.write(f"{hit.position:>2} ", "accent")
    screen.line(clip(hit.title or hit.url, max(screen.width - 4, 40)), "bold")
    line = f" · line {hit.line}" if hit.line is not None else ""
    published = f" · {hit.published}" if hit.published else ""
    screen.line(f"   {hit.ref or hit.url}{line}{published}", "dim")
    if hit.ref and hit.ref != hit.url:
        screen.line(f"   {hit.url}", "dim")
    if hit.snippet:
        screen.paragraph(clip(hit.snippet, _SNIPPET_CHARS), "   ")
