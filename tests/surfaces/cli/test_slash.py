"""The commands of a chat, without a terminal: what each does, says, and gives back to be asked."""

import io

import anyio
import anyio.lowlevel
import msgspec
import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from surfaces.cli.scripted_runtime import RuntimeOptions, open_runtime

from limen.core.exchange import RouteFailure
from limen.core.fault import Fault
from limen.core.route import Route
from limen.surfaces.cli.completion import SlashCompleter
from limen.surfaces.cli.conversation import Conversation
from limen.surfaces.cli.faults import DONE, FAILED, INTERRUPTED
from limen.surfaces.cli.screen import Screen
from limen.surfaces.cli.slash import SLASHES, dispatch
from limen.surfaces.cli.wiring import wired

pytestmark = pytest.mark.anyio

PROVIDERS = "providers:\n  mine:\n    endpoint: http://127.0.0.1:9/v1\n  gone:\n    endpoint: http://127.0.0.1:8/v1\n"


class Talk:
    """A conversation with what it has said."""

    def __init__(self, conversation, out):
        self.conversation = conversation
        self._out = out

    async def __call__(self, line):
        """What a line gives back to be asked; what it says stands in `said`."""
        return await dispatch(self.conversation, line)

    @property
    def said(self):
        text = self._out.getvalue()
        self._out.seek(0)
        self._out.truncate()
        return text


@pytest.fixture
def config(home):
    home.mkdir(mode=0o700)
    path = home / "config.yaml"
    path.write_text(PROVIDERS)
    return path


@pytest.fixture
async def talk(home, config):
    out = io.StringIO()
    async with wired(lambda: open_runtime(RuntimeOptions(home))) as wiring:
        yield Talk(Conversation(wiring, Screen(out, out)), out)


@pytest.fixture
async def running(talk):
    """The same while an answer comes."""
    async with anyio.create_task_group() as group:
        talk.conversation.begin()
        group.start_soon(talk.conversation.answer, "slow")
        while talk.conversation.session is None:
            await anyio.lowlevel.checkpoint()
        yield talk
        talk.conversation.stop()


async def ended(talk):
    """Once no answer comes any more."""
    while talk.conversation.running:  # noqa: ASYNC110 - another task's state
        await anyio.sleep(0.01)


async def talk_through(talk):
    """One turn, and what it said forgotten."""
    await talk.conversation.answer("a question")
    assert talk.said


@pytest.mark.parametrize("line", ["a question", "/usr/share/doc", "what is /help", "/ help", "//x", "/1"])
async def test_what_is_no_command_is_asked(talk, line):
    assert await talk(line) == line


@pytest.mark.parametrize("line", ["/help", "/HELP", " /h ", "/Help"])
async def test_help_names_every_command(talk, line):
    assert await talk(line) is None
    said = talk.said
    assert all(f"/{name}" in said for name in SLASHES)


@pytest.mark.parametrize("name", sorted(SLASHES))
async def test_each_command_has_more_to_read(talk, name):
    assert await talk(f"/help {name}") is None
    assert talk.said.startswith(f"/{name}")
    assert await talk(f"/help /{name}") is None


async def test_an_unknown_command_names_the_nearest(talk):
    with pytest.raises(Fault, match="did you mean /ledger"):
        await talk("/leger")
    with pytest.raises(Fault, match="/help lists"):
        await talk("/xyzzy 1")
    with pytest.raises(Fault, match="unknown_command"):
        await talk("/help xyzzy")


@pytest.mark.parametrize("line", ["/steer", "/session", "/ledger some", "/evidence ev_1 x", "/evidence ev_1 1 2 3"])
async def test_a_wrong_argument_is_refused(talk, line):
    talk.conversation.go_on_with("s1", stored=True)
    with pytest.raises(Fault) as caught:
        await talk(line)
    assert caught.value.code == "chat.usage"
    assert caught.value.mend


