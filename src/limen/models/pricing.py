"""What a reply cost, where its route has a price and the provider did not say itself."""

import msgspec

from limen.core.exchange import ModelReply, Usage
from limen.core.route import Price

_PER = 1_000_000


def priced(reply: ModelReply) -> ModelReply:
    """`reply` with its cost, when that can be known."""
    if reply.usage.cost_usd is not None or reply.route.price is None:
        return reply
    usage = msgspec.structs.replace(reply.usage, cost_usd=cost_usd(reply.usage, reply.route.price))
    return msgspec.structs.replace(reply, usage=usage)


def cost_usd(usage: Usage, price: Price) -> float:
    """US dollars for these tokens. Cached input costs its own price where there is one, else that of any input."""
    cached = min(usage.cached_tokens, usage.input_tokens)
    cached_price = price.input_usd if price.cached_input_usd is None else price.cached_input_usd
    fresh = usage.input_tokens - cached
    return (fresh * price.input_usd + cached * cached_price + usage.output_tokens * price.output_usd) / _PER
