"""What every gate says of an address, with nothing fetched: the pipeline's own gates, each asked for itself.

Where the pipeline would have stopped at the first refusal, here the others are asked too, so that a person learns at once all
that would have to be opened.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import ExtractAnswer, Extraction, Fetched, Unread
from limen.net.judge import judge_plain, judge_step, judge_url
from limen.net.policy import AddressPolicy
from limen.net.resolve import Resolver
from limen.net.same_host import cross_host
from limen.net.url import SafeUrl, join, parse
from limen.web.call import ExtractCall, ExtractGate, Wanted, came_from, unread
from limen.web.extract import EXTRACT_GATES, ExtractRules, wanted_of
from limen.web.gates.network import network_gate
from limen.web.mode import switched_off

Verdict = Literal["allow", "refuse", "ask"]
GateSays = Literal["allow", "refuse", "ask", "hit", "miss", "unjudged"]

# The reader whose connections are made here; of the others only what they say of themselves is known.
_LOCAL = "local"
_NOT_FETCHED = Refusal("explain", "", "Nothing is fetched.")
_PUBLIC = "a public address, or one that is opened"
_ASKS = frozenset({"permission.ask"})


class Supposed(msgspec.Struct, frozen=True):
    """What the network is supposed to answer; what is None is looked up.

    Each name is answered `resolves_to` at its first look-up and `resolves_then` at all later ones. `redirects_to` is where the
    page would lead, as its server would write it.
    """

    resolves_to: tuple[str, ...] | None = None
    resolves_then: tuple[str, ...] | None = None
    redirects_to: str | None = None


class GateWord(msgspec.Struct, frozen=True):
    """A gate's word: its code, reason and mend where it said no. `decides`: it is the one at which the pipeline ends."""

    gate: str
    verdict: GateSays
    code: str | None = None
    reason: str = ""
    mend: str = ""
    decides: bool = False


class Explanation(msgspec.Struct, frozen=True):
    """What would become of a wish to read `url`, and every gate's word in the pipeline's order. `provider` is who would read."""

    url: str
    verdict: Verdict
    gates: tuple[GateWord, ...]
    provider: str | None = None


class SupposedResolver:
    """Answers each name as supposed: one list at its first look-up, the other at all later ones."""

    def __init__(self, first: Sequence[str], later: Sequence[str]) -> None:
        self._first = first
        self._later = later
        self._asked: set[str] = set()

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        answers = self._later if host in self._asked else self._first
        self._asked.add(host)
        return answers


class Explainer:
    """Asks `gates`, the extractor's own. Another resolver than theirs takes part only where answers are supposed."""

    def __init__(self, gates: Mapping[str, ExtractGate], rules: ExtractRules, policy: AddressPolicy, resolver: Resolver) -> None:
        self._gates = gates
        self._rules = rules
        self._policy = policy
        self._resolver = resolver

    async def explain(self, url: str, supposed: Supposed | None = None, *, provider: str = "") -> Explanation:
        """Every gate's word on an address. Looks its name up unless answers are supposed; asks and fetches nothing else."""
        supposed = supposed or Supposed()
        gates, resolver, rules = self._gates, self._resolver, self._rules
        if supposed.resolves_to is not None and rules.mode == "live":
            later = supposed.resolves_to if supposed.resolves_then is None else supposed.resolves_then
            resolver = SupposedResolver(supposed.resolves_to, later)
            gates = {**gates, "network": network_gate(self._policy, resolver)}
        # A page kept from an earlier reading has nothing to do with what is supposed of the next one.
        extraction = Extraction((url,), fresh=supposed != Supposed(), provider=provider)
        inquiry = _Inquiry(gates, rules, self._policy, resolver, extraction)
        return await inquiry.run(wanted_of(url, rules.max_url_chars), supposed.redirects_to)


class _Asked(NamedTuple):
    """How a gate answered: the refusal, whether it stands before what lies inside, and how the call went on."""

    refusal: Refusal | None
    onward: tuple[ExtractCall, ...]
    fetched: Fetched | None


