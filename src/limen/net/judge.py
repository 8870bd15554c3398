"""The network gate's judgement of a URL or host: parse, look up, judge every answer. Nothing is fetched."""

import socket
from collections.abc import Sequence

import msgspec

from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict
from limen.net.address import SENTINELS, judge_address, parse_ip
from limen.net.canary import CanaryResolver
from limen.net.names import judge_name
from limen.net.policy import PROXY_KEY, AddressPolicy, opening, rules_of
from limen.net.ports import judge_port
from limen.net.resolve import Resolver
from limen.net.url import SafeUrl, join, parse


class Approved(msgspec.Struct, frozen=True):
    """A host that may be dialled, and the checked addresses to dial; none only when a declared proxy resolves the name."""

    host: str
    port: int
    addresses: tuple[str, ...]


async def judge_host(host: str, port: int, policy: AddressPolicy, resolver: Resolver) -> Approved | Refusal:
    """Judge a canonical host: an address without brackets, or an ASCII name. Each answer to a name must pass.

    Codes: those of `judge_name`, `judge_port` and `judge_address`, and `network.dns_failed`, `network.timeout`.
    """
    refusal = judge_plain(host, port, policy)
    if refusal is not None:
        return refusal
    if parse_ip(host) is not None:
        return Approved(host, port, (host,))
    answers = await _look_up(host, port, policy, resolver)
    if isinstance(answers, Refusal):
        return answers
    judged = _judge_answers(host, port, answers, policy)
    if isinstance(judged, Refusal) and judged.code == "network.proxy_sentinel" and isinstance(resolver, CanaryResolver):
        return await _judge_by_canary(host, port, answers, policy, resolver, judged)
    return judged


def judge_plain(host: str, port: int, policy: AddressPolicy) -> Refusal | None:
    """All that can be said of a canonical host and port without a look-up."""
    if parse_ip(host) is not None:
        refusal = judge_address(host, policy, host=host, literal=True, port=port)
    else:
        refusal = judge_name(host, policy, port=port)
    return refusal or judge_port(host, port, policy)


def _judge_answers(host: str, port: int, answers: Sequence[str], policy: AddressPolicy) -> Approved | Refusal:
    for answer in answers:
        refusal = judge_address(answer, policy, host=host, literal=False, port=port)
        if refusal is not None:
            return refusal
    return Approved(host, port, tuple(answers))


async def _judge_by_canary(
    host: str, port: int, answers: Sequence[str], policy: AddressPolicy, canary: CanaryResolver, refusal: Refusal
) -> Approved | Refusal:
    """The judgement once it is known whether every name is answered so. Whatever else is among the answers is judged too."""
    if not await canary.fakes():
        reason = f"{refusal.reason}; other names are not answered so, which tells against a proxy"
        return msgspec.structs.replace(refusal, reason=reason)
    faking = msgspec.structs.replace(policy, fake_ip_ranges=(*policy.fake_ip_ranges, SENTINELS))
    return _judge_answers(host, port, answers, faking)


async def _look_up(host: str, port: int, policy: AddressPolicy, resolver: Resolver) -> tuple[str, ...] | Refusal:
    """The answers to a name, each once. Only a declared proxy may resolve what cannot be resolved here, and only for hosts an
    entry names: otherwise it would resolve inside its own network whatever it is asked."""
    answers: tuple[str, ...] = ()
    why, mend = "has no address", "check the spelling and the network"
    try:
        answers = tuple(dict.fromkeys(await resolver(host, port)))
    except TimeoutError:
        return Refusal("network", "network.timeout", f"looking up {host} took too long", "try again, or check the DNS server")
    except (OSError, UnicodeError) as error:
        if isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN:
            why, mend = "cannot be looked up: no name server answers", "check the network connection"
    if answers or (policy.proxy and rules_of(policy).opens_name(host, port)):
        return answers
    if policy.proxy:
        mend += f"; when only your proxy can resolve it: {opening(host, port)}"
    else:
        mend += f"; where only a proxy can resolve names: limen config set {PROXY_KEY} http://HOST:PORT"
    return Refusal("network", "network.dns_failed", f"{host} {why}", mend, {"host": host})


async def judge_url(url: SafeUrl, policy: AddressPolicy, resolver: Resolver) -> Approved | Refusal:
    """Judge the host and port of a parsed URL."""
    return await judge_host(url.host, url.port, policy, resolver)


async def vet_url(url: str, policy: AddressPolicy, resolver: Resolver) -> tuple[list[GateVerdict], Refusal | None]:
    """What the network gate says of a URL as given: its verdict for the ledger, and the refusal if there is one.

    Proxy environment variables play no part: a proxy is used only when the policy names it.
    """
    parsed = parse(url)
    judged = parsed if isinstance(parsed, Refusal) else await judge_url(parsed, policy, resolver)
    return _verdict(judged if isinstance(judged, Refusal) else None)


async def rehearse(
    url: str, policy: AddressPolicy, resolver: Resolver, redirects_to: str | None = None
) -> tuple[list[GateVerdict], Refusal | None]:
    """What would become of a fetch: the gate's look-up, the transport's own, and the same again where it would be redirected.

    Only the transport's answers are ever dialled, so a name whose second answer is private is refused at that look-up.
    """
    here = parse(url)
    refusal = await _rehearsed(here, policy, resolver)
    if refusal is None and redirects_to is not None and not isinstance(here, Refusal):
        onward = join(here, redirects_to)
        refusal = await _rehearsed(onward, policy, resolver)
        if refusal is None and not isinstance(onward, Refusal):
            refusal = judge_step(here, onward)
    return _verdict(refusal)


async def _rehearsed(place: SafeUrl | Refusal, policy: AddressPolicy, resolver: Resolver) -> Refusal | None:
    if isinstance(place, Refusal):
        return place
    for _look_up in ("gate", "transport"):
        judged = await judge_url(place, policy, resolver)
        if isinstance(judged, Refusal):
            return judged
    return None


def judge_step(here: SafeUrl, onward: SafeUrl) -> Refusal | None:
    """Why a redirect may not lead from one address to the other, or None. Code: `network.downgrade`."""
    if here.scheme == "http" or onward.scheme == "https":
        return None
    reason = f"{here.host} redirects from https to http ({onward.host})"
    return Refusal("network", "network.downgrade", reason, "ask for the http address itself if you accept that")


def _verdict(refusal: Refusal | None) -> tuple[list[GateVerdict], Refusal | None]:
    if refusal is None:
        return [GateVerdict("network", "allow")], None
    return [GateVerdict("network", "refuse", refusal.code)], refusal
