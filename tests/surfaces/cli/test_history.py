"""What was typed into a chat: kept privately, and never in the chat's way."""

import json
import os
import stat

import pytest

from limen.kit.log import fail_open_counts
from limen.surfaces.cli.history import PrivateHistory


def test_history_is_private_and_comes_latest_first(tmp_path):
    path = tmp_path / "history"
    history = PrivateHistory(path, 3)
    for line in ("one", "two\nlines", "naïve \ud800"):
        history.append_string(line)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(PrivateHistory(path, 2).load_history_strings()) == ["naïve \ud800", "two\nlines"]


def test_a_long_history_is_cut(tmp_path):
    path = tmp_path / "history"
    path.write_text("".join(json.dumps(f"line {n}") + "\n" for n in range(50)))
    assert next(iter(PrivateHistory(path, 10).load_history_strings())) == "line 49"
    assert len(path.read_text().splitlines()) == 10


@pytest.mark.parametrize("content", [b'\xff\xfe\n"ok"\n', b'{"a": 1}\n"ok"\nhalf "', b'\0\0\0\n"ok"'])
def test_a_damaged_history_gives_what_is_whole(tmp_path, content):
    path = tmp_path / "history"
    path.write_bytes(content)
    assert list(PrivateHistory(path, 10).load_history_strings()) == ["ok"]


def test_a_history_that_cannot_be_kept_costs_nothing_else(tmp_path):
    path = tmp_path / "history"
    path.mkdir()
    history = PrivateHistory(path, 10)
    history.append_string("one")
    assert history.get_strings() == ["one"]
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    PrivateHistory(link, 10).append_string("one")
    assert not (tmp_path / "elsewhere").exists()


def test_a_link_is_neither_read_nor_written(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text('"a line of another"\n')
    link = tmp_path / "history"
    link.symlink_to(elsewhere)
    history = PrivateHistory(link, 10)
    assert list(history.load_history_strings()) == []
    history.append_string("mine")
    assert elsewhere.read_text() == '"a line of another"\n'


def test_a_pipe_in_its_place_does_not_hang(tmp_path):
    path = tmp_path / "history"
    os.mkfifo(path)
    history = PrivateHistory(path, 10)
    assert list(history.load_history_strings()) == []
    history.append_string("mine")
    assert history.get_strings() == ["mine"]


def test_what_cannot_be_kept_is_said_once(tmp_path):
    path = tmp_path / "history"
    path.mkdir()
    before = fail_open_counts["chat.history"]
    history = PrivateHistory(path, 10)
    for line in ("one", "two", "three"):
        history.append_string(line)
    assert list(history.load_history_strings()) == []
    assert fail_open_counts["chat.history"] == before + 1


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path):
    path = tmp_path / "history"
    path.write_text('"one"\n')
    path.chmod(0o644)
    PrivateHistory(path, 10).append_string("two")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(PrivateHistory(path, 10).load_history_strings()) == ["two", "one"]


def test_a_pasted_document_is_not_kept(tmp_path):
    path = tmp_path / "history"
    history = PrivateHistory(path, 10)
    history.append_string("x" * 100_000)
    history.append_string("a line")
    assert list(PrivateHistory(path, 10).load_history_strings()) == ["a line"]


def test_of_a_huge_file_only_the_end_is_read(tmp_path):
    path = tmp_path / "history"
    with path.open("wb") as file:
        file.truncate(200_000_000)
        file.seek(0, os.SEEK_END)
        file.write(b'\n"the latest"\n')
    assert list(PrivateHistory(path, 10).load_history_strings()) == ["the latest"]


def test_two_chats_share_a_history(tmp_path):
    path = tmp_path / "history"
    first, second = PrivateHistory(path, 10), PrivateHistory(path, 10)
    for each, line in ((first, "one"), (second, "two"), (first, "three")):
        each.append_string(line)
    assert [json.loads(line) for line in path.read_text().splitlines()] == ["one", "two", "three"]
