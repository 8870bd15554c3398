"""Words that the index lacks, and signs, which it never has."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.store.library import AskedWord, LibraryRecord, LibrarySection, Wanted
from limen.store.sqlite.database import Database
from limen.store.sqlite.library import SqliteLibraryStore
from limen.store.sqlite.library_vocabulary import _differ_in_one

TEXTS = {
    "/d/net": "socket.getaddrinfo resolves a host, asyncio.wait_for waits; the Fußbodenheizung is warm",
    "/d/path": "os.path.splitext splits a path; an installation in several steps",
    "/d/json": "in PostgreSQL a ->> b gives text, and use std::move(x) with a @dataclass and --no-verify",
    "/d/cjk": "我爱北京天安门，東京都庁の案内",
}


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteLibraryStore]:
    opened = await Database.open(tmp_path / "limen.db")
    made = SqliteLibraryStore(opened, clock=lambda: 1_000.0)
    await made.put("default", [record(origin, text) for origin, text in TEXTS.items()])
    yield made
    await opened.close()


def record(origin: str, text: str) -> LibraryRecord:
    return LibraryRecord(origin, "", "text/html", text, origin, (5, 5), "/d", (LibrarySection("", "", 1, text),))


async def found(store: SqliteLibraryStore, *words: str) -> list[str]:
    hits = (await store.query("default", [AskedWord(word) for word in words], Wanted(5))).hits
    return [hit.document.origin for hit in hits]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("word", "origin"),
    [
        ("getaddr", "/d/net"), ("addrinfo", "/d/net"), ("_wait_for", "/d/net"), ("wait_fo", "/d/net"), ("heizung", "/d/net"),
        ("os.path.spl", "/d/path"), ("splitex", "/d/path"), ("instalation", "/d/path"), ("sevreal", "/d/path"),
        ("->>", "/d/json"), ("::", "/d/json"), ("std::mo", "/d/json"), ("@dataclass", "/d/json"), ("--no-verify", "/d/json"),
        ("京天", "/d/cjk"), ("京都", "/d/cjk"), ("安", "/d/cjk"),
    ],
)  # fmt: skip
async def test_a_part_of_an_identifier_a_mistyped_word_and_signs_are_found(
    word: str, origin: str, store: SqliteLibraryStore
) -> None:
    assert await found(store, word) == [origin]


@pytest.mark.anyio
@pytest.mark.parametrize("word", ["get", "addr", "ost", "quasar", "->", "=>", "北天", "getaddrinfox1", "x" * 5_000, "12345"])
async def test_what_is_too_short_or_too_far_off_is_not_found(word: str, store: SqliteLibraryStore) -> None:
    assert await found(store, word) == ([] if word != "->" else ["/d/json"])


@pytest.mark.anyio
async def test_a_word_that_is_known_is_not_taken_for_another(store: SqliteLibraryStore) -> None:
    await store.put("default", [record("/d/exact", "getaddr alone"), record("/d/more", "a path of one's own")])
    answer = await store.query("default", [AskedWord("getaddr")], Wanted(5))
    assert [hit.document.origin for hit in answer.hits] == ["/d/exact"]
    assert answer.alike == {}


@pytest.mark.anyio
async def test_a_word_that_only_another_library_knows_is_unknown(store: SqliteLibraryStore) -> None:
    many = [record(f"/d/{number}", f"getaddr in text {number}") for number in range(300)]
    await store.put("other", many)
    assert await found(store, "getaddr") == ["/d/net"]
    await store.put("default", many[-1:])
    assert await found(store, "getaddr") == ["/d/299"]


@pytest.mark.anyio
async def test_an_unknown_word_of_little_weight_is_left_alone(store: SqliteLibraryStore) -> None:
    words = [AskedWord(word) for word in ("socket", "resolves", "host", "waits", "warm")]
    assert (await store.query("default", [*words, AskedWord("getaddr")], Wanted(5))).alike == {}
    assert (await store.query("default", [*words[:2], AskedWord("getaddr")], Wanted(5))).alike == {2: ("getaddrinfo",)}


@pytest.mark.anyio
async def test_new_words_are_known_at_once(store: SqliteLibraryStore) -> None:
    assert await found(store, "freeaddrin") == []
    await store.put("default", [record("/d/free", "call freeaddrinfo after it")])
    assert await found(store, "freeaddrin") == ["/d/free"]


LETTERS = st.text(alphabet="abcd", min_size=2, max_size=6)


@given(LETTERS, st.data())
def test_one_slip_is_one_letter_more_less_other_or_swapped(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 1))
    letter = data.draw(st.sampled_from("abcdx"))
    slips = [word[:at] + letter + word[at:], word[:at] + word[at + 1 :], word[:at] + letter + word[at + 1 :]]
    slips.append(word[:at] + word[at : at + 2][::-1] + word[at + 2 :])
    assert all(_differ_in_one(word, slip) or word == slip for slip in slips)
    assert not _differ_in_one(word, f"{word}xx")
    assert not _differ_in_one(f"y{word}y", f"x{word}x")
