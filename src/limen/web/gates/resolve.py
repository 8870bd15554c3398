"""Gate: who reads the pages. A named choice is honoured as it is, never swapped in silence."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from urllib.parse import urlsplit

import msgspec

from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict
from limen.core.ports import ExtractProvider
from limen.core.web import ExtractAnswer
from limen.web.call import ExtractCall, ExtractGate, ExtractProceed, Wanted


def choose(name: str, providers: Mapping[str, ExtractProvider]) -> ExtractProvider | Refusal:
    """The provider of that name, or why it cannot be used and which ones can."""
    working = sorted(key for key, provider in providers.items() if provider.unavailable() is None)
    provider = providers.get(name)
    if provider is None:
        near = get_close_matches(name, providers, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        return Refusal("resolve", "web.unknown_provider", f"No extract provider is named {name!r}.{hint}", _mend(working))
    unavailable = provider.unavailable()
    if unavailable is not None:
        return msgspec.structs.replace(unavailable, gate="resolve", mend=f"{unavailable.mend} {_mend(working)}".strip())
    return provider


def _mend(working: list[str]) -> str:
    return f"limen config set web.extract_backend NAME, where NAME is one of: {', '.join(working) or 'none available'}"


def resolve_gate(
    providers: Mapping[str, ExtractProvider], default: str, exempt_hosts: frozenset[str] = frozenset()
) -> ExtractGate:
    """The gate; a call's own wish goes before the default. Hosts that may be given credentials are read by nobody but us."""

    async def gate(call: ExtractCall, proceed: ExtractProceed) -> ExtractAnswer:
        chosen = choose(call.extraction.provider or default, providers)
        if isinstance(chosen, Refusal):
            return ExtractAnswer(refusal=chosen)
        ours = [one for one in call.wanted if (urlsplit(one.url).hostname or "").lower() in exempt_hosts]
        if not ours or chosen.name == _LOCAL:
            return await proceed(_with(call, chosen, call.wanted))
        theirs = [one for one in call.wanted if one not in ours]
        answers = [await proceed(_with(call, providers[_LOCAL], ours))]
        answers += [await proceed(_with(call, chosen, theirs))] if theirs else []
        refused = next((answer for answer in answers if answer.refusal is not None), None)
        if refused is not None:
            return refused
        by_place = dict(zip([*ours, *theirs], [entry for answer in answers for entry in answer.entries], strict=True))
        return ExtractAnswer(tuple(by_place[one] for one in call.wanted))

    return gate


_LOCAL = "local"


def _with(call: ExtractCall, provider: ExtractProvider, wanted: Sequence[Wanted]) -> ExtractCall:
    verdict = GateVerdict("resolve", "allow", f"resolve.{provider.name}")
    return msgspec.structs.replace(call, provider=provider, wanted=tuple(one.passed("resolve", verdict) for one in wanted))
