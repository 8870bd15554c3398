"""The codec: every event comes back, and what a later version wrote never stops a listing."""

import string

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.event import Folded, Notice, ReplyDelta, ReplyFinished, ToolFinished, ToolStarted, TurnEnded, TurnStarted
from limen.core.exchange import Usage
from limen.core.fault import Refusal, StoreFault
from limen.core.message import Text, ToolCall
from limen.core.route import Route
from limen.store.codec import decode_block, decode_event, encode, storable

any_text = st.text(alphabet=st.characters(exclude_categories=()), max_size=30)
counts = st.integers(0, 2**40)
usages = st.builds(Usage, counts, counts, counts, counts, st.none() | st.floats(allow_nan=False))
routes = st.builds(Route, any_text, st.just("chat_completions"), any_text, quirks=st.frozensets(st.text(string.ascii_letters)))
calls = st.builds(ToolCall, any_text, any_text, any_text)
refusals = st.builds(Refusal, any_text, any_text, any_text, any_text, st.dictionaries(any_text, any_text | counts, max_size=2))
events = st.one_of(
    st.builds(TurnStarted, any_text, any_text, routes),
    st.builds(ReplyDelta, any_text, st.booleans()),
    st.builds(ReplyFinished, st.lists(st.builds(Text, any_text) | calls, max_size=2).map(tuple), st.just("end"), usages, routes),
    st.builds(ToolStarted, calls),
    st.builds(ToolFinished, any_text, any_text, st.booleans(), st.floats(0, 9), st.none() | refusals, st.none() | any_text),
    st.builds(Folded, counts, counts, counts, counts, counts, counts, any_text),
    st.builds(Notice, any_text, any_text, any_text),
    st.builds(TurnEnded, st.just("limit"), counts, usages, st.floats(0, 9), st.none() | any_text, any_text, any_text),
)


@given(events)
def test_every_event_comes_back_from_its_bytes(event):
    assert decode_event(encode(event)) == event


@pytest.mark.parametrize(
    "data",
    [
        msgspec.msgpack.encode({"type": "from_the_future", "x": 1}),
        b'{"type": "from_the_future"}',
        msgspec.msgpack.encode({"type": "turn_ended"}),
        b"",
        b"{",
        b"\xc1",
    ],
)
def test_what_no_event_of_ours_is_reads_as_a_notice(data):
    event = decode_event(data)
    assert isinstance(event, Notice)
    assert event.code == "store.unknown_event"


def test_a_later_versions_additions_are_passed_over():
    data = msgspec.msgpack.encode({"type": "notice", "code": "a.b", "text": "t", "added_later": 1})
    assert decode_event(data) == Notice("a.b", "t")


@pytest.mark.parametrize("data", [b"", b"{", b"\x00", b"{}", b"{\xff", msgspec.msgpack.encode({"place": "elsewhere"})])
def test_what_no_block_of_ours_is_is_a_fault(data):
    with pytest.raises(StoreFault, match=r"store\.unreadable"):
        decode_block(data)


@given(any_text)
def test_storable_text_is_utf8_and_well_formed_text_stays(text):
    made = storable(text)
    assert made.encode().decode() == made
    if not any("\ud800" <= char <= "\udfff" for char in text):
        assert made == text
