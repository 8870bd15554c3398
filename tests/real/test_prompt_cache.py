"""Two turns against a real llama.cpp server: what it kept of the first is counted in the second, over every wire."""

import pytest
from real.llama_server import running
from stories.test_threshold import ask

from limen.models.wire.dialects import DIALECTS
from limen.runtime import RuntimeOptions, open_runtime

pytestmark = [pytest.mark.anyio, pytest.mark.real("llama.cpp")]

STORY = "Here is a story of a lighthouse and its keeper, who never slept. " * 8


@pytest.fixture(scope="module")
def server_url():
    with running("--temp", "0") as url:
        yield url


@pytest.mark.parametrize("wire", sorted(DIALECTS))
async def test_a_second_turn_is_read_from_what_the_server_kept(home, server_url, wire):
    flags = {"providers.llamacpp.endpoint": server_url, "providers.llamacpp.wire": wire, "limits.output_tokens": "8"}
    options = RuntimeOptions(home=home, flags={**flags, "web.mode": "off", "tools.toolsets": "[]"})
    outcomes = []
    for question in (STORY, "Go on."):
        async with open_runtime(options) as runtime:
            outcomes.append((await ask(runtime, question, model="llama.cpp/smollm2", session="s"))[1])
    first, last, second = outcomes[0].cache[0], outcomes[0].cache[-1], outcomes[1].cache[0]
    assert first.miss in ("first_request", None)  # another wire's turn may have warmed the server
    assert second.expected_tokens == last.input_tokens
    assert second.miss is None
    assert second.cached_tokens >= first.input_tokens
