"""What every session store must find when what was said is searched: words, whatever else a person types."""

from limen.testing.store_contract.case import HARD_TEXTS, StoreCase, StoreCheck, fault_of, stored, texts_of, two_handles

_TYPED = ('"', "a OR (", "NEAR(x", "*", "-x", "col:umn", "%_", "", "   ", "\\", "'; --", *HARD_TEXTS)
# A made-up key of a known format, in two parts so that nothing takes it for a real one.
_KEY = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


async def whatever_is_typed_is_words(case: StoreCase) -> None:
    async with case.opened() as stores:
        await stores.sessions.open("s")
        await stores.sessions.append("s", [stored(1, "plain words here")])
        for words in _TYPED:
            await stores.sessions.search(words)
            await stores.evidence.find(words, evidence_id=None, session=None, limit=5)
        assert await stores.sessions.search("zebra " * 100_000) == []
        assert [found.n for found in await stores.sessions.search("plain) AND (words")] == []
        assert [found.n for found in await stores.sessions.search("(plain) words*")] == [1]


async def what_was_said_is_found_with_the_words_around_it(case: StoreCase) -> None:
    async with two_handles(case) as (one, other):
        await one.sessions.open("s")
        await one.sessions.append("s", [stored(1, "x " * 200 + "the Kettle boils" + " y" * 200), stored(2, "nothing")])
        await one.sessions.rename("s", "Tea")
        (found,) = await other.sessions.search("kettle BOILS")
        assert (found.session, found.title, found.n, found.role, found.at) == ("s", "Tea", 1, "user", case.now)
        assert "the Kettle boils" in found.snippet
        assert len(found.snippet) < 400


async def words_are_found_by_their_beginning_and_in_any_script(case: StoreCase) -> None:
    """Every word asked must be there; a word of fewer than three letters only whole."""
    async with case.opened() as stores:
        await stores.sessions.open("s")
        texts = ["canceling tasks", "cancel a meeting", "今天天气很好我们去公园", "Äpfel und Birnen"]
        await stores.sessions.append("s", [stored(number, text) for number, text in enumerate(texts, 1)])
        for words, numbers in {
            "cancel": [1, 2],
            "cancel task": [1],
            "天气": [3],
            "apfel": [4],
            "ÄPFEL": [4],
            "ca": [],
            "a": [2],
            "cancel zebra": [],
        }.items():
            assert sorted(found.n for found in await stores.sessions.search(words)) == numbers, words
        assert len(await stores.sessions.search("cancel", limit=1)) == 1


async def prompts_are_not_found(case: StoreCase) -> None:
    """They are the same in every session and were said by nobody."""
    async with case.opened() as stores:
        await stores.sessions.open("s")
        await stores.sessions.append("s", [stored(1, "kettle", place="stable", message=-1), stored(2, "a kettle", message=0)])
        assert [found.n for found in await stores.sessions.search("kettle")] == [2]


async def undecodable_words_stay_in_blocks_and_are_marked_in_lists(case: StoreCase) -> None:
    """A key that is no text is refused; in a title or an address it becomes question marks."""
    async with case.opened() as stores:
        sessions = stores.sessions
        await sessions.open("s")
        await sessions.append("s", [stored(1, "kettle \udcff"), stored(2, "\ud83d\ude00 pair")])
        await sessions.rename("s", "a\udcff")
        await sessions.note_source("s", "https://a/\udcff", "t\udcff", ref="\udcff", read=True)
        assert texts_of(await sessions.blocks("s")) == ["kettle \udcff", "\ud83d\ude00 pair"]
        assert [found.title for found in await sessions.search("kettle\udcff")] == ["a?"]
        assert [source.url for source in await sessions.sources("s")] == ["https://a/?"]
        assert await fault_of(sessions.get("\udcff")) == "store.text"
        assert await fault_of(sessions.open("\udcff")) == "store.text"


async def lists_show_no_credential(case: StoreCase) -> None:
    """A message keeps it, since the model is asked with it again; a title and a snippet are masked."""
    async with case.opened() as stores:
        sessions = stores.sessions
        await sessions.open("s")
        await sessions.append("s", [stored(1, f"my kettle's token is {_KEY}, is it not?")])
        await sessions.rename("s", f"token {_KEY}")
        (found,) = await sessions.search("kettle")
        (session,) = await sessions.list()
        assert "token" in found.snippet
        for shown in (found.snippet, found.title, session.title, (await sessions.fork("s", "f")).title):
            assert _KEY not in shown
        assert _KEY in texts_of(await sessions.blocks("f"))[0]


SEARCH_CHECKS: tuple[StoreCheck, ...] = (
    whatever_is_typed_is_words,
    what_was_said_is_found_with_the_words_around_it,
    words_are_found_by_their_beginning_and_in_any_script,
    prompts_are_not_found,
    undecodable_words_stay_in_blocks_and_are_marked_in_lists,
    lists_show_no_credential,
)
