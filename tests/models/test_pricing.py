import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.exchange import ModelReply, Usage
from limen.core.message import Text
from limen.core.route import Price, Route
from limen.models.pricing import cost_usd, priced

PRICE = Price(2.0, 10.0, 0.2, 2.5, "2026-01-02", 272_000, Price(4.0, 15.0, 0.4, 5.0))


def usage(**tokens):
    return Usage(**tokens)


def test_each_kind_of_token_costs_its_own_price():
    sent = usage(input_tokens=100_000, cached_tokens=60_000, cache_write_tokens=10_000, output_tokens=1_000)
    assert cost_usd(sent, PRICE) == pytest.approx((30_000 * 2 + 60_000 * 0.2 + 10_000 * 2.5 + 1_000 * 10) / 1e6)


def test_a_prompt_beyond_the_size_costs_the_longer_price_as_a_whole():
    at, beyond = usage(input_tokens=272_000, output_tokens=10), usage(input_tokens=272_001, output_tokens=10)
    assert cost_usd(at, PRICE) == pytest.approx((272_000 * 2 + 10 * 10) / 1e6)
    assert cost_usd(beyond, PRICE) == pytest.approx((272_001 * 4 + 10 * 15) / 1e6)


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.integers(0, 10**7), st.integers(0, 10**7))
def test_a_cost_is_never_negative_whatever_is_reported(sent, cached, written, answered):
    reported = usage(input_tokens=sent, cached_tokens=cached, cache_write_tokens=written, output_tokens=answered)
    assert cost_usd(reported, PRICE) >= 0


def reply(price, **told):
    route = Route("p", "chat_completions", "m", price=price)
    return ModelReply((Text("x"),), "end", usage(input_tokens=10, output_tokens=1, **told), route)


def test_without_a_price_there_is_no_cost():
    assert priced(reply(None)).usage.cost_usd is None


def test_what_the_provider_says_goes_before_our_own_reckoning():
    assert priced(reply(PRICE, cost_usd=7.0)).usage.cost_usd == 7.0
    assert priced(reply(None, cost_usd=7.0)).usage.cost_usd == 7.0
    assert priced(reply(PRICE)).usage.cost_usd == pytest.approx(30 / 1e6)
