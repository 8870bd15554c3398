"""What every library store must do with documents: put whole or not at all, known by origin, found while they are there."""

import contextlib
from collections.abc import Sequence

import msgspec

from limen.core.fault import StoreFault
from limen.store.library import AskedWord, DocumentMark, KnownPage, LibraryRecord, LibrarySection, LibrarySource, Wanted
from limen.testing.store_contract.case import HARD_TEXTS, StoreCase, StoreCheck, Stores, together, two_handles

_LIBRARY = "default"


def _record(origin: str, text: str, *, root: str = "/d", digest: str = "d", sections: int = 1) -> LibraryRecord:
    parts = tuple(LibrarySection(f"part {number}", f"p{number}", number, text) for number in range(1, sections + 1))
    return LibraryRecord(origin, f"title of {origin}", "text/html", text, digest, (5, len(text)), root, parts)


async def _found(stores: Stores, *words: str, library: str = _LIBRARY) -> list[str]:
    hits = (await stores.library.query(library, [AskedWord(word) for word in words], Wanted(50))).hits
    return [hit.document.origin for hit in hits]


async def _origins(stores: Stores) -> list[str]:
    return [document.origin for document in await stores.library.list(_LIBRARY)]


async def documents_come_back_whole(case: StoreCase) -> None:
    async with two_handles(case) as (one, other):
        await one.library.put(_LIBRARY, [_record(f"/d/{number}", text) for number, text in enumerate(HARD_TEXTS)])
        for number, text in enumerate(HARD_TEXTS):
            found = await other.library.by_origin(_LIBRARY, f"/d/{number}")
            assert found is not None
            document, whole = found
            assert whole == text.encode("utf-8", "replace").decode()
            assert (document.title, document.added_at, document.sections) == (f"title of /d/{number}", case.now, 1)
            assert await other.library.get(_LIBRARY, document.id) == found
        for unknown in (0, -1, 10**30, 10**6):
            assert await other.library.get(_LIBRARY, unknown) is None
        assert await other.library.by_origin(_LIBRARY, "/none") is None


async def putting_again_replaces_and_keeps_the_number(case: StoreCase) -> None:
    async with case.opened() as stores:
        assert await stores.library.put(_LIBRARY, [_record("/d/a", "kettle"), _record("/d/b", "kettle")]) == 2
        before = {document.origin: document.id for document in await stores.library.list(_LIBRARY)}
        assert await stores.library.put(_LIBRARY, [_record("/d/a", "teapot")]) == 0
        assert {document.origin: document.id for document in await stores.library.list(_LIBRARY)} == before
        assert await _found(stores, "kettle") == ["/d/b"]
        assert await _found(stores, "teapot") == ["/d/a"]
        await stores.library.remove(_LIBRARY, before["/d/b"])
        await stores.library.put(_LIBRARY, [_record("/d/b", "kettle")])
        after = {document.origin: document.id for document in await stores.library.list(_LIBRARY)}
        assert after["/d/b"] not in before.values()


async def removing_keeps_out_until_it_is_put_again(case: StoreCase) -> None:
    """What is dropped is unknown afterwards; what was removed is known as removed. A root of its own leaves no mark."""
    async with case.opened() as stores:
        await stores.library.put(_LIBRARY, [_record("/d/a", "one"), _record("/d/b", "two"), _record("/c", "three", root="/c")])
        ids = {document.origin: document.id for document in await stores.library.list(_LIBRARY)}
        assert await stores.library.remove(_LIBRARY, ids["/d/a"])
        assert not await stores.library.remove(_LIBRARY, ids["/d/a"])
        assert not await stores.library.remove("other", ids["/d/b"])
        assert await stores.library.remove(_LIBRARY, ids["/c"])
        assert await stores.library.drop(_LIBRARY, ["/d/b", "/d/none"]) == 1
        marks = await stores.library.marks(_LIBRARY, ["/d/a", "/d/b", "/c", "/none"])
        assert marks == {"/d/a": DocumentMark(removed=True)}
        assert await stores.library.counts(_LIBRARY) == (0, 0)
        await stores.library.put(_LIBRARY, [_record("/d/a", "one")])
        assert await stores.library.marks(_LIBRARY, ["/d/a"]) == {"/d/a": DocumentMark((5, 3), "d", "/d")}


