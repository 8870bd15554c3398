"""A provider that does not take a model's earlier thoughts back: asked once more without them, and the person is told once."""

import json

import pytest
from stories.test_fallback import configure, notices, play, runtime_in

from limen.testing.model_server import Answer, model_server
from limen.testing.scripted_model import Reply, call

pytestmark = pytest.mark.anyio

REFUSALS = {
    "anthropic_messages": "messages.1.content.0: Invalid `signature` in `thinking` block",
    "codex_responses": "The encrypted content gAAA could not be verified.",
}
THOUGHT = Reply(text="So.", thinking="A thought of the first turn.")
TOOL = Reply(thinking="A thought of the second turn.", calls=(call("find", "c1", ref="lib:none", pattern="x"),))


@pytest.mark.parametrize("wire", sorted(REFUSALS))
async def test_thoughts_that_a_provider_refuses_are_left_out_from_then_on(home, wire):
    def refusing(request):
        if "A thought of the first turn." in json.dumps(request.json):
            return Answer.of(400, {"error": {"type": "invalid_request_error", "message": REFUSALS[wire]}})
        return TOOL if "A thought of the second turn." not in json.dumps(request.json) else Reply(text="Done.")

    async with model_server(THOUGHT, then=refusing) as server:
        configure(home, (server, wire), retries=2)
        async with runtime_in(home) as runtime:
            await play(runtime)
            seen, outcome = await play(runtime, "Go on.")
        assert outcome.answer == "Done."
        (notice,) = notices(seen, "model.thoughts_refused")
        assert REFUSALS[wire] in notice.text
        # The first turn, the refusal, once more without, and behind the tool with the newer thought alone.
        assert len(server.chats) == 4


@pytest.mark.parametrize("wire", sorted(REFUSALS))
async def test_a_provider_that_goes_on_refusing_is_asked_twice_and_no_more(home, wire):
    wall = Answer.of(400, {"error": {"type": "invalid_request_error", "message": REFUSALS[wire]}})
    async with model_server(THOUGHT, then=wall) as server:
        configure(home, (server, wire), retries=2)
        async with runtime_in(home) as runtime:
            await play(runtime)
            _, outcome = await play(runtime, "Go on.")
        assert (outcome.end.reason, outcome.end.code) == ("failed", "model.shape")
        assert len(server.chats) == 3
