"""The command as a process: signals, broken pipes, full disks, odd encodings, odd standard input."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from surfaces.cli.conftest import SCRIPTED, command, environment


def wait_for(path, text: str) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if path.exists() and text in path.read_text():
            return
        time.sleep(0.02)
    raise AssertionError(f"{text!r} never came in {path}")


def start(tmp_path, *arguments: str, **changes: str) -> subprocess.Popen[bytes]:
    with (tmp_path / "out").open("wb") as out, (tmp_path / "err").open("wb") as err:
        return subprocess.Popen(command(*arguments), stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment(**changes))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_turn_and_keeps_what_was_said(tmp_path, home, number):
    child = start(tmp_path, "ask", "slow")
    wait_for(tmp_path / "err", "5 hits")
    child.send_signal(number)
    assert child.wait(timeout=30) == 130
    stored = json.loads((home / "turns.jsonl").read_text())
    assert stored["said"] == "the first words "
    assert stored["reason"] == "interrupted"
    assert (tmp_path / "out").read_text().startswith("the first words")
    assert "limen sessions show s1" in (tmp_path / "err").read_text()


def test_json_of_an_interrupted_turn_is_whole(tmp_path, home):
    child = start(tmp_path, "ask", "slow", "--json")
    wait_for(tmp_path / "err", "5 hits")
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=30) == 130
    document = json.loads((tmp_path / "out").read_text())
    assert document["reason"] == "interrupted"
    assert document["answer"] == "the first words "


def test_ctrl_c_amid_a_long_text_gives_none_of_it(tmp_path, home):
    text = tmp_path / "log"
    text.write_text("".join(f"{number} password: Hunter{number}Kx\n" for number in range(400_000)))
    with (tmp_path / "out").open("wb") as out:
        child = subprocess.Popen(command("redact", str(text)), stdout=out, stderr=subprocess.PIPE, env=environment())
        time.sleep(2.0)  # where it has not begun yet, the status is the same
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert err == b"interrupted\n"
    assert (tmp_path / "out").read_bytes() == b""


def test_ctrl_c_while_waiting_for_the_question(tmp_path, home):
    child = subprocess.Popen(
        command("ask", "-", "-v"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    time.sleep(1.0)  # long enough to be waiting; where it is not yet, the status is the same
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert out == b""
    assert b"Traceback" not in err


@pytest.mark.parametrize("arguments", [("ask", "a question"), ("ledger",), ("ask", "x", "--json"), ("--help",)])
def test_a_reader_that_leaves_is_no_error_to_shout_about(home, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            command(*arguments), stdout=writer, stderr=subprocess.PIPE, env=environment(), check=False, timeout=60
        )
    finally:
        os.close(writer)
    assert done.returncode == 141
    assert b"Error" not in done.stderr
    assert b"Broken" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_a_full_disk_is_told(home):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command("ledger"), stdout=full, stderr=subprocess.PIPE, env=environment(), check=False, timeout=60)
    assert done.returncode == 1
    assert b"output.lost" in done.stderr
    assert b"No space left" in done.stderr
    assert b"Exception ignored" not in done.stderr


def in_shell(line: str) -> subprocess.CompletedProcess[bytes]:
    """A line for bash, in which LIMEN stands for the command and ENTRY for the real entry."""
    line = line.replace("LIMEN", f"{sys.executable} {SCRIPTED}").replace("ENTRY", f"{sys.executable} -m limen")
    return subprocess.run(["bash", "-c", line], env=environment(), check=False, timeout=60, capture_output=True)


@pytest.mark.parametrize(
    "command_line",
    ["ENTRY --version", "ENTRY -V", "ENTRY --help", "LIMEN ask --help", "LIMEN ledger --json", "LIMEN ask 'a question'"],
)
@pytest.mark.parametrize(("where", "said"), [(">&-", b"output.lost"), ("> /dev/full", b"output.lost"), ("| true", b"")])
def test_output_that_goes_nowhere_is_one_line_of_error_or_quiet(home, command_line, where, said):
    line = f"{command_line} {where}"
    done = in_shell(line if "|" not in line else f"set -o pipefail; {{ sleep 0.2; {command_line}; }} {where}")
    assert done.returncode == (1 if said else 141)
    assert said in done.stderr
    for word in (b"Traceback", b"Exception ignored", b"BrokenPipe"):
        assert word not in done.stderr


def test_a_turn_goes_on_and_is_kept_where_nobody_can_be_told(home):
    for streams in ("<&- >&- 2>&-", "2> /dev/full > /dev/null"):
        status = in_shell(f"LIMEN ask 'a question' {streams}").returncode
        assert status == (1 if ">&- " in streams else 0)
    stored = [json.loads(line) for line in (home / "turns.jsonl").read_text().splitlines()]
    assert [turn["reason"] for turn in stored] == ["answered", "answered"]


def test_a_closed_stdin_is_an_empty_question(home):
    assert in_shell("LIMEN ask - <&-").returncode == 2


@pytest.mark.parametrize("encoding", ["gbk", "ascii", "cp1252", "latin-1", "utf-16"])
@pytest.mark.parametrize("arguments", [("ask", "refuse one asides"), ("sessions", "list")])
def test_any_encoding_will_do(process, encoding, arguments):
    done = process(*arguments, PYTHONIOENCODING=encoding)
    assert b"Traceback" not in done.stderr
    assert b"UnicodeEncodeError" not in done.stderr
    text = (done.stdout + done.stderr).decode(encoding, "replace") if encoding != "utf-16" else ""
    assert "\ufffd\ufffd\ufffd" not in text


def test_marks_are_spelt_where_the_encoding_has_none(process):
    done = process("ask", "refuse one", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert b"-> web_search" in done.stderr
    assert b"x 10.0.0.1 is a private address." in done.stderr
    assert b"? " not in done.stdout.replace(b"?[31m", b"")


def test_json_is_valid_in_any_encoding(process):
    plain = json.loads(process("ledger", "--json").stdout)
    for encoding in ("gbk", "ascii"):
        assert json.loads(process("sessions", "show", "s1", "--json", PYTHONIOENCODING=encoding).stdout.decode("ascii"))
    assert plain


@pytest.mark.parametrize(
    ("stdin", "status", "code"),
    [
        (b"How do I cancel a task?\n", 0, b""),
        (b"\xef\xbb\xbfHow\n", 0, b""),
        (b"", 2, b"empty"),
        (b" \n\t", 2, b"empty"),
        (b"\x7fELF\x02\x01\x00\x00", 1, b"ask.binary"),
        ("naïve".encode("utf-16"), 1, b"ask.binary"),
        (b"caf\xe9", 1, b"ask.binary"),
        (b"a" * 5_000_000, 1, b"ask.too_long"),
    ],
    ids=["text", "bom", "empty", "blank", "zero bytes", "utf-16", "latin-1", "huge"],
)
def test_a_question_on_standard_input(process, stdin, status, code):
    done = process("ask", "-", stdin=stdin)
    assert done.returncode == status
    assert code in done.stderr
    assert (b"Call" in done.stdout) == (status == 0)


def test_an_argument_that_is_no_utf8_is_asked_with_a_replacement(home):
    done = subprocess.run(
        [*map(os.fsencode, command("ask")), b"caf\xe9 echo"], capture_output=True, env=environment(), timeout=60
    )
    assert done.returncode == 0
    assert "CAF\ufffd ECHO" in done.stdout.decode()


def test_chat_answers_the_lines_of_a_pipe(process, home):
    done = process("chat", stdin=b"first echo\n\n/status\nsecond echo\n/quit\nthird\n")
    assert done.returncode == 0
    assert b"FIRST ECHO" in done.stdout
    assert b"SECOND ECHO" in done.stdout
    assert b"conversation  s1" in done.stdout
    assert len((home / "turns.jsonl").read_text().splitlines()) == 2


def test_chat_goes_on_after_a_line_it_cannot_use(process, home):
    done = process("chat", stdin=b"a\0b\n" + b"x" * 3_000_000 + b"\nfail\n/nonsense\n/session nowhere\nlast echo")
    assert done.returncode == 1
    for code in (b"ask.binary", b"ask.too_long", b"model.auth", b"/nonsense", b"session.unknown"):
        assert code in done.stderr
    assert b"LAST ECHO" in done.stdout
    assert len((home / "turns.jsonl").read_text().splitlines()) == 2


def test_chat_without_any_input(process):
    assert process("chat").returncode == 0


def test_ctrl_c_ends_a_piped_chat(tmp_path, home):
    with (tmp_path / "err").open("wb") as err:
        child = subprocess.Popen(command("chat"), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=err, env=environment())
    child.stdin.write(b"slow\n")
    child.stdin.flush()
    wait_for(tmp_path / "err", "5 hits")
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=30) == 130
    child.stdin.close()
    assert json.loads((home / "turns.jsonl").read_text())["said"] == "the first words "


@pytest.mark.parametrize(
    ("lines", "status", "said"),
    [
        (b"/bogus\nfirst echo\n", 1, b"chat.unknown_command"),
        (b"/session\nfirst echo\n", 1, b"chat.usage"),
        (b"/pause\nfirst echo\n", 1, b"not asked: first echo"),
        (b"/pause\nfirst echo\n/resume\n", 0, b"1 line waits"),
        (b"/fork\n", 1, b"nothing has been said"),
        (b"/model openai/gpt\nfirst echo\n/fork\nsecond echo\n", 0, b"a copy with 2 turns"),
    ],
)
def test_commands_in_a_pipe(process, lines, status, said):
    done = process("chat", stdin=lines)
    assert done.returncode == status
    assert said in done.stderr
