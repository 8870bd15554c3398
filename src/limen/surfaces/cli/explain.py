"""`limen explain`: what each gate says of an address, and what would open it, without fetching anything."""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import click
import msgspec

from limen.config.paths import Home
from limen.core.fault import Refusal
from limen.surfaces.cli.app import Cli, command, show_problem
from limen.surfaces.cli.batch_lines import Line, published, read_lines
from limen.surfaces.cli.faults import DONE, FAILED, REFUSED, tell
from limen.surfaces.cli.screen import Screen, Style

if TYPE_CHECKING:
    from limen.web.explain import Explainer, Explanation, Supposed
    from limen.wiring.explain import Explainers

# Look-ups of a batch that are under way at a time.
_AT_ONCE = 16
_STYLES: dict[str, Style] = {"allow": "good", "hit": "good", "refuse": "bad", "ask": "warn"}
_GATE_COLUMN = 2
_WORD_COLUMN = 14
_REASON_COLUMN = 22


class Wish(msgspec.Struct, frozen=True):
    """A line of a batch. `redirect_kind` is taken and makes no difference: every kind is judged alike."""

    url: str
    id: str | int | None = None
    resolves_to: tuple[str, ...] | None = None
    resolves_then: tuple[str, ...] | None = None
    redirects_to: str | None = None
    redirect_kind: str | int | None = None
    env: dict[str, str] = {}


def _addresses(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(word.strip() for word in value.split(",") if word.strip())


@command(example="limen explain http://wiki.lan/\nlimen explain https://a.example/ --resolves-to 93.184.216.34 --then 10.0.0.1")
@click.argument("urls", metavar="URL...", nargs=-1)
@click.option("--resolves-to", metavar="IP,..", callback=_addresses, help="Suppose that names resolve so, instead of asking.")
@click.option("--then", metavar="IP,..", callback=_addresses, help="Suppose that every later look-up is answered so.")
@click.option("--redirects-to", metavar="URL", help="Suppose that the page leads there.")
@click.option("--provider", default="", metavar="NAME", help="Suppose that this one reads it.")
@click.option(
    "--batch", type=click.Path(allow_dash=True, path_type=Path), metavar="FILE.jsonl",
    help="One wish a line: `url`, and what is supposed.",
)  # fmt: skip
async def explain(
    cli: Cli, urls: tuple[str, ...], resolves_to: tuple[str, ...] | None, then: tuple[str, ...] | None, redirects_to: str | None,
    provider: str, batch: Path | None,
) -> int:  # fmt: skip
    """Say what each gate thinks of an address.

    Nothing is fetched. Names are looked up unless --resolves-to supposes an answer. The exit status is 3 where an address would
    be refused, and 0 after a batch. With --json, and in a batch, each address is one line of JSON.
    """
    if bool(urls) == (batch is not None):
        raise click.UsageError("Name addresses, or a file of them with --batch." if batch is None else "--batch takes no URL.")
    if then is not None and resolves_to is None:
        raise click.UsageError("--then follows a first answer: give --resolves-to too.")
    home = Home.resolve(cli.options.home, cli.options.profile, os.environ)
    explainers: Explainers = cli.options.load("limen.wiring.explain:Explainers")(home, os.environ)
    loaded = explainers.loaded()
    cli.screen.use_colour(loaded.config.ui.color)
    for problem in loaded.problems:
        show_problem(cli.screen, problem)
    asking = _Asking(cli, explainers, provider)
    if batch is not None:
        return await _all_lines(cli.screen, asking, read_lines(batch, Wish))
    explained = [
        await asking.explain(Wish(url, resolves_to=resolves_to, resolves_then=then, redirects_to=redirects_to)) for url in urls
    ]
    for index, explanation in enumerate(explained):
        if cli.options.json:
            cli.screen.json_line(_shape(None, explanation))
        else:
            _show(cli.screen, explanation, first=index == 0)
    return DONE if all(each.verdict == "allow" for each in explained) else REFUSED


class _Asking:
    """Wishes as questions to the explainer of their environment."""

    def __init__(self, cli: Cli, explainers: "Explainers", provider: str) -> None:
        self._supposed: type[Supposed] = cli.options.load("limen.web.explain:Supposed")
        self._explainers = explainers
        self._provider = provider

    async def explain(self, wish: Wish) -> "Explanation":
        explainer: Explainer = self._explainers.under(wish.env)
        supposed = self._supposed(wish.resolves_to, wish.resolves_then, wish.redirects_to)
        return await explainer.explain(wish.url, supposed, provider=self._provider)


async def _all_lines(screen: Screen, asking: _Asking, lines: Iterator[Line[Wish]]) -> int:
    """Every line's explanation, in order, a few at a time; FAILED where a line could not be used."""
    status = DONE
    while some := list(islice(lines, _AT_ONCE)):
        for line, answer in zip(some, await _explained(asking, some), strict=True):
            if isinstance(answer, Refusal):
                status = FAILED
                tell(screen, answer.code, answer.reason, answer.mend)
                screen.json_line(published(line, answer))
            else:
                screen.json_line(_shape(line.row.id if isinstance(line.row, Wish) else None, answer))
    return status


async def _explained(asking: _Asking, lines: Sequence[Line[Wish]]) -> "Iterable[Explanation | Refusal]":
    answers: dict[int, Explanation | Refusal] = {}

    async def answer(line: Line[Wish]) -> None:
        answers[line.number] = line.row if isinstance(line.row, Refusal) else await asking.explain(line.row)

    async with anyio.create_task_group() as tasks:
        for line in lines:
            tasks.start_soon(answer, line)
    return [answers[line.number] for line in lines]


def _shape(name: str | int | None, explanation: "Explanation") -> dict[str, Any]:
    shape: dict[str, Any] = msgspec.to_builtins(explanation)
    return {"id": name, **shape}


def _show(screen: Screen, explanation: "Explanation", *, first: bool) -> None:
    if not first:
        screen.line()
    screen.write(f"{explanation.url}  ", "bold")
    screen.line(explanation.verdict, _STYLES.get(explanation.verdict, "plain"))
    for row in explanation.gates:
        screen.write("▸ " if row.decides else " " * _GATE_COLUMN, _STYLES.get(row.verdict, "plain"))
        screen.write(f"{row.gate:<{_WORD_COLUMN - _GATE_COLUMN}}")
        screen.write(f"{row.verdict:<{_REASON_COLUMN - 2 - _WORD_COLUMN}}", _STYLES.get(row.verdict, "dim"))
        screen.hanging(f"{row.reason} [{row.code}]" if row.code else row.reason, _REASON_COLUMN)
    refused = sorted((row for row in explanation.gates if row.verdict in ("refuse", "ask")), key=lambda row: not row.decides)
    said: set[str] = set()
    for row in refused:
        if row.mend in said:
            continue
        said.add(row.mend)
        screen.write("  →", "good")
        screen.hanging(screen.offered(f"{row.gate}: {row.mend or 'nothing opens it'}"), 5)