async def stamps_tell_what_changed(case: StoreCase) -> None:
    async with case.opened() as stores:
        await stores.library.put(_LIBRARY, [_record("/d/a", "one"), _record("/e/b", "two", root="/e")])
        await stores.library.restamp(_LIBRARY, {"/d/a": (9, 9), "/none": (1, 1)})
        assert await stores.library.stamps(_LIBRARY, "/d") == {"/d/a": (9, 9)}
        assert [source.root for source in await stores.library.sources(_LIBRARY)] == ["/d", "/e"]
        assert (await stores.library.marks(_LIBRARY, ["/d/a"]))["/d/a"].stamp == (9, 9)


async def sources_come_back_with_what_is_known_of_their_pages(case: StoreCase) -> None:
    """A source is its library's own; the root of a document is one; forgetting it leaves the documents."""
    async with two_handles(case) as (one, other):
        site = LibrarySource("https://x.test/", "site", 10, 3, 2, False, case.now, "note \udcff", 1, "why")
        await one.library.put_source(_LIBRARY, site)
        await one.library.put_source("other", msgspec.structs.replace(site, kind="page"))
        page = KnownPage("https://x.test/a", "https://x.test/b", 1, 2, "2026-01-01", '"e"', "Mon")
        await one.library.put_pages(_LIBRARY, site.root, [page, KnownPage("https://x.test/")])
        await one.library.put_pages(_LIBRARY, site.root, [msgspec.structs.replace(page, round=3)])
        assert await other.library.pages(_LIBRARY, site.root) == [
            KnownPage("https://x.test/"), msgspec.structs.replace(page, round=3)
        ]  # fmt: skip
        await one.library.put_repeated(_LIBRARY, site.root, [b"1", b"2", b"1"])
        assert await other.library.repeated(_LIBRARY, site.root) == {b"1", b"2"}
        await one.library.put(_LIBRARY, [_record("https://x.test/b", "tea", root=site.root), _record("/d/a", "tea")])
        folder, kept = await other.library.sources(_LIBRARY)
        assert (folder.root, folder.documents) == ("/d", 1)
        assert kept == msgspec.structs.replace(site, note="note ?", documents=1)
        assert await other.library.libraries() == {_LIBRARY: 2, "other": 0}
        await one.library.drop_source(_LIBRARY, site.root)
        assert [source.root for source in await other.library.sources(_LIBRARY)] == ["/d"]
        assert list(await other.library.pages(_LIBRARY, site.root)) == []
        assert await other.library.repeated(_LIBRARY, site.root) == frozenset()
        assert await other.library.counts(_LIBRARY) == (2, 2)


async def taking_out_what_is_all_of_its_source_takes_the_source_along(case: StoreCase) -> None:
    async with case.opened() as stores:
        for kind in ("page", "path", "site"):
            await stores.library.put_source(_LIBRARY, LibrarySource(f"/{kind}", kind))
            await stores.library.put(_LIBRARY, [_record(f"/{kind}", kind, root=f"/{kind}")])
        for document in await stores.library.list(_LIBRARY):
            assert await stores.library.remove(_LIBRARY, document.id)
        assert [source.root for source in await stores.library.sources(_LIBRARY)] == ["/site"]
        marks = await stores.library.marks(_LIBRARY, ["/page", "/path", "/site"])
        assert marks == {"/site": DocumentMark(removed=True)}


async def a_document_renamed_keeps_its_number(case: StoreCase) -> None:
    async with case.opened() as stores:
        await stores.library.put(_LIBRARY, [_record("/d/a", "one"), _record("/d/b", "two")])
        before = {document.origin: document.id for document in await stores.library.list(_LIBRARY)}
        assert await stores.library.rename(_LIBRARY, "/d/a", "/d/c")
        assert not await stores.library.rename(_LIBRARY, "/d/c", "/d/b")
        assert not await stores.library.rename(_LIBRARY, "/d/none", "/d/x")
        after = {document.origin: document.id for document in await stores.library.list(_LIBRARY)}
        assert after == {"/d/c": before["/d/a"], "/d/b": before["/d/b"]}


async def what_is_indexed_of_a_section_can_be_rewritten(case: StoreCase) -> None:
    """The document stays as it is; a section without a word is found no more, not even by its heading."""
    async with case.opened() as stores:
        await stores.library.put(_LIBRARY, [_record("/d/a", "cookies\nkettle 世界"), _record("/d/b", "cookies")])
        indexed = await stores.library.indexed(_LIBRARY, ["/d/a", "/d/b", "/none"])
        assert [(origin, [one.text for one in parts.values()]) for origin, parts in sorted(indexed.items())] == [
            ("/d/a", ["cookies\nkettle 世界"]), ("/d/b", ["cookies"])
        ]  # fmt: skip
        texts = {number: one.text for parts in indexed.values() for number, one in parts.items()}
        await stores.library.rewrite({number: text.replace("cookies", "") for number, text in texts.items()})
        assert await _found(stores, "cookies") == []
        assert await _found(stores, "part") == ["/d/a"]
        (hit,) = (await stores.library.query(_LIBRARY, [AskedWord("世界")], Wanted(5))).hits
        assert hit.text == "\nkettle 世界"
        found = await stores.library.by_origin(_LIBRARY, "/d/b")
        assert found is not None
        assert found[1] == "cookies"


