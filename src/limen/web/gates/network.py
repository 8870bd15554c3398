"""Gate: the address is a public one, or one the operator opened. The final address is judged like the first."""

from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict
from limen.core.web import Fetched
from limen.net.judge import judge_plain, judge_url, vet_url
from limen.net.policy import AddressPolicy, rules_of
from limen.net.resolve import Resolver
from limen.net.url import parse
from limen.web.call import ExtractCall, ExtractGate, Wanted, per_entry


def network_gate(policy: AddressPolicy, resolver: Resolver) -> ExtractGate:
    """Explains what the transport enforces: the transport looks the name up itself and dials only what it has judged."""

    async def judge(wanted: Wanted, _call: ExtractCall) -> Wanted | Refusal:
        _, refusal = await vet_url(wanted.url, policy, resolver)
        return refusal if refusal is not None else wanted.passed("network")

    async def judge_final(entry: Fetched, _call: ExtractCall) -> Refusal | None:
        if entry.page.url == entry.requested:
            return None
        _, refusal = await vet_url(entry.page.url, policy, resolver)
        return refusal

    return per_entry(judge, judge_final, waits=True)


def plain_network_gate(policy: AddressPolicy) -> ExtractGate:
    """The gate of a mode that asks nobody: what can be said of an address without looking its name up, and that this was all."""

    async def judge(wanted: Wanted, _call: ExtractCall) -> Wanted | Refusal:
        return _judged(wanted.url) or wanted.passed("network", GateVerdict("network", "allow", "network.not_looked_up"))

    async def judge_final(entry: Fetched, _call: ExtractCall) -> Refusal | None:
        return _judged(entry.page.url)

    def _judged(url: str) -> Refusal | None:
        parsed = parse(url)
        return parsed if isinstance(parsed, Refusal) else judge_plain(parsed.host, parsed.port, policy)

    return per_entry(judge, judge_final)


async def is_public(url: str, *, policy: AddressPolicy, resolver: Resolver) -> bool:
    """Whether an address that has passed the gate would also pass it if no host were opened.

    An answer from a declared fake range says nothing of what is behind it; such a name is public unless it was opened.
    """
    if not policy.allow_private_hosts:
        return True
    parsed = parse(url)
    if isinstance(parsed, Refusal) or (policy.fake_ip_ranges and rules_of(policy).opens_name(parsed.host, parsed.port)):
        return False
    bare = AddressPolicy(fake_ip_ranges=policy.fake_ip_ranges)
    return not isinstance(await judge_url(parsed, bare, resolver), Refusal)
