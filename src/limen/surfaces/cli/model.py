"""`limen model`: which route answers and why, what else there is, choosing one, and trying it."""

import os
from typing import TYPE_CHECKING, Any

import click
import msgspec

from limen.config.edit import set_value
from limen.config.paths import Home
from limen.core.provider import Provider
from limen.core.route import Price, Route
from limen.kit.clock import iso_utc
from limen.models.resolve import ANY_MODEL, ROUTE_VARIABLE
from limen.surfaces.cli.app import Cli, command, group
from limen.surfaces.cli.costs import costs
from limen.surfaces.cli.faults import DONE
from limen.surfaces.cli.table import Column, show_table
from limen.surfaces.cli.trial import NO_TRIAL, show_trial, try_out

if TYPE_CHECKING:
    from limen.runtime import Runtime

PROVIDER_COLUMNS = (Column("provider"), Column("endpoint", gives_way=True), Column("key", style="dim"), Column("", style="good"))
_OFFERS = (Column("route", gives_way=True), Column("window", "right", style="dim"))


model = group("model", "Choose the model that answers.", example="limen model set llama.cpp\nlimen model test", default="show")
model.add_command(costs)


@command(name="show", example="limen model", under=model)
async def show(cli: Cli) -> int:
    """Show the route that answers, and why that one."""
    async with cli.runtime() as runtime:
        route = runtime.models.wished()
        rest = await runtime.models.resting(route)
        shape = {
            **_shape(route),
            "key": _key_state(runtime, route),
            "price": msgspec.to_builtins(route.price),
            "resting_until": iso_utc(rest.until) if rest is not None else None,
            "resting_because": rest.reason if rest is not None else None,
        }
    if cli.options.json:
        cli.screen.json(shape)
        return DONE
    cli.screen.line(route.name if route.model else f"{route.provider}, with the model that its server offers", "bold")
    cli.screen.line(f"  because {route.because}")
    if route.endpoint:
        cli.screen.line(f"  at {route.endpoint}", "dim")
    if route.credential is not None:
        others = f" and {len(route.pool) - 1} more" if route.pool else ""
        cli.screen.line(f"  with the key {route.credential}{others} ({shape['key']})", "dim")
    if route.endpoint and route.model:
        subscribed = route.credential is not None and route.credential.startswith("oauth:")
        cli.screen.line(f"  {'paid for by a subscription' if subscribed else price_line(route.price)}", "dim")
    if rest is not None:
        meanwhile = "the next of limen fallback list answers" if runtime.models.chain else "it is asked all the same"
        cli.screen.line(f"! it did not answer ({rest.reason}); until {iso_utc(rest.until)} {meanwhile}", "warn")
    return DONE


@command(name="list", example="limen model list\nlimen model list llama.cpp", under=model)
@click.argument("provider", required=False)
async def list_models(cli: Cli, provider: str | None) -> int:
    """List the providers; with PROVIDER, ask it for its models."""
    async with cli.runtime() as runtime:
        routes = runtime.models.routes
        if provider is None:
            chosen = runtime.models.wished().provider
            rows = [(entry, _key_state(runtime, _asked(entry)), entry.name == chosen) for entry in routes.providers]
            _list_providers(cli, rows)
            return DONE
        route = routes.endpoint_of(provider)
        offers = await runtime.models.directory.offers(route) if route.endpoint else ()
    if cli.options.json:
        cli.screen.json([{"route": f"{route.provider}/{offer.name}", "window_tokens": offer.window_tokens} for offer in offers])
    elif not offers:
        cli.screen.note(f"{route.provider} offers no list of models", "plain")
    else:
        rows_shown = [
            [f"{route.provider}/{offer.name}", f"{offer.window_tokens:,}" if offer.window_tokens else ""] for offer in offers
        ]
        show_table(cli.screen, _OFFERS, rows_shown)
    return DONE