async def libraries_do_not_see_each_other(case: StoreCase) -> None:
    async with case.opened() as stores:
        await stores.library.put("one", [_record("/d/a", "kettle")])
        await stores.library.put("two", [_record("/d/a", "kettle"), _record("/d/b", "kettle")])
        assert sorted(await _found(stores, "kettle", library="two")) == ["/d/a", "/d/b"]
        assert await stores.library.drop("two", ["/d/a", "/d/b"]) == 2
        assert await _found(stores, "kettle", library="one") == ["/d/a"]
        assert await _found(stores, "kettle", library="two") == []
        assert await stores.library.counts("one") == (1, 1)


async def one_text_under_two_paths_lives_as_long_as_either(case: StoreCase) -> None:
    async with case.opened() as stores:
        for origin in ("/d/a", "/d/b"):
            await stores.library.put(_LIBRARY, [_record(origin, "kettle", sections=1)])
        await stores.library.drop(_LIBRARY, ["/d/a"])
        found = await stores.library.by_origin(_LIBRARY, "/d/b")
        assert found is not None
        assert found[1] == "kettle"
        await stores.library.drop(_LIBRARY, ["/d/b"])
        assert await _found(stores, "kettle") == []
        await stores.library.put(_LIBRARY, [_record("/d/c", "kettle")])
        assert await _found(stores, "kettle") == ["/d/c"]


async def a_large_document_goes_while_others_come(case: StoreCase) -> None:
    """What is gone is found no more from the first moment, and the same text put meanwhile is there."""
    async with two_handles(case) as (one, other):
        large = _record("/d/large", "a kettle boils", sections=1_000)
        await one.library.put(_LIBRARY, [large])
        number = (await one.library.list(_LIBRARY))[0].id

        async def put() -> None:
            for at in range(10):
                await other.library.put(_LIBRARY, [_record(f"/d/{at}", f"teapot {at}")])
            await other.library.put(_LIBRARY, [_record("/d/copy", "a kettle boils", sections=1_000)])

        async def remove() -> None:
            assert await one.library.remove(_LIBRARY, number)

        await together(remove, put)
        assert sorted(await _origins(one)) == sorted([*(f"/d/{at}" for at in range(10)), "/d/copy"])
        assert set(await _found(one, "kettle")) == {"/d/copy"}
        assert await other.library.counts(_LIBRARY) == (11, 1_010)
        assert await one.library.drop(_LIBRARY, await _origins(one)) == 11
        assert await other.library.counts(_LIBRARY) == (0, 0)


async def a_batch_is_put_whole_or_not_at_all(case: StoreCase) -> None:
    """Of two that put at once both are there; one that holds what cannot be stored leaves nothing of it."""
    async with two_handles(case) as (one, other):

        async def put(stores: Stores, names: Sequence[str]) -> None:
            await stores.library.put(_LIBRARY, [_record(f"/d/{name}", f"kettle {name}") for name in names])

        await together(lambda: put(one, [f"a{n}" for n in range(50)]), lambda: put(other, [f"b{n}" for n in range(50)]))
        assert await one.library.counts(_LIBRARY) == (100, 100)
        unstorable = msgspec.structs.replace(_record("/d/x", "x"), stamp=(1 << 80, 1))
        with contextlib.suppress(StoreFault, OverflowError):
            await one.library.put(_LIBRARY, [_record("/d/fine", "fine"), unstorable])
        there = await _origins(other)
        assert ("/d/fine" in there) == ("/d/x" in there)


LIBRARY_CHECKS: tuple[StoreCheck, ...] = (
    documents_come_back_whole,
    putting_again_replaces_and_keeps_the_number,
    removing_keeps_out_until_it_is_put_again,
    stamps_tell_what_changed,
    sources_come_back_with_what_is_known_of_their_pages,
    taking_out_what_is_all_of_its_source_takes_the_source_along,
    a_document_renamed_keeps_its_number,
    what_is_indexed_of_a_section_can_be_rewritten,
    libraries_do_not_see_each_other,
    one_text_under_two_paths_lives_as_long_as_either,
    a_large_document_goes_while_others_come,
    a_batch_is_put_whole_or_not_at_all,
)