async def test_steering_and_queueing_without_an_answer_just_ask(talk):
    assert await talk("/steer a thing") == "a thing"
    assert await talk("/queue a thing") == "a thing"
    assert await talk("/queue") is None
    assert "nothing waits" in talk.said


async def test_a_pause_holds_back_what_is_typed(talk):
    talk_to = talk.conversation
    await talk("/pause")
    assert talk_to.take(await talk("first echo")) is None
    assert await talk("/queue second echo") is None
    assert list(talk_to.queued) == ["first echo", "second echo"]
    first = await talk("/resume")
    assert first == "first echo"
    assert not talk_to.paused
    assert await talk_to.answer(first) == DONE
    assert not talk_to.queued
    assert "SECOND ECHO" in talk.said


async def test_a_pause_lets_the_running_answer_end(running):
    await running("/queue next echo")
    await running("/pause")
    assert "once this answer has ended" in running.said
    await running("/steer enough")
    await ended(running)
    said = running.said
    assert "(heard enough)" in said
    assert "NEXT ECHO" not in said
    assert "1 line waits" in said
    assert await running("/resume") == "next echo"


async def test_resuming_where_nothing_waits_says_so(talk, home):
    await talk("/resume")
    assert "nothing waits" in talk.said
    await talk("/pause")
    await talk("/resume")
    assert "resumed; nothing waits" in talk.said


async def test_resuming_while_an_answer_comes_waits_for_it(running):
    await running("/pause")
    await running("/queue next")
    assert await running("/resume") is None
    assert "1 line waits for this answer" in running.said


async def test_a_queue_is_shown_and_dropped(running):
    await running("/queue one")
    await running("/queue two")
    assert "2. two" in running.said
    await running("/queue clear")
    assert "2 lines dropped" in running.said
    assert not running.conversation.queued


async def test_a_failure_holds_the_queue(talk):
    talk.conversation.queued.append("next echo")
    assert await talk.conversation.answer("fail") == FAILED
    assert list(talk.conversation.queued) == ["next echo"]
    assert "1 line waits: /resume" in talk.said


async def test_what_was_never_asked_is_handed_back(talk):
    talk.conversation.queued.extend(["one", "two"])
    assert talk.conversation.hand_back()
    assert "! not asked: two" in talk.said
    assert not talk.conversation.hand_back()


@pytest.mark.parametrize("line", ["/new", "/session s1", "/fork"])
async def test_the_conversation_is_not_changed_under_an_answer(running, line):
    with pytest.raises(Fault, match=r"chat\.running"):
        await running(line)
    assert running.conversation.session == "s1"


async def test_stop(running):
    await running("/stop")
    await ended(running)
    assert "interrupted; what was said is kept" in running.said
    await running("/stop")
    assert "nothing to stop" in running.said


async def test_going_on_with_another_conversation_by_a_part_of_its_key(talk):
    store = talk.conversation.runtime.sessions
    made = await store.fork("s1", "20261130-101502-a1b2")
    await talk("/session a1b2")
    assert talk.conversation.session == made.key
    assert "How do I cancel a task?" in talk.said
    await talk("/new")
    assert talk.conversation.session is None


async def test_a_fork_goes_on_in_the_copy(talk):
    with pytest.raises(Fault, match="nothing has been said"):
        await talk("/fork")
    talk.conversation.go_on_with("s1", stored=True)
    await talk("/fork t_0123")
    key = talk.conversation.session
    assert key != "s1"
    assert (await talk.conversation.runtime.sessions.get(key)).parent == "s1"
    assert "back: /session s1" in talk.said
    with pytest.raises(Fault, match="no turn"):
        await talk("/fork t_9999")
    assert talk.conversation.session == key


async def test_a_conversation_deleted_elsewhere_begins_anew_and_says_so(talk):
    talk_to = talk.conversation
    await talk_to.answer("a question")
    await talk_to.runtime.sessions.delete("s1")
    assert await talk_to.answer("another") == DONE
    assert "s1 was deleted meanwhile" in talk.said


