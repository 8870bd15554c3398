"""Providers as data: who serves models, over which wire, from where, with whose key."""

import msgspec

from limen.core.prompt_cache import PromptCache
from limen.core.route import Effort, Price, WireName


class KnownModel(msgspec.Struct, frozen=True):
    """What is known of one model of a provider: its window and reply cap in tokens, and its price where it has one.

    `cache_tokens` is how long a prompt must be for the vendor's cache to keep it, None where the model is like its provider's.
    """

    name: str
    window_tokens: int
    output_tokens: int = 4_096
    price: Price | None = None
    cache_tokens: int | None = None


class Provider(msgspec.Struct, frozen=True):
    """One provider. Its key goes to `hosts` and their true subdomains, and nowhere else.

    `variables` are the names its key goes by, the first one that is set being the key; `credential` is the reference of the key
    in use, given here only where it stands in no variable; `pool` are all references, where there are several. `endpoint` is the
    base that paths such as `/chat/completions` are added to; empty for a wire without a network, and where only a person knows
    it. `default_model` is meant where a route names the provider alone; `small_model` is asked for small jobs such as a title, in
    which a provider without one has no part. `lists_models` says that the endpoint can name a model where nobody did. `start`
    tells how to get it going.
    """

    name: str
    wire: WireName
    endpoint: str = ""
    variables: tuple[str, ...] = ()
    credential: str | None = None
    pool: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    needs_key: bool = False
    quirks: frozenset[str] = frozenset()
    default_model: str = ""
    small_model: str = ""
    lists_models: bool = False
    window_tokens: int = 128_000
    output_tokens: int = 4_096
    models: tuple[KnownModel, ...] = ()
    price: Price | None = None
    effort: Effort = ""
    cache: PromptCache = PromptCache()
    start: str = ""

    @property
    def references(self) -> tuple[str, ...]:
        """Where all keys are kept that may be used."""
        return self.pool or ((self.credential,) if self.credential is not None else ())
