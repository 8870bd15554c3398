"""A chat at a terminal."""

import json
import signal
import stat
import subprocess
import time

import pytest
from surfaces.cli.conftest import command, environment
from surfaces.cli.pseudo_terminal import PseudoTerminal


@pytest.fixture
def terminal(home):
    """`terminal(*arguments)`: the scripted command at a pseudo-terminal."""
    opened = []

    def call(*arguments: str, **changes: str) -> PseudoTerminal:
        opened.append(PseudoTerminal(command(*arguments), environment(**changes)))
        return opened[-1]

    yield call
    for each in opened:
        each.close()


@pytest.fixture
def chat(terminal):
    started = terminal("chat")
    started.expect("new conversation")
    return started


def turns(home, count: int = 1) -> list[dict]:
    """The turns that have ended, once there are so many."""
    path = home / "turns.jsonl"
    until = time.monotonic() + 15
    while time.monotonic() < until:
        lines = path.read_text().splitlines() if path.exists() else []
        if len(lines) >= count:
            return [json.loads(line) for line in lines]
        time.sleep(0.02)
    raise AssertionError(f"{count} turns never ended")


def test_a_question_its_answer_and_leaving(chat, home):
    chat.type("first echo\r")
    at = chat.expect("FIRST ECHO")
    at = chat.expect("[1] Coroutines and Tasks · read · line 412", after=at)
    chat.expect("context in 3,210 tokens", after=at)
    chat.type("\x04")
    assert chat.wait() == 0
    assert chat.restored
    assert chat.text.count("⟶ web_search") == 1


def test_ctrl_c_stops_the_turn_and_twice_leaves(chat, home):
    chat.type("slow\r")
    at = chat.expect("the first words")
    chat.type("\x03")
    at = chat.expect("interrupted; what was said is kept", after=at)
    assert turns(home)[0]["said"] == "the first words "
    chat.type("\x03")
    assert chat.wait() == 130
    assert chat.restored


def test_after_a_stop_the_conversation_goes_on(chat, home):
    chat.type("slow\r")
    at = chat.expect("the first words")
    chat.type("\x03")
    at = chat.expect("interrupted", after=at)
    chat.type("next echo\r")
    chat.expect("NEXT ECHO", after=at)
    chat.type("\x03")
    chat.expect("Ctrl-C again leaves", after=at)
    chat.type("half a line")
    chat.type("\x03")
    chat.type("\x04")
    assert chat.wait() == 0


def test_what_is_typed_meanwhile_steers_the_turn(chat, home):
    chat.type("slow\r")
    at = chat.expect("the first words")
    chat.type("enough\r")
    at = chat.expect("(heard enough)", after=at)
    chat.expect("context in", after=at)
    assert turns(home)[0]["steered"] == ["enough"]
    chat.type("/quit\r")
    assert chat.wait() == 0


def test_queued_lines_are_asked_next(chat, home):
    chat.type("slow\r")
    at = chat.expect("the first words")
    chat.type("/queue queued echo\r")
    at = chat.expect("1. queued echo", after=at)
    chat.type("/steer enough\r")
    chat.expect("QUEUED ECHO", after=at)
    assert [turn["question"] for turn in turns(home, 2)] == ["slow", "queued echo"]


def test_more_than_one_line(chat, home):
    chat.type("one\\\rtwo\x1b\rthree echo\r")
    chat.expect("THREE ECHO")
    assert turns(home)[0]["question"] == "one\ntwo\nthree echo"


def test_commands_and_their_completion(chat):
    chat.type("/hel")
    at = chat.expect("show this")
    chat.type("\t\r")
    at = chat.expect("go on in a copy of this conversation", after=at)
    chat.type("/session s")
    at = chat.expect("Cancelling", after=at)
    chat.type("\t\r")
    at = chat.expect("How do I cancel a task?", after=at)
    chat.type("/ledger\r")
    at = chat.expect("3 blocks", after=at)
    chat.type("/sessions\r")
    at = chat.expect("•  s1", after=at)
    chat.type("/model openai/gpt\r")
    at = chat.expect("openai/gpt answers from now on", after=at)
    chat.type("/hlep\r")
    at = chat.expect("did you mean /help?", after=at)
    chat.type("/session nowhere\r")
    at = chat.expect("session.unknown", after=at)
    chat.type("/new\r")
    chat.expect("a new conversation begins", after=at)
    chat.type("/quit\r")
    assert chat.wait() == 0


def test_a_model_that_was_chosen_is_asked(chat, home):
    chat.type("/model openai/gpt\rone echo\r")
    chat.expect("ONE ECHO")
    assert turns(home)[0]["model"] == "openai/gpt"


def test_pasted_escape_sequences_are_text_like_any_other(chat, home):
    chat.type(b"\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[<1M \x1b[<0;10M \x1b[M!! \x1b[9;9R \xff\xfe \x1b[1;2;3m echo")
    chat.type("\r")
    chat.expect("RED")
    assert "red" in turns(home)[0]["question"]
    chat.type("next echo\r")
    chat.expect("NEXT ECHO")
    assert "Traceback" not in chat.text
    assert "Press ENTER" not in chat.text
    chat.type("\x04")
    assert chat.wait() == 0