async def test_status_tells_where_it_stands(talk):
    await talk("/status")
    assert "new, with your next line" in talk.said
    await talk_through(talk)
    await talk("/pause")
    talk.conversation.take("more")
    await talk("/status")
    said = talk.said
    for words in ("conversation  s1 · 2 turns", "limen/extractive", "waiting for you · paused · 1 line waits", "last turn"):
        assert words in said


async def test_context_sums_up_by_part(talk):
    await talk("/context")
    assert "nothing yet" in talk.said
    await talk_through(talk)
    await talk("/context")
    said = talk.said
    assert "identity and guidance\t1\t200" in said
    assert "what you said\t1\t10" in said
    assert "answers\t1\t22" in said
    assert "232 of 128,000 tokens" in said


async def test_ledger(talk):
    await talk("/ledger")
    assert "nothing has entered" in talk.said
    await talk_through(talk)
    await talk("/ledger")
    assert "3 blocks" in talk.said
    await talk("/ledger all")
    assert "4 blocks" in talk.said


async def test_evidence_by_id_and_lines(talk):
    await talk("/evidence")
    assert "nothing was kept" in talk.said
    talk.conversation.go_on_with("s1", stored=True)
    await talk("/evidence")
    assert "ev_0123456789ab\t3\tweb_extract" in talk.said
    await talk("/evidence ev_0123456789ab 2 2")
    said = talk.said
    assert "2  two" in said
    assert "three" not in said
    assert "on: /evidence ev_0123456789ab 3" in said
    with pytest.raises(Fault, match=r"evidence\.unknown"):
        await talk("/evidence ev_9")


async def test_a_model_is_chosen_by_its_name(talk):
    await talk("/model")
    assert "limen/extractive answers in this chat" in talk.said
    await talk("/model mine/slow")
    assert "mine/slow answers from now on" in talk.said
    await talk_through(talk)
    await talk("/model default")
    assert "limen/extractive answers from now on" in talk.said
    assert talk.conversation.model is None


async def test_a_model_that_is_not_there_is_refused_with_the_nearest(talk):
    with pytest.raises(Fault, match="did you mean mine"):
        await talk("/model mien/slow")
    with pytest.raises(Fault, match="did you mean /model mine/slow"):
        await talk("/model mine/solw")
    with pytest.raises(Fault, match=r"model\.no_model"):
        await talk("/model huggingface")
    assert talk.conversation.model is None


async def test_a_server_that_does_not_answer_does_not_forbid_its_model(talk, monkeypatch):
    await talk("/model gone/some")
    said = talk.said
    assert "gone does not answer at the moment" in said
    assert "gone/some answers from now on" in said


async def test_it_is_shown_who_stood_in_until_another_is_asked(talk):
    conversation = talk.conversation
    await conversation.answer("hello")
    first, second = conversation.route, Route("mine", "chat_completions", "slow")
    failed = (RouteFailure(first, "billing", "no credit"),)
    conversation.latest = msgspec.structs.replace(conversation.latest, route=second, failed=failed)
    talk.said  # noqa: B018 - what was said so far
    await talk("/model")
    await talk("/status")
    said = talk.said
    assert f"{first} answers in this chat (mine/slow stood in)" in said
    assert f"{first} (mine/slow stood in)" in said
    await talk("/model mine/fast")
    assert conversation.stood_in == ""
    await talk("/model default")
    assert conversation.stood_in != ""
    conversation.go_on_with(None)
    assert conversation.stood_in == ""


