"""The library's store: documents, their sections, and what is found in them."""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.fault import StoreFault
from limen.store.library import AskedWord, DocumentMark, FoundSections, LibraryRecord, LibrarySection, Wanted
from limen.store.sqlite.database import Database
from limen.store.sqlite.library import SqliteLibraryStore
from limen.store.sqlite.library_text import match_expression, pack, storable, unpack


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await Database.open(tmp_path / "limen.db")
    yield opened
    await opened.close()


@pytest.fixture
def store(database: Database) -> SqliteLibraryStore:
    return SqliteLibraryStore(database, clock=lambda: 1_000.0)


def record(
    origin: str, text: str, *, title: str = "", heading: str = "", digest: str = "d", root: str = "/d", listing: bool = False
) -> LibraryRecord:
    sections = (LibrarySection(heading, "here", 1, text, listing=listing),)
    return LibraryRecord(origin, title, "text/html", text, digest, (5, len(text)), root, sections)


async def query(store: SqliteLibraryStore, *words: str, library: str = "default", limit: int = 20) -> FoundSections:
    return await store.query(library, [AskedWord(word) for word in words], Wanted(limit))


async def found(store: SqliteLibraryStore, *words: str, library: str = "default") -> list[str]:
    return [hit.document.origin for hit in (await query(store, *words, library=library)).hits]


@pytest.mark.anyio
async def test_documents_are_found_by_any_of_the_words_the_better_first(store: SqliteLibraryStore) -> None:
    await store.put("default", [record("/d/a", "cats and dogs"), record("/d/b", "cats cats and more"), record("/d/c", "fish")])
    assert await found(store, "cats", "dogs") == ["/d/a", "/d/b"]
    assert await found(store, "birds") == []
    assert await store.counts("default") == (3, 3)


@pytest.mark.anyio
async def test_putting_says_how_many_were_not_there(store: SqliteLibraryStore) -> None:
    assert await store.put("default", [record("/d/a", "one"), record("/d/b", "one")]) == 2
    numbers = {document.origin: document.id for document in await store.list("default")}
    assert await store.put("default", [record("/d/a", "two"), record("/d/c", "two")]) == 1
    assert {document.origin: document.id for document in await store.list("default")}.items() >= numbers.items()
    assert await store.put("other", [record("/d/a", "one")]) == 1


@pytest.mark.anyio
async def test_titles_and_headings_are_found(store: SqliteLibraryStore) -> None:
    filler = "with words around it that are of no use to anybody "
    await store.put(
        "default",
        [
            record("/d/text", f"cancel {filler}"),
            record("/d/title", filler + "x", title="How to cancel"),
            record("/d/heading", filler + "y", heading="Tasks › Cancel"),
        ],
    )
    assert sorted(await found(store, "cancel")) == ["/d/heading", "/d/text", "/d/title"]


@pytest.mark.anyio
async def test_a_listing_is_found_as_one(store: SqliteLibraryStore) -> None:
    await store.put(
        "default", [record("/d/contents", "cancel cancel cancel", listing=True), record("/d/a", "to cancel it, " * 9)]
    )
    hits = (await query(store, "cancel")).hits
    assert {(hit.document.origin, hit.listing) for hit in hits} == {("/d/a", False), ("/d/contents", True)}
    assert {hit.text for hit in hits if hit.listing} == {"cancel cancel cancel"}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Cancelling a task", "cancel"), ("a cancelled task", "cancellation"), ("Café au lait", "cafe"), ("GRÜSSE", "grüsse"),
        ("asyncio.Task.cancel()", "asyncio.task.cancel"), ("use snake_case here", "snake_case"), ("an event loop", "event loop"),
        ("--force-with-lease", "--force-with-lease"), ("Москва", "москва"), ("東京都庁の案内", "京都"), ("東京都庁の案内", "東"),
        ("これはペンです", "ペン"), ("파이썬에서", "파이썬"), ("ภาษาไทยง่าย", "ไทย"), ("abc東京def", "東京"),
    ],
)  # fmt: skip
async def test_words_are_found_in_any_form_and_script(text: str, word: str, store: SqliteLibraryStore) -> None:
    await store.put("default", [record("/d/a", f"before\n{text}\nafter"), record("/d/b", "nothing of it 亰 loop event")])
    hits = (await query(store, word)).hits
    assert [hit.document.origin for hit in hits] == ["/d/a"]
    assert hits[0].text == f"before\n{text}\nafter"
    assert hits[0].line == 1


