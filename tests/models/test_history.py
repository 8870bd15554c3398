"""History that something has happened to: what a model is shown in its place, and that a person can see it."""

import pytest

from limen.core.message import Image, Message, Text, Thinking, ToolCall, ToolResult
from limen.core.route import Route
from limen.models.history import EMPTY_RESULT, MISSING_RESULT, ORPHAN_RESULT, TOOL_PICTURES, render
from limen.models.pairing import pair

PICTURE = Image("image/png", b"png", "a red dot")


def route(*quirks, model="m"):
    return Route("p", "chat_completions", model, quirks=frozenset(quirks))


def user(*blocks):
    return Message("user", tuple(Text(block) if isinstance(block, str) else block for block in blocks))


def assistant(*blocks):
    return Message("assistant", tuple(Text(block) if isinstance(block, str) else block for block in blocks))


def results(*pairs):
    return Message("tool", tuple(ToolResult(call_id, blocks) for call_id, blocks in pairs))


def asks(call_id, name="find"):
    return ToolCall(call_id, name, "{}")


def test_a_sound_history_is_not_touched():
    history = (user("a"), assistant("b", asks("1"), asks("2")), results(("1", (Text("x"),)), ("2", (Text("y"),))), assistant("c"))
    assert render(history, route()).messages == history
    assert render(history, route()).put_in == render(history, route()).left_out == ()


def test_results_come_right_behind_their_calls_in_the_order_of_the_calls():
    history = (assistant(asks("1"), asks("2")), user("meanwhile"), results(("2", (Text("y"),))), results(("1", (Text("x"),))))
    assert render(history, route()).messages == (
        assistant(asks("1"), asks("2")),
        results(("1", (Text("x"),)), ("2", (Text("y"),))),
        user("meanwhile"),
    )


def test_a_call_without_a_result_gets_one_that_says_so():
    rendered = render((assistant(asks("1")), user("go on")), route())
    assert rendered.messages[1] == Message("tool", (ToolResult("1", (MISSING_RESULT,), is_error=True),))
    assert rendered.put_in == (MISSING_RESULT,)


def test_a_result_without_a_call_is_told_as_the_users():
    rendered = render((results(("gone", (Text("x"),))), user("and?")), route())
    assert rendered.messages == (user(ORPHAN_RESULT, "x"), user("and?"))
    assert rendered.put_in == (ORPHAN_RESULT,)
    assert len(render((results(("gone", (Text("x"),))), user("and?")), route("alternate")).messages) == 1


def test_an_empty_result_says_that_it_is_empty():
    assert render((assistant(asks("1")), results(("1", ()))), route()).messages[1] == results(("1", (EMPTY_RESULT,)))


def test_ids_that_servers_refuse_are_renamed_on_both_sides_the_same_each_time():
    history = (assistant(asks("not legal!"), asks("x" * 65)), results(("not legal!", (Text("a"),)), ("x" * 65, (Text("b"),))))
    first, second = render(history, route()), render(history, route())
    assert first == second
    calls, answers = (tuple(block.call_id for block in message.blocks) for message in first.messages)
    assert calls == answers
    assert all(call_id.replace("_", "").isalnum() and len(call_id) <= 64 for call_id in calls)


def test_an_id_that_a_server_uses_for_every_call_names_each_of_them():
    history = (
        assistant(asks("call_0")), results(("call_0", (Text("a"),))),
        assistant(asks("call_0")), results(("call_0", (Text("b"),))),
    )  # fmt: skip
    rendered = render(history, route()).messages
    ids = [message.blocks[0].call_id for message in rendered]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    assert [message.blocks[0].blocks[0].text for message in rendered[1::2]] == ["a", "b"]
    longer = render((*history, assistant(asks("call_0")), results(("call_0", (Text("c"),)))), route()).messages
    assert longer[:4] == rendered


def test_an_unanswered_call_does_not_take_the_result_of_a_later_one():
    history = (assistant(asks("c")), assistant(asks("c")), results(("c", (Text("second"),))))
    paired = pair(history)
    assert set(paired.result_of) == {(1, 0)}
    assert paired.orphans == frozenset()


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_each_result_is_used_once(count):
    history = (assistant(asks("c"), asks("c")), results(*[("c", (Text(str(number)),)) for number in range(count)]))
    paired = pair(history)
    assert [result.blocks[0].text for result in paired.result_of.values()] == ["0", "1"][:count]
    assert len(paired.orphans) == max(count - 2, 0)


def test_thinking_goes_back_to_its_issuer_and_to_nobody_else():
    history = (user("a"), assistant(Thinking("mine", issuer="p/m"), Thinking("theirs", issuer="p/other"), "b"))
    rendered = render(history, route("replay_reasoning"))
    assert rendered.messages[1] == assistant(Thinking("mine", issuer="p/m"), "b")
    assert rendered.left_out == (Thinking("theirs", issuer="p/other"),)
    assert len(render(history, route("replay_reasoning", model="other")).left_out) == 1
    assert len(render(history, route()).left_out) == 2


def test_a_reply_of_nothing_but_thinking_is_left_out():
    only = assistant(Thinking("hm", issuer="p/m"))
    rendered = render((user("a"), only, user("b")), route("replay_reasoning"))
    assert rendered.messages == (user("a"), user("b"))
    assert rendered.left_out == only.blocks


def test_pictures_of_tools_follow_as_the_users_where_servers_want_that():
    history = (assistant(asks("1")), results(("1", (Text("shot"), PICTURE))))
    assert render(history, route("tool_images")).messages == history
    rendered = render(history, route())
    assert rendered.messages[1:] == (results(("1", (Text("shot"),))), user(TOOL_PICTURES, PICTURE))
    assert rendered.put_in == (TOOL_PICTURES,)


def test_a_model_without_eyes_is_given_words():
    rendered = render((user("see", PICTURE, Image("image/png", b"")),), route("no_images"))
    assert rendered.messages == (user("see", "[picture: a red dot]", "[picture]"),)
    assert rendered.left_out == (PICTURE, Image("image/png", b""))


def test_nothing_is_nothing():
    assert render((), route()).messages == ()
    assert render((Message("user", ()), Message("assistant", ()), Message("tool", ())), route()).messages == ()


@pytest.mark.parametrize("call_id", ["call_1740241912345", "abc", "abcdefgh_", "", "é" * 9, "abcdefghi"])
def test_ids_are_nine_letters_or_digits_where_a_server_wants_that(call_id):
    history = (assistant(asks(call_id), asks(call_id)), results((call_id, (Text("x"),)), (call_id, (Text("y"),))))
    first, second = render(history, route("short_ids")), render(history, route("short_ids"))
    assert first == second
    calls, answers = (tuple(block.call_id for block in message.blocks) for message in first.messages)
    assert calls == answers
    assert len(set(calls)) == 2
    assert all(made.isascii() and made.isalnum() and len(made) == 9 for made in calls)
    assert calls[0] == call_id or call_id != "abcdefghi"


def test_calls_of_tools_by_names_that_vendors_refuse_are_renamed():
    history = (assistant(asks("1", "mcp.read"), asks("2", "")), results(("1", (Text("x"),)), ("2", (Text("y"),))))
    rendered = render(history, route())
    names = [block.name for block in rendered.messages[0].blocks]
    assert all(name.replace("_", "").isalnum() for name in names)
    assert len(rendered.left_out) == len(rendered.put_in) == 2
