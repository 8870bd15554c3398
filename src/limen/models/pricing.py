"""What a reply cost, where its route has a price and the provider did not say itself."""

from math import inf

import msgspec

from limen.core.exchange import ModelReply, Usage
from limen.core.route import Price

_PER = 1_000_000


def priced(reply: ModelReply) -> ModelReply:
    """`reply` with its cost, when that can be known. What a provider says counts, unless it is no amount: limits rest on it."""
    said, price = reply.usage.cost_usd, reply.route.price
    if said is not None and 0 <= said < inf:
        return reply
    usage = msgspec.structs.replace(reply.usage, cost_usd=None if price is None else cost_usd(reply.usage, price))
    return msgspec.structs.replace(reply, usage=usage)


def cost_usd(usage: Usage, price: Price) -> float:
    """US dollars for these tokens. Input read from a cache or written to it costs its own price where there is one, else that
    of any input. A prompt beyond the size up to which a price holds costs the longer one's price as a whole."""
    if price.long is not None and usage.input_tokens > price.long_tokens:
        price = price.long
    cached = min(usage.cached_tokens, usage.input_tokens)
    written = min(usage.cache_write_tokens, usage.input_tokens - cached)
    cached_price = price.input_usd if price.cached_input_usd is None else price.cached_input_usd
    written_price = price.input_usd if price.cache_write_usd is None else price.cache_write_usd
    fresh = usage.input_tokens - cached - written
    input_usd = fresh * price.input_usd + cached * cached_price + written * written_price
    return (input_usd + usage.output_tokens * price.output_usd) / _PER
