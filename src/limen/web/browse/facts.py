"""Weather, prices and fixtures: commands turned into what providers of facts are asked, past the check for credentials."""

from collections.abc import Callable, Mapping
from typing import Any, get_args

import msgspec

from limen.core.browse import Finance, Sports, Weather
from limen.core.context import CallContext
from limen.core.facts import (
    AssetType,
    FactAnswer,
    FactKind,
    FactRequest,
    FinanceRequest,
    League,
    SportsRequest,
    WeatherRequest,
    no_fact,
)
from limen.core.fault import Refusal
from limen.core.ports import FactProvider
from limen.kit.log import logger
from limen.web.gates.secrets import SecretsGate
from limen.web.mode import Mode, no_facts

FactCommand = Weather | Finance | Sports


class Facts:
    """Asks the provider of each kind, where there is one, and the settings let somebody be asked."""

    def __init__(
        self,
        providers: Mapping[FactKind, FactProvider],
        secrets: SecretsGate,
        mode: Callable[[], Mode],
        asks: Callable[[], bool] = lambda: True,
    ) -> None:
        self._providers = providers
        self._secrets = secrets
        self._mode = mode
        self._asks = asks

    async def look_up(self, command: FactCommand, context: CallContext) -> FactAnswer:
        """What is known. Codes: `web.facts_off`, `web.mode`, `web.no_fact_provider`, `browse.invalid_command`, those of `secrets`
        and of providers."""
        kind: FactKind = "weather" if isinstance(command, Weather) else "finance" if isinstance(command, Finance) else "sports"
        outside = _switched_off(kind) if not self._asks() else no_facts(self._mode(), kind)
        if outside is not None:
            return no_fact(kind, outside)
        secret = self._secrets.judge_text(" ".join(str(value) for value in msgspec.structs.astuple(command) if value), "query")
        if secret is not None:
            return no_fact(kind, secret)
        provider = self._providers.get(kind)
        if provider is None:
            reason = f"There is no provider of {kind}."
            return no_fact(kind, Refusal("resolve", "web.no_fact_provider", reason, "Search for it instead."))
        unavailable = provider.unavailable()
        if unavailable is not None:
            return no_fact(provider.name, unavailable)
        request = _request(command)
        if isinstance(request, Refusal):
            return no_fact(provider.name, request)
        try:
            return await provider.look_up(request, context)
        except Exception as error:  # noqa: BLE001 - a provider is a plug-in: its failure costs this fact alone
            logger.exception("fact provider %s failed", provider.name)
            reason = f"{provider.name} failed: {type(error).__name__}: {error}"
            return no_fact(provider.name, Refusal(provider.name, "web.provider_failed", reason))


def _switched_off(kind: FactKind) -> Refusal:
    return Refusal("resolve", "web.facts_off", f"Asking for {kind} is switched off.", "limen config set web.facts true")


def _request(command: FactCommand) -> FactRequest | Refusal:
    """The request that a command means, or what of it cannot be read."""
    kind: type[FactRequest]
    match command:
        case Weather(location=location, start=start, duration=duration):
            kind, values = WeatherRequest, {"location": location, "start": start, "duration_days": duration}
        case Finance(ticker=ticker, type=asset, market=market):
            kind, values = FinanceRequest, {"ticker": ticker, "type": asset.lower(), "market": market}
        case Sports():
            fields: dict[str, Any] = msgspec.structs.asdict(command)
            kind, values = SportsRequest, {**fields, "table": fields.pop("fn").lower(), "league": command.league.lower()}
    try:
        return msgspec.convert({key: value for key, value in values.items() if value is not None}, kind)
    except msgspec.ValidationError as error:
        mend = f"Days are YYYY-MM-DD; leagues: {', '.join(get_args(League))}; assets: {', '.join(get_args(AssetType))}."
        return Refusal("browse", "browse.invalid_command", f"{command.name} cannot be read: {error}.", mend)