@command(name="set", example="limen model set openrouter/anthropic/claude-sonnet-4\nlimen model set llama.cpp", under=model)
@click.argument("route")
async def set_model(cli: Cli, route: str) -> int:
    """Let ROUTE answer from now on: provider/model, a provider alone, or the URL of an endpoint with #model."""
    async with cli.runtime() as runtime:
        wanted = runtime.models.routes.route(route)
        key = _key_state(runtime, wanted)
    is_url = route.strip().startswith(("http://", "https://"))
    value = route.strip() if is_url else f"{wanted.provider}/{wanted.model or ANY_MODEL}"
    edited = set_value(Home.resolve(cli.options.home, cli.options.profile, os.environ), "model.route", value)
    if cli.options.json:
        cli.screen.json({"route": value, "changed": edited.changed, "file": str(edited.file), "key": key})
        return DONE
    cli.screen.note(f"{value} answers from now on" if edited.changed else f"{value} answers already", "plain")
    if os.environ.get(ROUTE_VARIABLE):
        cli.screen.note(f"! {ROUTE_VARIABLE} overrides it in this shell: unset {ROUTE_VARIABLE}", "warn")
    if key == "missing":
        cli.screen.note(f"! its key {wanted.credential} is not set yet", "warn")
    cli.screen.note("  try it: limen model test")
    return DONE


@command(name="test", example="limen model test\nlimen model test llama.cpp", under=model)
@click.argument("route", required=False)
async def test_model(cli: Cli, route: str | None) -> int:
    """Ask a route for one word: is it there, does the key hold, how fast is it."""
    async with cli.runtime() as runtime:
        chosen = await runtime.models.named(route)
        trial = None if chosen.wire == "embedded" else await try_out(runtime.models.model, chosen, cli.screen)
    if cli.options.json:
        cli.screen.json({**_shape(chosen), "ok": True, **(trial.shape() if trial is not None else NO_TRIAL)})
    elif trial is None:
        cli.screen.line(f"{chosen.name} is part of Limen and always there", "good")
    else:
        show_trial(cli.screen, trial)
    return DONE


def price_line(price: Price | None) -> str:
    """What a model costs, for people: each part by a million tokens, and the day that this was so."""
    if price is None:
        return "its price is not known"
    if not (price.input_usd or price.output_usd):
        return "costs nothing"
    parts = {"in": price.input_usd, "out": price.output_usd, "from the cache": price.cached_input_usd}
    costs = ", ".join(f"${usd:g} {name}" for name, usd in parts.items() if usd is not None)
    more = f"; more beyond {price.long_tokens:,} tokens of prompt" if price.long is not None else ""
    return f"costs {costs} for a million tokens{f' ({price.as_of})' if price.as_of else ''}{more}"


def _list_providers(cli: Cli, rows: list[tuple[Provider, str, bool]]) -> None:
    if cli.options.json:
        shapes = [
            {
                "provider": entry.name,
                "wire": entry.wire,
                "endpoint": entry.endpoint,
                "key": key,
                "variables": entry.variables,
                "model": entry.default_model,
                "chosen": chosen,
            }
            for entry, key, chosen in rows
        ]
        cli.screen.json(shapes)
        return
    shown = [
        [
            entry.name,
            entry.endpoint or ("built in" if entry.wire == "embedded" else "not configured"),
            key if entry.credential is None else f"{entry.credential.removeprefix('env:')} {key}",
            "chosen" if chosen else "",
        ]
        for entry, key, chosen in rows
    ]
    show_table(cli.screen, PROVIDER_COLUMNS, shown)


def _asked(provider: Provider) -> Route:
    """A route to a provider as far as its key is concerned; where it has no endpoint yet, its key could go nowhere."""
    return Route(
        provider.name,
        provider.wire,
        "",
        provider.endpoint,
        credential=provider.credential,
        pool=provider.pool,
        quirks=provider.quirks,
    )


def _key_state(runtime: "Runtime", route: Route) -> str:
    if route.credential is None:
        return "none needed"
    if not route.endpoint:
        named = [reference.removeprefix("env:") for reference in route.references]
        return "set" if any(map(runtime.models.routes.is_set, named)) else "missing"
    return runtime.models.key_state(route).state


def _shape(route: Route) -> dict[str, Any]:
    return {
        "route": route.name,
        "provider": route.provider,
        "model": route.model,
        "wire": route.wire,
        "endpoint": route.endpoint,
        "because": route.because,
        "credential": route.credential,
        "window_tokens": route.window_tokens,
        "output_tokens": route.output_tokens,
    }
