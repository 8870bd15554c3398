"""The keys of providers as they are listed: where each is kept, whether it is there, and how it is doing."""

import os
from typing import TYPE_CHECKING, Any, Literal

import anyio
import msgspec

from limen.config.secrets import Secrets
from limen.core.fault import ModelFault
from limen.core.provider import Provider
from limen.kit.clock import iso_utc, wall_s
from limen.store.ports import Rest

if TYPE_CHECKING:
    from limen.runtime import Runtime

State = Literal["set", "missing", "unusable", "on demand"]
_SOURCES = {"file": "file", "cmd": "command", "keyring": "keyring", "oauth": "log-in"}


class KeyRow(msgspec.Struct, frozen=True):
    """One key. `source` is where it comes from, `fingerprint` tells it from its successor, `rests_until` is Unix time; `uses` is
    how many conversations were given to it, None where nobody counts."""

    provider: str
    reference: str
    state: State
    source: str = ""
    fingerprint: str = ""
    reason: str = ""
    mend: str = ""
    rests_until: float = 0.0
    rests_because: str = ""
    uses: int | None = None

    def published(self) -> dict[str, Any]:
        """The shape in JSON."""
        until = iso_utc(self.rests_until) if self.rests_until else None
        return {**msgspec.to_builtins(self), "rests_until": until}


async def key_rows(runtime: "Runtime", provider: Provider, *, fetch: bool) -> list[KeyRow]:
    """The keys of a provider, in the order in which they stand. With `fetch`, commands are run and log-ins are renewed."""
    references = provider.references
    if fetch:
        async with anyio.create_task_group() as group:
            for reference in references:
                group.start_soon(runtime.models.keyring.ready, reference)
    rests = await runtime.models.health.known()
    # Where a provider's keys are used by another rule, what stands there is of former times.
    counts = runtime.models.strategies.get(provider.name, "least_used") == "least_used"
    uses = await runtime.models.health.uses() if counts else {}
    secrets = Secrets.load(runtime.home, os.environ)
    return [_row(runtime, provider, reference, secrets, fetch, {**rests}, {**uses}) for reference in references]


def _row(
    runtime: "Runtime", provider: Provider, reference: str, secrets: Secrets, fetch: bool, rests: dict[str, Rest],
    uses: dict[str, int],
) -> KeyRow:  # fmt: skip
    kind, _, name = reference.partition(":")
    if not fetch and kind in ("cmd", "keyring"):
        return KeyRow(provider.name, reference, "on demand", _SOURCES[kind])
    source = secrets.source(name) or "" if kind == "env" else _SOURCES.get(kind, "")
    if kind == "oauth" and not fetch:
        return _log_in(runtime, provider, reference, name)
    url = provider.endpoint or (f"https://{provider.hosts[0]}" if provider.hosts else "")
    if not url:
        reason, mend = f"{provider.name} has no endpoint yet, so no key goes anywhere", provider.start
        return KeyRow(provider.name, reference, "unusable" if source else "missing", source, reason=reason, mend=mend)
    state = runtime.models.keyring.state(reference, url)
    row = KeyRow(provider.name, reference, state.state, source, state.fingerprint, state.reason, state.mend)
    if state.state != "set":
        return row
    subject = runtime.models.keyring.subject(reference, url) or ""
    rest = rests.get(subject)
    if rest is not None and rest.until > wall_s():
        row = msgspec.structs.replace(row, rests_until=rest.until, rests_because=rest.reason)
    return msgspec.structs.replace(row, uses=uses.get(subject))


def _log_in(runtime: "Runtime", provider: Provider, reference: str, name: str) -> KeyRow:
    mend = f"limen credentials add {provider.name}"
    try:
        tokens = runtime.models.keys.log_ins.file(name).load()
    except ModelFault as fault:
        return KeyRow(provider.name, reference, "unusable", "log-in", reason=fault.reason, mend=fault.mend)
    if tokens is None:
        return KeyRow(provider.name, reference, "missing", "log-in", reason="nobody has logged in", mend=mend)
    if tokens.ended:
        return KeyRow(provider.name, reference, "unusable", "log-in", reason="the log-in has ended", mend=mend)
    return KeyRow(provider.name, reference, "set", "log-in")


def told(row: KeyRow) -> str:
    """The state in words."""
    if row.rests_until:
        return f"rests until {iso_utc(row.rests_until)}"
    return f"{row.state} ({row.source})" if row.source and row.state == "set" else row.state
