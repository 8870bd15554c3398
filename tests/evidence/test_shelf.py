"""The shelf masks and counts what it keeps, and says what it does not hold."""

import pytest
from store.sqlite.rig import database

from limen.core.fault import ToolFault
from limen.core.ports import Redaction
from limen.evidence.shelf import EvidenceShelf
from limen.store.sqlite.evidence import SqliteEvidence

pytestmark = pytest.mark.anyio


class Hide:
    """Masks one word."""

    def redact(self, text):
        return Redaction(text.replace("hunter2", "***"), text.count("hunter2"))


class Raise:
    def redact(self, text):
        raise ValueError("no")


def words(text):
    return len(text.split())


@pytest.fixture
async def store(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        yield SqliteEvidence(opened)


async def test_a_text_is_masked_and_then_counted(store):
    shelf = EvidenceShelf(store, Hide(), words)
    kept = await shelf.keep("the password is hunter2", session="s", tool="t", source="src")
    assert kept.tokens == 4
    assert (await shelf.show(kept.id)).text == "the password is ***"
    assert kept.stored_bytes > 0
    assert (await store.account()).tokens == 4


async def test_without_a_counter_nobody_has_counted_until_someone_does(store):
    kept = await EvidenceShelf(store, Hide()).keep("one two", session="s", tool="t")
    assert kept.tokens is None
    assert (await EvidenceShelf(store, Hide(), words).keep("one two", session="s", tool="t")).tokens == 2
    assert (await EvidenceShelf(store, Hide()).keep("one two", session="t", tool="t")).tokens == 2


async def test_what_cannot_be_masked_is_not_kept(store):
    with pytest.raises(ValueError, match="no"):
        await EvidenceShelf(store, Raise()).keep("hunter2", session="s", tool="t")
    assert (await store.account()).records == 0


async def test_an_unknown_id_says_so(store):
    shelf = EvidenceShelf(store, Hide())
    for call in (shelf.show("ev_none"), shelf.find("x", evidence_id="ev_none")):
        with pytest.raises(ToolFault, match=r"evidence\.unknown"):
            await call
    kept = await shelf.keep("a\nbee\nc", session="s", tool="t")
    assert [match.line for match in await shelf.find("bee", evidence_id=kept.id)] == [2]
