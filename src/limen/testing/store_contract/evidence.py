"""What every evidence store must do: a text comes back to the letter, by line and by phrase, for as long as someone holds it."""

import random
from functools import partial

from limen.kit.line_search import phrase_pattern, regex_pattern, words_pattern
from limen.testing.store_contract.case import HARD_TEXTS, StoreCase, StoreCheck, keep, together, two_handles

_HUGE_CHARS = 20_000_000
_DIGITS = 12
# Longer than what a store may read at once: lines of all lengths, some of them longer than such a piece.
_LONG_LINES = ("short\r", "", "a\0b", "half \ud800 é", "x" * 300_000 + "needle" + "y" * 300_000, "é" * 70_000)


def _noise(seed: int, size: int) -> str:
    """Text that does not shrink to less than half."""
    return random.Random(seed).randbytes(size).hex()  # noqa: S311 - noise, not a secret


async def any_text_comes_back_whole(case: StoreCase) -> None:
    """Texts that shrink and texts that do not, lines without end, the empty one."""
    noise = _noise(1, 100_000)
    async with two_handles(case) as (one, other):
        for text in (*HARD_TEXTS, noise, "x" * _HUGE_CHARS, "a line\n" * 100_000):
            kept = await one.evidence.keep(text, session="s", tool="t", source="src", media_type="text/plain")
            assert (kept.chars, kept.lines) == (len(text), text.count("\n") + 1)
            excerpt = await other.evidence.show(kept.id, 1, None)
            assert excerpt is not None
            assert excerpt.text == text
            assert excerpt.total_lines == kept.lines


async def a_text_in_pieces_is_the_text(case: StoreCase) -> None:
    """Whether it shrinks or not, and whatever it is cut into; it has the id that it has in one."""
    async with case.opened() as stores:
        for text in ("", "half \ud800 é\n" * 5, _noise(2, 3_000_000), "a line\n" * 300_000):
            pieces = [text[start : start + 70_001] for start in range(0, len(text), 70_001)]
            kept = await stores.evidence.keep_pieces(
                partial(iter, pieces), session="s", tool="t", source="", media_type="text/plain"
            )
            assert (kept.chars, kept.lines, kept.tokens) == (len(text), text.count("\n") + 1, None)
            excerpt = await stores.evidence.show(kept.id, 1, None)
            assert excerpt is not None
            assert excerpt.text == text
            assert await keep(stores, text) == kept.id


async def the_same_text_is_stored_once(case: StoreCase) -> None:
    """Its id comes from what it says; each session that keeps it holds it, and the latest keeping counts."""
    async with two_handles(case) as (one, other):
        first = await one.evidence.keep("same", session="s", tool="t", source="a", media_type="text/plain", tokens=1)
        case.now += 10
        again = await other.evidence.keep("same", session="s", tool="t", source="b", media_type="text/plain")
        elsewhere = await other.evidence.keep("same", session="z", tool="u", source="c", media_type="text/plain")
        assert first.id == again.id == elsewhere.id
        assert first.id.startswith("ev_")
        assert len(first.id) == len("ev_") + _DIGITS
        assert (again.created_at, again.tokens, again.stored_bytes) == (case.now, 1, first.stored_bytes)
        assert [(kept.session, kept.created_at) for kept in await one.evidence.list(session="s")] == [("s", case.now)]
        assert len(await one.evidence.list()) == 2
        whole, part = await one.evidence.account(), await one.evidence.account(session="s")
        assert (whole.records, whole.chars, whole.tokens, whole.store_bytes) == (1, 4, 1, first.stored_bytes)
        assert (part.records, part.oldest) == (1, case.now)
        assert (await one.evidence.account(session="none")).records == 0
        for session, seen in (("s", True), ("z", True), ("none", False), (None, True)):
            assert (await other.evidence.show(first.id, 1, None, session=session) is not None) is seen


async def many_who_keep_the_same_at_once_keep_it_once(case: StoreCase) -> None:
    async with two_handles(case) as (one, other):
        await together(*[lambda n=n: keep((one, other)[n % 2], f"text {n % 3}", f"s{n % 2}") for n in range(24)])
        assert (await one.evidence.account()).records == 3
        assert len(await one.evidence.list()) == 6


async def lines_are_those_of_the_original(case: StoreCase) -> None:
    async with case.opened() as stores:
        kept = await keep(stores, "\n".join(f"line {number}" for number in range(1, 100_001)))
        for start, end, first, last in ((99_999, 200_000, 99_999, 100_000), (0, 1, 1, 1), (50_000, 50_001, 50_000, 50_001)):
            excerpt = await stores.evidence.show(kept, start, end)
            assert excerpt is not None
            assert (excerpt.start, excerpt.end, excerpt.total_lines) == (first, last, 100_000)
            assert excerpt.text == "\n".join(f"line {number}" for number in range(first, last + 1))
        beyond = await stores.evidence.show(kept, 100_001, None)
        assert beyond is not None
        assert beyond.text == ""
        for unknown in ("ev_none", "", "\0", "ev_%"):
            assert await stores.evidence.show(unknown, 1, None) is None
            assert await stores.evidence.get(unknown) is None