async def test_a_missing_key_is_said(talk, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    await talk("/model openai/gpt-x")
    assert "OPENAI_API_KEY is not set" in talk.said


async def test_reload_says_what_has_changed(talk, config):
    before = talk.conversation.runtime
    config.write_text(PROVIDERS + "limits:\n  steps: 7\nui:\n  history_lines: 5\nmodel:\n  route: mine/slow\n")
    await talk("/reload")
    said = talk.said
    assert "limits.steps: 25 → 7" in said
    assert "ui.history_lines: 1000 → 5 (from the next start)" in said
    assert "the new settings hold" in said
    assert talk.conversation.runtime is not before
    assert talk.conversation.route == "mine/slow"
    await talk("/reload")
    assert "no setting has changed" in talk.said


async def test_reload_keeps_what_holds_where_the_file_is_broken(talk, config):
    before = talk.conversation.runtime
    config.write_text("limits: [1\n")
    await talk("/reload")
    said = talk.said
    assert "config.unreadable" in said
    assert "the settings from before still hold" in said
    assert talk.conversation.runtime is before
    assert await talk.conversation.answer("a question") == DONE


async def test_reload_says_what_is_wrong_with_one_setting(talk, config):
    config.write_text(PROVIDERS + "limits:\n  stepz: 7\n")
    await talk("/reload")
    assert "config.unknown_key" in talk.said


async def test_reload_shows_no_value_of_a_plug_in(talk, config):
    config.write_text(PROVIDERS + "plugins:\n  mail:\n    password: hush\n")
    await talk("/reload")
    said = talk.said
    assert "plugins.mail" in said
    assert "hush" not in said


async def test_reload_drops_a_chosen_model_that_is_gone(talk, config):
    await talk("/model mine/slow")
    config.write_text("")
    await talk("/reload")
    said = talk.said
    assert "model.unknown_provider" in said
    assert "limen/extractive answers from now on" in said


async def test_reload_during_an_answer_leaves_it_its_runtime(running, config):
    old = running.conversation.runtime
    config.write_text(PROVIDERS + "limits:\n  steps: 7\n")
    await running("/reload")
    assert "hold after this answer" in running.said
    assert running.conversation.running
    running.conversation.stop()
    await ended(running)
    assert running.conversation.runtime is not old
    assert running.conversation.latest.end.reason == "interrupted"


async def test_a_change_of_the_file_is_said_at_the_next_turn(talk, config):
    config.write_text(PROVIDERS + "limits:\n  steps: 7\n")
    assert await talk.conversation.answer("a question") == DONE
    assert "/reload takes them up" in talk.said


async def test_an_interrupted_turn_names_how_the_queue_goes_on(talk):
    talk.conversation.queued.append("next")
    talk.conversation.begin()
    talk.conversation.stop()
    assert await talk.conversation.answer("slow") == INTERRUPTED
    assert "/queue clear drops" in talk.said


def offered(conversation, typed):
    async def gather():
        completer = SlashCompleter(conversation)
        return [each.text async for each in completer.get_completions_async(Document(typed), CompleteEvent())]

    return gather()


@pytest.mark.parametrize(
    ("typed", "offers"),
    [
        ("/he", ["/help"]),
        ("/HE", ["/help"]),
        ("/s", ["/stop", "/steer", "/sessions", "/session", "/status"]),
        ("a /he", []),
        ("/help qu", ["queue", "quit"]),
        ("/queue ", ["clear"]),
        ("/queue clear x", []),
        ("/ledger a", ["all"]),
        ("/session ", ["s1"]),
        ("/session canc", ["s1"]),
        ("/session zz", []),
        ("/model min", ["minimax/MiniMax-M3", "mine/"]),
        ("/model mine/", ["mine/fast", "mine/slow"]),
        ("/model mine/s", ["mine/slow"]),
        ("/model gone/", []),
        ("/model def", ["default"]),
        ("/evidence ", ["ev_0123456789ab"]),
        ("/evidence ev_9", []),
        ("/fork ", ["t_012345"]),
        ("/steer x", []),
        ("/nope x", []),
    ],
)
async def test_completion(talk, typed, offers):
    talk.conversation.go_on_with("s1", stored=True)
    assert await offered(talk.conversation, typed) == offers