@pytest.mark.anyio
@pytest.mark.parametrize(
    "word", ['"', "a OR b", "*", "", "   ", "(", "^a", "\x00", "\u200b", "++", "NOT", "body:x", "\ud800", "a" * 10_000]
)
async def test_no_word_is_query_language(word: str, store: SqliteLibraryStore) -> None:
    await store.put("default", [record("/d/a", "a or b and body of text")])
    assert await found(store, word, "text") == ["/d/a"]
    assert await found(store, "body:x") == []
    assert (await query(store, word)).frequencies.sections == 1


@pytest.mark.anyio
async def test_putting_again_keeps_the_number_and_replaces_the_text(store: SqliteLibraryStore) -> None:
    await store.put("default", [record("/d/a", "cats")])
    before = await store.by_origin("default", "/d/a")
    await store.put("default", [record("/d/a", "dogs", digest="e")])
    after = await store.by_origin("default", "/d/a")
    assert before is not None
    assert after is not None
    assert (after[0].id, after[1]) == (before[0].id, "dogs")
    assert await found(store, "cats") == []
    assert await store.counts("default") == (1, 1)


@pytest.mark.anyio
async def test_a_number_is_never_given_twice(store: SqliteLibraryStore) -> None:
    await store.put("default", [record("/d/a", "cats")])
    first = (await store.list("default"))[0].id
    assert await store.remove("default", first)
    await store.put("default", [record("/d/b", "cats")])
    assert (await store.list("default"))[0].id > first
    assert await store.get("default", first) is None


@pytest.mark.anyio
async def test_one_text_under_two_paths_is_kept_once_until_both_are_gone(store: SqliteLibraryStore) -> None:
    await store.put("default", [record("/d/a", "cats"), record("/d/b", "cats")])
    assert await found(store, "cats") == ["/d/a"]
    assert await store.counts("default") == (2, 1)
    assert await store.drop("default", ["/d/a"]) == 1
    assert await found(store, "cats") == ["/d/b"]
    assert await store.drop("default", ["/d/b", "/d/none"]) == 1
    assert await store.counts("default") == (0, 0)


@pytest.mark.anyio
async def test_nothing_is_left_of_what_was_dropped(store: SqliteLibraryStore, database: Database) -> None:
    await store.put("default", [record(f"/d/{number}", f"cats {number}") for number in range(1_200)])
    assert await store.drop("default", [f"/d/{number}" for number in range(1_200)]) == 1_200

    def left(connection: sqlite3.Connection) -> list[int]:
        tables = ("library_documents", "library_texts", "library_sections", "library_index")
        return [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]

    assert await database.read(left) == [0, 0, 0, 0]


@pytest.mark.anyio
async def test_libraries_do_not_see_each_other(store: SqliteLibraryStore) -> None:
    await store.put("one", [record("/d/a", "cats")])
    await store.put("two", [record("/d/a", "cats dogs")])
    assert await found(store, "dogs", library="one") == []
    number = (await store.list("two"))[0].id
    assert await store.get("one", number) is None
    assert not await store.remove("one", number)
    assert await store.drop("one", ["/d/a"]) == 1
    assert await found(store, "cats", library="two") == ["/d/a"]


@pytest.mark.anyio
async def test_marks_tell_what_is_known_and_what_was_removed(store: SqliteLibraryStore) -> None:
    await store.put("default", [record("/d/a", "cats"), record("/d/b", "dogs"), record("/d/c", "fish", root="/d/c")])
    await store.restamp("default", {"/d/a": (9, 9), "/d/none": (1, 1)})
    for document in await store.list("default"):
        if document.origin in ("/d/b", "/d/c"):
            await store.remove("default", document.id)
    assert await store.marks("default", ["/d/a", "/d/b", "/d/c", "/d/none"]) == {
        "/d/a": DocumentMark((9, 9), "d", "/d"),
        "/d/b": DocumentMark(removed=True),
    }
    assert await store.stamps("default", "/d") == {"/d/a": (9, 9)}
    assert [source.root for source in await store.sources("default")] == ["/d"]
    await store.put("default", [record("/d/b", "dogs")])
    assert not (await store.marks("default", ["/d/b"]))["/d/b"].removed


@pytest.mark.anyio
async def test_a_batch_is_stored_whole_or_not_at_all(store: SqliteLibraryStore) -> None:
    good = record("/d/good", "text")
    broken = LibraryRecord("/d/x", "", "text/html", "t", "d", (1 << 70, 0), "/d", good.sections)  # no such time
    with pytest.raises((StoreFault, OverflowError)):
        await store.put("default", [good, broken])
    assert await store.counts("default") == (0, 0)