async def a_phrase_is_found_whatever_its_case_and_spacing(case: StoreCase) -> None:
    async with case.opened() as stores:
        kept = await keep(stores, "first\nThe  Kettle BOILS, Straße\nlast")
        case.now += 1
        later = await keep(stores, "a kettle boils later", "z")
        (match,) = await stores.evidence.find("kettle boils", evidence_id=None, session="s", limit=5)
        assert (match.id, match.line, match.text) == (kept, 2, "The  Kettle BOILS, Straße")
        found = await stores.evidence.find("KETTLE  boils", evidence_id=None, session=None, limit=5)
        assert [match.id for match in found] == [later, kept]
        assert len(await stores.evidence.find("kettle", evidence_id=None, session=None, limit=1)) == 1
        assert [match.line for match in await stores.evidence.find("STRASSE", evidence_id=kept, session=None, limit=5)] == [2]
        for evidence_id, session, phrase in ((None, "other", "kettle"), ("ev_none", None, "kettle"), (kept, None, "  ")):
            assert list(await stores.evidence.find(phrase, evidence_id=evidence_id, session=session, limit=5)) == []


def _long(final: str) -> str:
    chance = random.Random(final)  # noqa: S311 - made up, not a secret
    lines = [
        chance.choice(_LONG_LINES) if number % 900 == 0 else f"{number} " + "w" * chance.randrange(300) for number in range(4_000)
    ]
    return "\n".join((*lines, *_LONG_LINES, final))


async def any_range_of_a_long_text_is_that_of_the_original(case: StoreCase) -> None:
    """Wherever it begins and ends, also behind lines without end; with a last line, an empty one, or one that has no end."""
    async with case.opened() as stores:
        for final in ("", "last", "\r", "\0", "z" * 1_000_000):
            text = _long(final)
            lines = text.split("\n")
            kept = await keep(stores, text)
            chance = random.Random(kept)  # noqa: S311 - made up, not a secret
            starts = [1, len(lines), *(chance.randrange(1, len(lines) + 1) for _ in range(40))]
            for start in starts:
                end = start + chance.choice((0, 1, 2, 500, 5_000))
                excerpt = await stores.evidence.show(kept, start, end)
                assert excerpt is not None
                assert excerpt.text == "\n".join(lines[start - 1 : end])
                assert (excerpt.end, excerpt.total_lines) == (min(end, len(lines)), len(lines))


async def a_search_finds_lines_by_their_numbers_and_what_stands_around(case: StoreCase) -> None:
    """Of all texts or of one, in their order, as many as are wanted; a pattern sees one line at a time."""
    async with case.opened() as stores:
        text = _long("the last Kettle")
        lines = text.split("\n")
        kept = await keep(stores, text)
        case.now += 1
        later = await keep(stores, "kettle\n\nneedle", "z")
        search = partial(stores.evidence.search, evidence_id=kept, session=None, limit=10_000)
        for pattern in (
            phrase_pattern("NEEDLE"),
            regex_pattern(r"^[0-9]*77 w*$"),
            regex_pattern("^$"),
            words_pattern("kettle last"),
        ):
            found = await search(pattern, around=1)
            expected = [line.number for line in pattern.lines(text.encode("utf-8", "surrogatepass"))]
            assert [match.line for match in found] == expected
            assert found, "a query that should find something"
            for match in found:
                assert match.text == lines[match.line - 1]
                assert match.before == tuple(lines[max(match.line - 2, 0) : match.line - 1])
                assert match.after == tuple(lines[match.line : match.line + 1])
        everywhere = await stores.evidence.search(phrase_pattern("kettle"), evidence_id=None, session=None, limit=9)
        assert [(match.id, match.line) for match in everywhere] == [(later, 1), (kept, len(lines))]
        assert [
            match.id for match in await stores.evidence.search(phrase_pattern("kettle"), evidence_id=None, session="s", limit=9)
        ] == [kept]
        assert len(await search(regex_pattern("w"), around=0)) > 2
        assert [
            match.line for match in await stores.evidence.search(regex_pattern("."), evidence_id=later, session=None, limit=1)
        ] == [1]


async def what_is_indexed_is_found_like_what_is_not(case: StoreCase) -> None:
    """Also what another keeps in between, what stands inside of words, and what is gone."""
    queries = ("needle", "eedl", "12 w", "77", "STRASSE", "k", "w w", "nowhere", "a b")
    async with two_handles(case) as (one, other):
        first = await keep(one, _long("Straße \u212a"))
        before = {query: await one.evidence.find(query, evidence_id=None, session=None, limit=10_000) for query in queries}
        assert before["STRASSE"], "a query that should find something"
        assert await one.evidence.index() >= 0
        for query in queries:
            for stores in (one, other):
                found = await stores.evidence.find(query, evidence_id=first, session=None, limit=10_000)
                assert list(found) == list(before[query]), query
        case.now += 1
        second = await keep(other, "a needle more")
        for _ in range(2):
            assert (await one.evidence.find("needle", evidence_id=None, session=None, limit=1))[0].id == second
            await other.evidence.index()
        case.now += 1
        await one.evidence.purge(older_than_s=1, keep_bytes=1_000_000)
        assert [match.id for match in await one.evidence.find("needle", evidence_id=None, session=None, limit=99)] == [second]