def test_what_is_typed_ahead_is_never_shown_by_the_terminal_itself(chat):
    chat.type("/status\r" * 20)
    seen = set()
    while chat.text.count("waiting for you") < 20:
        seen.add(chat.echoes)
        chat.read(0.001)
    assert seen == {False}
    chat.type("\x04")
    assert chat.wait() == 0
    assert chat.restored


def test_a_long_paste_is_asked_whole_and_shown_in_part(chat, home):
    chat.type("\x1b[200~" + "\n".join(f"line {n}" for n in range(30)) + " echo\x1b[201~\r")
    at = chat.expect("… 22 more lines")
    chat.expect("LINE 29 ECHO", after=at)
    assert turns(home)[0]["question"].splitlines()[-1] == "line 29 echo"


def test_a_conversation_that_is_taken_up_shows_how_it_ended(terminal):
    started = terminal("chat", "--session", "s1")
    at = started.expect("How do I cancel a task?")
    started.expect("s1 · 2 turns", after=at)
    started.type("next echo\r")
    started.expect("NEXT ECHO", after=at)


def test_a_key_that_nobody_knows_begins_a_conversation_and_says_so(terminal):
    started = terminal("chat", "--session", "nowhere")
    started.expect("there is no conversation 'nowhere' yet")
    started.type("first echo\r")
    started.expect("FIRST ECHO")


def test_another_width_holds_at_once(terminal):
    started = terminal("chat", COLUMNS="")
    started.expect("new conversation")
    started.type("slow\r")
    at = started.expect("the first words")
    started.resize(20, 40)
    started.type("long word after word after word after word after word enough\r")
    at = started.expect("enough)", after=at)
    started.expect("context in", after=at)
    answer = started.text[started.text.index("(heard long") :].split("[1]")[0]
    rows = answer.replace("\r", "").split("\n")
    assert all(len(row) <= 40 for row in rows if row.strip())
    started.type("\x04")
    assert started.wait() == 0


def test_a_path_is_a_question_and_no_command(chat, home):
    chat.type("/usr/share/doc what is there echo\r")
    chat.expect("WHAT IS THERE ECHO")
    assert len(turns(home)) == 1


def test_lines_are_remembered_privately(chat, terminal, home):
    chat.type("first echo\r")
    chat.expect("FIRST ECHO")
    chat.type("\x04")
    assert chat.wait() == 0
    assert stat.S_IMODE((home / "history").stat().st_mode) == 0o600
    again = terminal("chat")
    again.expect("new conversation")
    again.type("\x1b[A\r")
    again.expect("FIRST ECHO")


def test_a_turn_that_fails_does_not_end_the_chat(chat):
    chat.type("fail\r")
    at = chat.expect("model.auth")
    chat.type("next echo\r")
    chat.expect("NEXT ECHO", after=at)


def test_a_bug_ends_the_chat_in_order(chat):
    chat.type("bug\r")
    chat.expect("limen.bug")
    assert chat.wait() == 1
    assert chat.restored
    assert "Traceback" not in chat.text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(chat, home, number):
    chat.type("slow\r")
    chat.expect("the first words")
    chat.child.send_signal(number)
    assert chat.wait() == 130
    assert chat.restored
    assert turns(home)[0]["said"] == "the first words "


def test_no_control_character_of_a_stranger(chat):
    chat.type("hostile\r")
    chat.expect("safe")
    assert b"\x1b]0;" not in chat.raw
    assert b"\xc2\x9b" not in chat.raw


def test_a_dumb_terminal_reads_lines(terminal):
    started = terminal("chat", TERM="dumb")
    started.type("first echo\n")
    started.expect("FIRST ECHO")
    started.type("\x04")
    assert started.wait() == 0
    assert b"\x1b[" not in started.raw


def test_no_color_holds_in_a_chat(terminal):
    started = terminal("chat", NO_COLOR="1")
    started.expect("new conversation")
    started.type("first echo\r")
    at = started.expect("FIRST ECHO")
    started.expect("context in", after=at)
    assert b"\x1b[36m" not in started.raw
    assert b"\x1b[2m" not in started.raw


def test_ask_at_a_terminal_streams_and_colours(terminal):
    started = terminal("ask", "refuse one asides")
    assert started.wait() == 0
    assert b"\x1b[1mCoroutines and Tasks" in started.raw
    assert started.text.count("⟶ web_search") == 1
    assert "void" in started.text
    assert started.text.index("void") < started.text.index("starting over") < started.text.index("Call `task.cancel()`")


def test_deleting_asks_at_a_terminal(terminal):
    started = terminal("sessions", "delete", "s1")
    started.expect("for good? [y/N]")
    started.type("n\n")
    assert started.wait() == 0
    assert "forgotten" not in started.text


def test_ctrl_c_at_a_question_is_no_yes(terminal):
    started = terminal("sessions", "delete", "s1")
    started.expect("for good? [y/N]")
    for _ in range(10):  # a key pressed before the question listens is pressed again, as a person would
        started.type("\x03")
        try:
            started.child.wait(timeout=2)
        except subprocess.TimeoutExpired:
            continue
        break
    assert started.wait() == 130
    assert "Traceback" not in started.text
