"""What stands under an answer: its numbered sources, and one line that accounts for what crossed the threshold."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from limen.core.ledger import LedgerLine
from limen.core.prompt_cache import CacheAccount
from limen.kit.text import clip
from limen.models.spending import dollars
from limen.surfaces.cli.faults import REFUSED, status_of_refusal
from limen.surfaces.cli.figures import counted
from limen.surfaces.cli.named_pages import failure, published_pages
from limen.surfaces.cli.prompt_cache import cache_line
from limen.surfaces.cli.screen import Screen

if TYPE_CHECKING:
    from limen.agent.agent import TurnOutcome
    from limen.agent.citation import CitedSource

_TITLE_CHARS = 70
_TITLE_CHARS_LEAST = 16
# What stands behind a title: " · snippet only", or that it was read and a line or two.
_REMARK_CHARS = 24
# So many quotations that could not be found are shown, and so much of each; JSON has them all.
_MOST_QUOTED = 3
_QUOTED_CHARS = 80


def show_sources(screen: Screen, sources: "Sequence[CitedSource]") -> None:
    """The sources of an answer, each with its number, whether it was read, and where it is."""
    if not sources:
        return
    screen.fresh_line()
    screen.line()
    width = len(str(max(source.n for source in sources))) + 2
    room = (
        max(min(_TITLE_CHARS, screen.width - width - _REMARK_CHARS), _TITLE_CHARS_LEAST)
        if screen.out_is_terminal
        else _TITLE_CHARS
    )
    for source in sources:
        screen.write(f"{f'[{source.n}]':>{width}} ", "accent")
        screen.write(clip(source.title or source.url, room), "bold")
        screen.line(f" · {'read' if source.read else 'snippet only'}{_lines(source)}", "dim")
        screen.line(f"{'':>{width}} {source.url}", "dim")


def warn_of_unverified(screen: Screen, quotations: Sequence[str]) -> None:
    """What an answer quotes that stands in nothing that was read, shown or said; never silent."""
    if not quotations:
        return
    shown = ", ".join(f"“{clip(quotation, _QUOTED_CHARS)}”" for quotation in quotations[:_MOST_QUOTED])
    more = f" and {len(quotations) - _MOST_QUOTED} more" if len(quotations) > _MOST_QUOTED else ""
    screen.fresh_line()
    screen.say("! ", "warn", end="")
    screen.say(f"quoted, but found in nothing that was read: {shown}{more}")


def _lines(source: "CitedSource") -> str:
    lines = sorted({quote.line for quote in source.quotes})
    if not lines:
        return ""
    return f" · line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines[:5]))}"


def account(outcome: "TurnOutcome", columns: int) -> str:
    """One line: what entered the context, what was done to it, and who answered: one that was asked first where `columns` have
    room for it, one that stood in always."""
    entered = [entry for entry in outcome.entries if entry.kind != "model"]
    treated = [entry.treatment for entry in entered]
    refused = sum(status_of_refusal(refusal) == REFUSED for refusal in outcome.refusals)
    failed = len(outcome.refusals) - refused
    figures = {
        "cut": sum(treatment.cut is not None for treatment in treated),
        "compacted": sum(treatment.compacted is not None for treatment in treated),
        "cached": sum(treatment.cached for treatment in treated),
        "refused": refused,
        **({"failed": failed} if failed else {}),
    }
    tokens = sum(entry.tokens_out for entry in entered)
    line = f"context in {tokens:,} tokens, {counted(len(entered), 'block')}"
    rest = [f"{name} {count}" for name, count in figures.items()]
    must = len(rest)
    if outcome.route is not None:
        rest.append(f"{outcome.route.name}{f' for {outcome.failed[0].route}' if outcome.failed else ''}")
        must += bool(outcome.failed)
    for position, part in enumerate([*rest, f"{outcome.took_s:.1f} s"]):
        if position < must or len(line) + len(part) + 3 <= columns:
            line += f" · {part}"
    return line


def provider_account(outcome: "TurnOutcome") -> str:
    """One more line: what the provider had kept of the prompts, what the turn cost, and how much of that were small jobs of its
    tools; empty where there is nothing of it to tell."""
    aside_usd = outcome.aside.cost_usd or 0.0
    cost_usd = (outcome.usage.cost_usd or 0.0) + aside_usd
    jobs = f" (small jobs {dollars(aside_usd)})" if aside_usd else ""
    cost = f"{dollars(cost_usd)}{jobs}" if cost_usd else ""
    return " · ".join(part for part in (cache_line(outcome.cache), cost) if part)


def published_outcome(outcome: "TurnOutcome") -> dict[str, Any]:
    """The shape of `limen ask --json`; `error` is there where no answer came, or none of the named pages was read."""
    route, end = outcome.route, outcome.end
    error: dict[str, Any] | None = None
    if end.reason != "answered":
        error = {"code": end.code, "gate": "turn", "reason": end.text, "mend": end.mend}
    elif (unread := failure(outcome.pages)) is not None:
        error = unread.published()
    return {
        "answer": outcome.answer,
        "sources": [msgspec.to_builtins(source) for source in outcome.sources],
        "unverified_quotes": list(outcome.unverified),
        "model": route.model if route else None,
        "route": route.name if route else None,
        "fell_back_from": outcome.failed[0].route if outcome.failed else None,
        "usage": _published_usage(outcome),
        "aside": {
            "input_tokens": outcome.aside.input_tokens,
            "output_tokens": outcome.aside.output_tokens,
            "cost_usd": outcome.aside.cost_usd,
        },
        "ledger": [msgspec.to_builtins(LedgerLine.of(entry)) for entry in outcome.entries],
        "session": outcome.session,
        "turn": outcome.turn,
        "reason": end.reason,
        "pages": published_pages(outcome.pages),
        **({} if error is None else {"error": error}),
    }


def _published_usage(outcome: "TurnOutcome") -> dict[str, Any]:
    """Tokens and cost, and why the requests of the turn were not read from the provider's cache; null where they were."""
    worst = CacheAccount.of(outcome.cache).worst
    told = {name: value for name, value in msgspec.to_builtins(outcome.usage).items() if name != "tells_cache"}
    return {**told, "cache_miss": worst.miss if worst is not None else None}