async def ten_who_keep_at_once_get_each_their_own(case: StoreCase) -> None:
    """Fifty outputs: each id gives the text that it was given for."""
    async with case.opened() as one, case.opened() as two, case.opened() as three:
        kept: dict[str, str] = {}

        async def run(number: int) -> None:
            stores = (one, two, three)[number % 3]
            for turn in range(5):
                text = f"output {turn} of {number}\n" + _noise(number * 10 + turn, 20_000)
                kept[await keep(stores, text, f"s{number}")] = text
                await stores.evidence.index()

        await together(*[partial(run, number) for number in range(10)])
        assert len(kept) == 50
        for evidence_id, text in kept.items():
            excerpt = await two.evidence.show(evidence_id, 1, None)
            assert excerpt is not None
            assert excerpt.text == text


async def where_a_text_came_from_need_not_be_text(case: StoreCase) -> None:
    async with case.opened() as stores:
        kept = await stores.evidence.keep("x", session="s", tool="t", source="/a/\udcff", media_type="text/plain")
        assert kept.source == "/a/?"
        assert await stores.evidence.get(kept.id) == kept


async def the_latest_are_listed_first(case: StoreCase) -> None:
    async with case.opened() as stores:
        ids = []
        for number in range(4):
            ids.append(await keep(stores, f"{number}"))
            case.now += 1
        assert [kept.id for kept in await stores.evidence.list()] == ids[::-1]
        assert [kept.id for kept in await stores.evidence.list(limit=2)] == ids[:1:-1]
        await keep(stores, "0")
        assert (await stores.evidence.list())[0].id == ids[0]
        assert (await stores.evidence.account()).oldest == case.now - 3


async def purging_drops_the_old_then_the_oldest_until_it_fits(case: StoreCase) -> None:
    async with case.opened() as stores:
        sizes = []
        for number in range(5):
            await keep(stores, _noise(number, 100))
            sizes.append((await stores.evidence.list())[0].stored_bytes)
            case.now += 100
        kept = [one.id for one in await stores.evidence.list()]
        assert await stores.evidence.purge(older_than_s=450, keep_bytes=1_000_000) == 1
        assert await stores.evidence.purge(older_than_s=1e9, keep_bytes=sizes[4] + sizes[3]) == 2
        assert [one.id for one in await stores.evidence.list()] == kept[:2]
        assert await stores.evidence.purge(older_than_s=-1, keep_bytes=1_000_000) == 2
        assert await stores.evidence.show(kept[0], 1, None) is None
        assert (await stores.evidence.account()).store_bytes == 0


async def a_text_is_as_young_as_its_youngest_keeping(case: StoreCase) -> None:
    async with case.opened() as stores:
        shared = await keep(stores, "shared", "old")
        case.now += 100
        await keep(stores, "shared", "new")
        assert await stores.evidence.purge(older_than_s=50, keep_bytes=1_000) == 0
        assert [kept.session for kept in await stores.evidence.list()] == ["new"]
        assert await stores.evidence.show(shared, 1, None) is not None


async def retention_runs_once_for_all_who_ask(case: StoreCase) -> None:
    """Within its time one gets to do it; what was kept a moment ago stays, whatever its size."""
    async with two_handles(case) as (one, other):
        await keep(one, "old")
        case.now += 1_000
        await keep(one, "new")
        answers: list[int | None] = []

        async def retain(number: int) -> None:
            stores = (one, other)[number % 2]
            answers.append(await stores.evidence.retain(older_than_s=500, keep_bytes=0, every_s=100, spare_s=10))

        await together(*[lambda n=n: retain(n) for n in range(6)])
        assert sorted(answers, key=str) == [1, *[None] * 5]
        case.now += 99
        assert await other.evidence.retain(older_than_s=500, keep_bytes=0, every_s=100, spare_s=10) is None
        case.now += 1
        assert await other.evidence.retain(older_than_s=500, keep_bytes=0, every_s=100, spare_s=10) == 1


EVIDENCE_CHECKS: tuple[StoreCheck, ...] = (
    any_text_comes_back_whole,
    a_text_in_pieces_is_the_text,
    the_same_text_is_stored_once,
    many_who_keep_the_same_at_once_keep_it_once,
    lines_are_those_of_the_original,
    a_phrase_is_found_whatever_its_case_and_spacing,
    any_range_of_a_long_text_is_that_of_the_original,
    a_search_finds_lines_by_their_numbers_and_what_stands_around,
    what_is_indexed_is_found_like_what_is_not,
    ten_who_keep_at_once_get_each_their_own,
    where_a_text_came_from_need_not_be_text,
    the_latest_are_listed_first,
    purging_drops_the_old_then_the_oldest_until_it_fits,
    a_text_is_as_young_as_its_youngest_keeping,
    retention_runs_once_for_all_who_ask,
)
