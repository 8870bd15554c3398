"""`limen search`: search alone, without a model."""

from collections.abc import Iterator, Sequence
from typing import Any, get_args

import click

from limen.core.web import ContextSize, Hit, SearchAnswer, SearchRequest, SearchType, published_search
from limen.kit.text import clip
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.browsing import call_of, session_option
from limen.surfaces.cli.faults import DONE, Refused
from limen.surfaces.cli.library_name import chosen_library, library_option, refuse_unknown_library, searched_library
from limen.surfaces.cli.screen import Screen
from limen.surfaces.cli.unquoted import TakesText
from limen.web.search import MAX_DAYS, MAX_HITS, MAX_SNIPPET_CHARS
from limen.web.search_call import LIBRARY

_SNIPPET_CHARS = 300


@command(example='limen search "cancel asyncio task"', cls=TakesText)
@click.argument("query")
@click.option("--limit", type=click.IntRange(min=1, max=MAX_HITS), default=5, show_default=True, help="How many hits.")
@click.option("--provider", default="", metavar="NAME", help="Who searches.")
@click.option("--site", "sites", multiple=True, metavar="DOMAIN", help="Only hits from there; may be given more than once.")
@click.option("--not-site", "not_sites", multiple=True, metavar="DOMAIN", help="No hits from there.")
@click.option("--type", "kind", type=click.Choice(get_args(SearchType)), default="web", show_default=True, help="What to find.")
@click.option("--recency-days", type=click.IntRange(min=1, max=MAX_DAYS), help="Only what was published since so many days.")
@click.option("--region", default="", metavar="CC[-LL]", help="A country, or a country and a language: br, br-pt.")
@click.option("--context-size", type=click.Choice(get_args(ContextSize)), help="Snippets, more of each page, or a first passage.")
@click.option("--live", is_flag=True, help="Pages as they are now, and no search made before.")
@click.option("--max-chars", type=click.IntRange(min=1, max=MAX_SNIPPET_CHARS), help="Characters of each snippet.")
@session_option
async def search(
    cli: Cli,
    query: str,
    provider: str,
    sites: tuple[str, ...],
    not_sites: tuple[str, ...],
    kind: SearchType,
    session: str | None,
    **wishes: Any,
) -> int:
    """Search, and nothing else.

    What is found can be opened by its ref: limen open turn0search1.
    """
    if not query.strip():
        raise click.UsageError("The query is empty.")
    if sites and not_sites:
        raise click.UsageError("--site and --not-site exclude each other.")
    if chosen_library() is not None:
        if provider not in ("", LIBRARY):
            raise click.UsageError("--library and --provider exclude each other.")
        provider = LIBRARY
    wish = SearchRequest(query, allowed_domains=sites, blocked_domains=not_sites, provider=provider, type=kind, **wishes)
    async with cli.runtime(searched_library()) as runtime:
        await refuse_unknown_library(runtime)
        context = await call_of(cli, runtime, session)
        answer = await runtime.web.search(wish, context)
        if answer.refusal is not None:
            raise Refused(answer.refusal)
        answer = await runtime.browser.handles.of_hits(answer, "image" if kind == "images" else "search", context)
    if cli.options.json:
        cli.screen.json(published_search(answer))
    else:
        _show(cli.screen, wish, answer)
    return DONE


search.params.append(library_option("Search that library of yours, and nothing else."))


def _show(screen: Screen, wish: SearchRequest, answer: SearchAnswer) -> None:
    if not answer.hits:
        screen.note(f'no results for "{wish.query}" from {answer.source.provider}', "plain")
    for hit in answer.hits:
        # Who asked for more of each page gets it.
        _show_hit(screen, hit, _SNIPPET_CHARS if wish.max_chars is None and wish.context_size is None else MAX_SNIPPET_CHARS)
    said = list(_remarks(answer))
    if answer.hits or len(said) > 1:
        screen.note(" · ".join(said))


def _remarks(answer: SearchAnswer) -> Iterator[str]:
    """Who answered, and what there is to know of it."""
    source = answer.source
    yield " and ".join((source.provider, *source.also))
    if source.cached:
        yield f"cached {source.age_s:.0f} s ago"
    if source.rescued_from:
        yield f"instead of {source.rescued_from}: {source.rescue_cause}"
    if source.engines_failed:
        yield f"failed: {'; '.join(_grouped(source.engines_failed))}"
    if source.ignored:
        yield f"not used: {', '.join(source.ignored)}"
    if source.dropped:
        yield f"{source.dropped} dropped by policy"
    yield from source.notices


def _grouped(failed: Sequence[str]) -> Iterator[str]:
    """`exa, parallel: network.unreachable`: those with the same reason together."""
    by_reason: dict[str, list[str]] = {}
    for entry in failed:
        name, _, reason = entry.partition(": ")
        by_reason.setdefault(reason, []).append(name)
    for reason, names in by_reason.items():
        yield f"{', '.join(names)}: {reason}" if reason else ", ".join(names)


def _show_hit(screen: Screen, hit: Hit, snippet_chars: int) -> None:
    screen.write(f"{hit.position:>2} ", "accent")
    screen.line(clip(hit.title or hit.url, max(screen.width - 4, 40)), "bold")
    own = hit.ref if hit.ref != hit.url else ""
    line = f"line {hit.line}" if hit.line is not None else ""
    handles = [part for part in (hit.ref_id, own, line, hit.published) if part]
    if handles:
        screen.line(f"   {' · '.join(handles)}", "dim")
    screen.line(f"   {hit.url}", "dim")
    if hit.image_url:
        size = f" · {hit.width}×{hit.height}" if hit.width and hit.height else ""
        screen.line(f"   image: {hit.image_url}{size}", "dim")
    if hit.snippet:
        screen.paragraph(clip(hit.snippet, snippet_chars), "   ")
