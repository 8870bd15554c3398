"""The chat's commands for settings: who answers, and taking up what has changed."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

import anyio

from limen.config.layer import merge
from limen.config.load import Loaded
from limen.config.value import show_value
from limen.core.fault import Fault, ModelFault
from limen.core.route import Route
from limen.surfaces.cli.app import show_problem
from limen.surfaces.cli.conversation import Conversation
from limen.surfaces.cli.faults import tell_fault

if TYPE_CHECKING:
    from limen.models.directory import Offer
    from limen.runtime import Runtime

_DEFAULT = "default"
# How long a server may take to say what it offers: a person waits for it.
_PATIENCE_S = 2.0


async def model(conversation: Conversation, rest: str) -> None:
    """Choose who answers from the next turn on, or say who does."""
    screen = conversation.screen
    if rest == _DEFAULT:
        conversation.model = None
    elif rest:
        await _check(conversation, rest)
        conversation.model = rest
    after = "after this answer" if conversation.running else "from now on"
    screen.line(f"{conversation.route} answers {after if rest else f'in this chat{conversation.stood_in}'}")


async def _check(conversation: Conversation, name: str) -> None:
    """Raise Fault where nobody goes by that name; say what else may stand in the way."""
    runtime, screen = conversation.runtime, conversation.screen
    route = runtime.models.routes.route(name)
    key = runtime.models.key_state(route)
    if not key.usable:
        missing = f"its key {(route.credential or '').removeprefix('env:')} is not set yet"
        screen.note(f"! {missing if key.state == 'missing' else key.reason}", "warn")
    if not route.endpoint or not runtime.models.routes.provider(route.provider).lists_models:
        return
    offers = await _offers(runtime, route)
    if offers is None:
        screen.note(f"! {route.provider} does not answer at the moment", "warn")
        return
    names = [offer.name for offer in offers]
    if route.model and names and not {route.model, f"{route.model}:latest"} & set(names):
        near = get_close_matches(route.model, names, n=1, cutoff=0.4) or names[:1]
        reason = f"{route.provider} offers no {route.model}"
        raise Fault("model.not_listed", reason, f"did you mean /model {route.provider}/{near[0]}?")


async def _offers(runtime: "Runtime", route: Route) -> "Sequence[Offer] | None":
    """The models of a route's server; None where it does not say."""
    try:
        with anyio.fail_after(_PATIENCE_S):
            return await runtime.models.directory.offers(route)
    except (ModelFault, TimeoutError):
        return None


async def model_choices(conversation: Conversation, typed: str) -> Sequence[tuple[str, str]]:
    """Providers; behind a provider's slash, the models of its server."""
    runtime = conversation.runtime
    provider, slash, _ = typed.partition("/")
    known = {each.name: each for each in runtime.models.routes.providers if each.endpoint or each.wire == "embedded"}
    if slash and provider in known and known[provider].lists_models:
        if provider not in conversation.offers:
            conversation.offers[provider] = await _offers(runtime, runtime.models.routes.endpoint_of(provider)) or ()
        names = [(f"{provider}/{offer.name}", _window(offer)) for offer in conversation.offers[provider]]
    else:
        names = [(f"{each.name}/{each.default_model}", each.endpoint or "part of Limen") for each in known.values()]
        names.append((_DEFAULT, "whom the settings name"))
    return [(name, remark) for name, remark in names if name.startswith(typed)]


def _window(offer: "Offer") -> str:
    return f"{offer.window_tokens:,} tokens" if offer.window_tokens else ""


async def reload(conversation: Conversation, _rest: str) -> None:
    """Wire everything anew from what the settings and the keys say now; what is broken leaves all as it was."""
    screen, before = conversation.screen, conversation.runtime.loaded
    try:
        runtime = await conversation.wiring.renew()
    except Fault as fault:
        tell_fault(screen, fault)
        screen.note("the settings from before still hold", "warn")
        return
    conversation.offers.clear()
    for problem in runtime.loaded.problems:
        show_problem(screen, problem)
    changes = changed(before, runtime.loaded)
    for change in changes:
        screen.line(change)
    after = " after this answer" if conversation.running else ""
    screen.note(f"the new settings hold{after}" if changes else "no setting has changed; keys were read again", "plain")
    _drop_lost_model(conversation)


def changed(before: Loaded, after: Loaded) -> list[str]:
    """Each setting that has another value now, with both. What a plug-in keeps may be secret and is only named."""
    old, new = merge(before.layers), merge(after.layers)
    lines = []
    for key in sorted(old.keys() | new.keys()):
        was, now = old.get(key), new.get(key)
        if was == now:
            continue
        values = "changed" if key.startswith("plugins.") else f"{_shown(was)} → {_shown(now)}"
        lines.append(f"{key}: {values}" + (" (from the next start)" if key.startswith("ui.") else ""))
    return lines


def _shown(value: object) -> str:
    return "unset" if value is None else show_value(value)


def _drop_lost_model(conversation: Conversation) -> None:
    """Go back to the settings' model where the chat's own choice names nobody any more."""
    if conversation.model is None:
        return
    try:
        conversation.runtime.models.routes.route(conversation.model)
    except Fault as fault:
        tell_fault(conversation.screen, fault)
        conversation.model = None
        conversation.screen.note(f"{conversation.route} answers from now on", "plain")
