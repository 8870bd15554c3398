"""What the paths and URLs that a person names stand for, and what is said where they stand for nothing."""

import os
from pathlib import Path
from typing import get_args

import pytest

from limen.core.fault import Refusal
from limen.web.library.report import Problem, Tally
from limen.web.library.roots import Wishes, nothing_readable, sources_of
from limen.web.library.skipped import _WORDS, Reason, Skipped


def refused(*names: str, fetches: bool = False) -> Refusal:
    found = sources_of(names, Wishes(), fetches=fetches)
    assert isinstance(found, Refusal)
    return found


def test_each_place_counts_once(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    names = [
        str(tmp_path),
        f"{tmp_path}/",
        str(tmp_path / "link"),
        tmp_path.as_uri(),
        "https://e.example/a#b",
        "https://e.example/a",
    ]
    sources = sources_of(names, Wishes(), fetches=True)
    assert [(one.root, one.kind) for one in sources] == [(str(tmp_path), "path"), ("https://e.example/a", "page")]


@pytest.mark.parametrize("name", ["", " ", "nowhere", "a\0b", "file:///no/where", "file://[", "a\x1b[2Jb", "x" * 300])
def test_a_name_of_nothing(tmp_path: Path, monkeypatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    refusal = refused(name)
    assert refusal.code in ("library.no_such_path", "library.unreadable")
    assert refusal.reason.isprintable()
    assert refusal.mend


def test_links_in_a_circle_are_no_place(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert refused(str(tmp_path / "loop")).code == "library.unreadable"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look everywhere")
def test_what_may_not_be_looked_at_is_not_said_to_be_missing(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0)
    try:
        for name in (closed, closed / "a.md"):
            refusal = refused(str(name))
            assert refusal.code == "library.unreadable"
            assert "ls -ld" in refusal.mend
    finally:
        closed.chmod(0o700)


def test_a_name_that_is_not_unicode_is_refused_in_text_that_can_be_printed(tmp_path: Path) -> None:
    try:
        path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md"))
        path.write_text("words")
    except OSError:
        pytest.skip("this file system takes Unicode names only")
    refusal = refused(str(path))
    assert refusal.code == "library.name_not_unicode"
    assert refusal.reason.encode()


def test_a_url_needs_someone_who_fetches() -> None:
    assert refused("https://e.example/").code == "library.no_fetcher"


def test_schemes_are_told_apart_in_any_case() -> None:
    found = sources_of(["HTTPS://e.example/A#b"], Wishes(), fetches=True)
    assert not isinstance(found, Refusal)
    assert [source.root for source in found] == ["https://e.example/A"]
    assert "only http and https" in refused("ftp://e.example/a.md").mend


def test_every_reason_has_words() -> None:
    assert set(_WORDS) == set(get_args(Reason))


def left_out(*reasons: str, problem: bool = False) -> Refusal:
    tally = Tally()
    for reason in reasons:
        tally.skipped.add(reason, "/docs/a.md")
    if problem:
        tally.fail(Problem("/docs/b.md", "reading.timeout", "took too long"))
    return nothing_readable(["/docs"], tally, "my work")


def test_one_reason_alone_is_mended_by_name() -> None:
    assert left_out("too_large").mend == "split it: a document may have 16 MB"
    assert left_out("unreadable").mend == "check its permissions: ls -ld /docs/a.md"
    assert "HTML" in left_out("too_large", "empty").mend
    assert left_out("needs_browser").mend == "open them in a browser, save what it shows, and add those files"


def test_people_are_told_in_words_and_programs_in_codes() -> None:
    refusal = left_out("not_a_file", "not_a_file", "broken_link", problem=True)
    assert "2 no ordinary file (pipe, socket or device); 1 linked to nothing; 1 failed" in refusal.reason
    assert "[reading.timeout]" in refusal.reason
    assert "not_a_file" not in refusal.reason
    assert refusal.published()["skipped"] == {"broken_link": 1, "not_a_file": 2}


def test_only_a_few_names_are_kept() -> None:
    one, other = Skipped(), Skipped()
    for number in range(5):
        one.add("empty", f"/a/{number}")
        other.add("empty", f"/b/{number}")
        other.add("hidden", f"/b/.{number}")
    one.take(other)
    assert one.counts == {"empty": 10, "hidden": 5}
    assert one.names == {"empty": ["/a/0", "/a/1", "/a/2"]}


def unread(*problems: Problem) -> Refusal:
    tally = Tally()
    for problem in problems:
        tally.fail(problem)
    return nothing_readable([problem.origin for problem in problems], tally, "default")


PRIVATE = Problem("http://10.0.0.1/", "network.private_address", "it is private", "open it so", "network", named=True)
DOWN = Problem("http://a.example/", "network.timeout", "too slow", "try later", "network", named=True)


def test_an_address_that_a_gate_refused_keeps_its_code_and_mend() -> None:
    alone = unread(PRIVATE)
    assert (alone.gate, alone.code, alone.mend) == ("network", "network.private_address", "open it so")
    assert "http://10.0.0.1/" in alone.reason
    several = unread(PRIVATE, PRIVATE)
    assert (several.gate, several.code, several.mend) == ("network", "library.nothing_readable", "open it so")
    mixed = unread(PRIVATE, DOWN)
    assert (mixed.gate, mixed.code) == ("library", "library.nothing_readable")


def test_a_file_that_cannot_be_read_says_how_it_could() -> None:
    locked = unread(Problem("/a.pdf", "reading.pdf_encrypted", "it is locked", "save it without", named=True))
    assert (locked.gate, locked.code, locked.mend) == ("library", "library.nothing_readable", "save it without")