@pytest.mark.anyio
async def test_a_damaged_text_is_a_fault_that_names_the_document(store: SqliteLibraryStore, database: Database) -> None:
    await store.put("default", [record("/d/a", "cats " * 500)])
    await database.write(lambda connection: connection.execute("UPDATE library_texts SET body = x'00'") and None)
    with pytest.raises(StoreFault, match="/d/a") as raised:
        await store.by_origin("default", "/d/a")
    assert raised.value.code == "store.damaged"


@pytest.mark.anyio
async def test_frequencies_count_sections_of_all_libraries(store: SqliteLibraryStore) -> None:
    await store.put("one", [record("/d/a", "cats and dogs"), record("/d/b", "cat")])
    await store.put("two", [record("/d/a", "a cat")])
    counted = (await query(store, "cats", "dogs", "birds", "?", library="one")).frequencies
    assert (counted.words, counted.sections) == ((3, 1, 0, 0), 3)


@pytest.mark.anyio
async def test_another_form_of_a_word_is_the_word(store: SqliteLibraryStore) -> None:
    await store.put("default", [record("/d/a", "it slept"), record("/d/b", "it sleeps"), record("/d/c", "it eats")])
    got = await store.query("default", [AskedWord("sleeping", also=("slept",))], Wanted(5))
    assert {hit.document.origin for hit in got.hits} == {"/d/a", "/d/b"}
    assert got.frequencies.words == (2,)


@pytest.mark.anyio
async def test_a_library_is_searched_however_much_another_has_of_the_words(store: SqliteLibraryStore) -> None:
    parts = tuple(LibrarySection("", "", line, f"cats and dogs {line}") for line in range(1, 2_001))
    await store.put("big", [LibraryRecord("/d/big", "", "text/plain", "all", "d", (1, 1), "/d", parts)])
    await store.put("small", [record("/d/a", "a cat"), record("/d/b", "a dog and a cat")])
    assert await found(store, "cats", "dogs", library="small") == ["/d/b", "/d/a"]
    assert len((await query(store, "cats", "dogs", library="big", limit=7)).hits) == 7


@pytest.mark.anyio
async def test_what_holds_the_rarer_words_is_a_likelier_answer(store: SqliteLibraryStore) -> None:
    often = [record(f"/d/{number}", f"cats cats cats {number}") for number in range(9)]
    await store.put("default", [*often, record("/d/rare", "one zebra in a row of many other words")])
    assert (await found(store, "cats", "zebra"))[0] == "/d/rare"
    assert await found(store, "zebra", "unheard") == ["/d/rare"]


@pytest.mark.anyio
async def test_among_many_sections_with_the_same_words_the_better_are_chosen(store: SqliteLibraryStore) -> None:
    filler = "with words around it that are of no use to anybody "
    many = [record(f"/d/{number}", f"cats {filler} {number}") for number in range(500)]
    await store.put("default", [*many, record("/d/best", "cats, cats and cats", heading="Cats"), record("/d/none", "a fish")])
    assert [hit.document.origin for hit in (await query(store, "cats", limit=1)).hits] == ["/d/best"]


@pytest.mark.anyio
async def test_what_is_being_forgotten_is_not_found(store: SqliteLibraryStore, database: Database) -> None:
    await store.put("default", [record("/d/a", "cats"), record("/d/b", "cats and more")])
    await database.write(lambda connection: connection.execute("DELETE FROM library_documents WHERE origin = '/d/a'") and None)
    assert await found(store, "cats") == ["/d/b"]


@pytest.mark.anyio
async def test_text_that_cannot_be_stored_is_made_storable(store: SqliteLibraryStore) -> None:
    await store.put(
        "default", [record("/d/a", "lone \ud800 surrogate and \x00 zero \x01 marks", title="\ud800", heading="\udfff")]
    )
    (hit,) = (await query(store, "surrogate")).hits
    assert hit.text == "lone ? surrogate and   zero \x01 marks"


@given(st.text(max_size=2_000))
def test_packing_gives_the_text_back(text: str) -> None:
    text = storable(text)
    assert unpack(*pack(text)) == text


@given(st.lists(st.text(max_size=20), max_size=5))
def test_any_words_make_an_expression_that_fts5_takes(words: list[str]) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(a)")
    expression = match_expression(words)
    if expression:
        connection.execute("SELECT * FROM t WHERE t MATCH ?", (expression,)).fetchall()
    connection.close()
