"""Providers as data: who serves models, over which wire, from where, with whose key."""

import msgspec

from limen.core.route import Price, WireName


class KnownModel(msgspec.Struct, frozen=True):
    """What is known of one model of a provider: its window and reply cap in tokens, and its price where it has one."""

    name: str
    window_tokens: int
    output_tokens: int = 4_096
    price: Price | None = None


class Provider(msgspec.Struct, frozen=True):
    """One provider. `credential` names its key, which goes to `hosts` and their subdomains, and nowhere else.

    `endpoint` is the base that paths such as `/chat/completions` are added to; empty for a wire without a network.
    `lists_models` says that the endpoint can name a model where the person named none. `start` tells how to get it going.
    """

    name: str
    wire: WireName
    endpoint: str = ""
    credential: str | None = None
    hosts: tuple[str, ...] = ()
    needs_key: bool = False
    quirks: frozenset[str] = frozenset()
    default_model: str = ""
    lists_models: bool = False
    window_tokens: int = 128_000
    output_tokens: int = 4_096
    models: tuple[KnownModel, ...] = ()
    price: Price | None = None
    start: str = ""