class _Inquiry:
    """One address on its way past gates that are asked one by one. Refusals are noted in the order in which they would fall."""

    def __init__(
        self,
        gates: Mapping[str, ExtractGate],
        rules: ExtractRules,
        policy: AddressPolicy,
        resolver: Resolver,
        extraction: Extraction,
    ) -> None:
        self._gates = gates
        self._rules = rules
        self._policy = policy
        self._resolver = resolver
        self._extraction = extraction
        self._refusals: list[Refusal] = []
        self._words: dict[str, GateWord] = {}
        self._readers: list[str] = []
        self._call = ExtractCall((), extraction, CallContext())
        self._last_call = self._call

    async def run(self, wanted: Wanted | Unread, redirects_to: str | None) -> Explanation:
        """Everything there is to say."""
        url = self._extraction.urls[0]
        self._note(switched_off(self._rules.mode))
        if isinstance(wanted, Unread):
            self._note(wanted.refusal)
            wanted = Wanted(url, url)
        self._call = msgspec.structs.replace(self._call, wanted=(wanted,))
        here = parse(wanted.url)
        ways_in = ("secrets", "network", "resolve", "policy", "permission")
        # Behind a refusal of the address itself nobody could say whose host it names.
        for gate in ways_in[:2] if isinstance(here, Refusal) else ways_in:
            await self._way_in(gate)
        if not isinstance(here, Refusal):
            final = await self._inside(here, redirects_to)
            await self._way_out(here, final)
        return self._explanation(url)

    async def _way_in(self, gate: str) -> None:
        asked = await self._ask(gate)
        if asked is None:
            return
        self._note(asked.refusal)
        if gate == "resolve" and asked.onward:
            self._readers = [one.provider.name for one in asked.onward if one.provider is not None]
            self._call = msgspec.structs.replace(self._call, provider=asked.onward[0].provider)
            self._last_call = msgspec.structs.replace(asked.onward[-1], wanted=self._call.wanted)
        if asked.refusal is None:
            self._words[gate] = GateWord(gate, "allow", None, self._allowed(gate))

    async def _inside(self, here: SafeUrl, redirects_to: str | None) -> str | None:
        """What lies behind the permission: the cache, the reader's own way to the page, whoever stands in. The final address."""
        provider = self._call.provider
        if provider is None and "resolve" in self._gates:
            return None
        kept = await self._ask("cache")
        hit = kept.fetched if kept is not None else None
        if kept is not None:
            self._note(kept.refusal)
            self._words["cache"] = _cache_word(hit)
        if hit is not None or provider is None:
            return hit.page.url if hit is not None else None
        rescue = await self._ask("rescue", call=self._last_call)
        if rescue is not None:
            names = [one.provider.name for one in rescue.onward if one.provider is not None]
            self._words["rescue"] = GateWord("rescue", "allow", None, _rescuers(provider.name, names[1:]))
        onward = join(here, redirects_to) if redirects_to is not None else None
        if provider.name == _LOCAL:
            await self._reading_here(here, onward)
        elif isinstance(onward, Refusal):
            self._note(onward)
        return str(onward) if isinstance(onward, SafeUrl) else None

    async def _reading_here(self, here: SafeUrl, onward: SafeUrl | Refusal | None) -> None:
        """The local reader's connections: each name is looked up once more, and only those answers are dialled."""
        if self._refused("network"):
            return
        await self._dialled(here)
        if isinstance(onward, Refusal):
            self._note(onward)
        elif onward is not None:
            self._note(judge_plain(onward.host, onward.port, self._policy))
            for gate in ("secrets", "policy"):
                asked = await self._ask(gate, str(onward))
                self._note(asked.refusal if asked is not None else None)
            self._note(cross_host(here, onward) if self._rules.same_host else None)
            self._note(judge_step(here, onward))
            if not self._refused("network"):
                await self._dialled(onward)

    async def _dialled(self, place: SafeUrl) -> None:
        judged = await judge_url(place, self._policy, self._resolver)
        if isinstance(judged, Refusal):
            reason = f"{judged.reason}; so says the look-up whose answers would be dialled"
            self._note(msgspec.structs.replace(judged, reason=reason))
        elif not self._refused("network"):
            at = ", ".join(judged.addresses) or "whatever the proxy finds"
            said = f"{place.host} is dialled at {at}" if at != place.host else _PUBLIC
            self._words["network"] = GateWord("network", "allow", None, said)

    async def _way_out(self, here: SafeUrl, final: str | None) -> None:
        """The gates that look again where the page came from, innermost first; then whether it may come from another host."""
        if final is None:
            return
        for gate in ("permission", "policy", "network"):
            if not self._refused(gate):
                asked = await self._ask(gate, final_url=final)
                self._note(asked.refusal if asked is not None else None)
        landed = parse(final)
        if self._rules.same_host and not isinstance(landed, Refusal):
            self._note(cross_host(here, landed))

    async def _ask(
        self, gate: str, url: str | None = None, *, final_url: str = "", call: ExtractCall | None = None
    ) -> _Asked | None:
        """A gate's answer over an endpoint that fetches nothing, or that says where the page came from; None without a gate."""
        if gate not in self._gates:
            return None
        onward: list[ExtractCall] = []

        async def endpoint(inner: ExtractCall) -> ExtractAnswer:
            onward.append(inner)
            return ExtractAnswer(
                tuple(came_from(one, final_url) if final_url else unread(one, _NOT_FETCHED) for one in inner.wanted)
            )

        call = call or self._call
        if url is not None:
            call = msgspec.structs.replace(call, wanted=(Wanted(url, url),))
        answer = await self._gates[gate](call, endpoint)
        refusal, fetched = answer.refusal, None
        for entry in answer.entries:
            if isinstance(entry, Fetched):
                fetched = entry
            elif entry.refusal.gate != _NOT_FETCHED.gate:
                refusal = entry.refusal
        return _Asked(refusal, tuple(onward), fetched)

    def _note(self, refusal: Refusal | None) -> None:
        if refusal is not None:
            self._refusals.append(refusal)

    def _refused(self, gate: str) -> bool:
        return any(refusal.gate == gate for refusal in self._refusals)

    def _allowed(self, gate: str) -> str:
        said = {
            "secrets": "no credential in it",
            "network": _PUBLIC if self._rules.mode == "live" else "nothing against it, as far as can be said without a look-up",
            "resolve": f"{', then '.join(self._readers)} reads it",
            "policy": "no rule of the block-list names it",
            "permission": "may be read",
        }
        return said[gate]

    def _explanation(self, url: str) -> Explanation:
        first = self._refusals[0] if self._refusals else None
        rows = []
        others = dict.fromkeys(one.gate for one in self._refusals if one.gate not in EXTRACT_GATES)
        for gate in (*EXTRACT_GATES, *others):
            refusal = next((one for one in self._refusals if one.gate == gate), None)
            if refusal is not None:
                word: GateSays = "ask" if refusal.code in _ASKS else "refuse"
                rows.append(GateWord(gate, word, refusal.code, refusal.reason, refusal.mend, refusal is first))
            else:
                unknown = "what it goes by is not known" if gate in self._gates else f"no part of the mode {self._rules.mode!r}"
                rows.append(self._words.get(gate, GateWord(gate, "unjudged", None, unknown)))
        verdict: Verdict = "allow" if first is None else "ask" if first.code in _ASKS else "refuse"
        provider = self._call.provider
        return Explanation(url, verdict, tuple(rows), provider.name if provider is not None else None)


def _cache_word(hit: Fetched | None) -> GateWord:
    if hit is None:
        return GateWord("cache", "miss", None, "no page is kept for it that would be shown now")
    where = next((one.code for one in hit.treatment.gates if one.gate == "cache"), None)
    return GateWord("cache", "hit", where, f"a page kept {hit.treatment.age_s:,.0f} s ago is shown")


def _rescuers(reader: str, names: Sequence[str]) -> str:
    if not names:
        return f"nobody else is asked when {reader} fails"
    return f"when {reader} fails, the address also goes to: {', '.join(names)}"
