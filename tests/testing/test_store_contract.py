"""The contract of stores finds what is wrong with one."""

from contextlib import asynccontextmanager

import msgspec
import pytest
from store.sqlite.rig import database

from limen.evidence.redactor import SecretRedactor
from limen.kit.redact import SecretTable
from limen.store.sqlite.evidence import SqliteEvidence
from limen.store.sqlite.library import SqliteLibraryStore
from limen.store.sqlite.refs import SqliteRefs
from limen.store.sqlite.sessions import SqliteSessions
from limen.testing.store_contract import STORE_CHECKS, Stores

pytestmark = pytest.mark.anyio


class ForgetsOrder(SqliteSessions):
    async def blocks(self, key, **span):
        return list(reversed(await super().blocks(key, **span)))


class AppendsAnything(SqliteSessions):
    async def append(self, key, blocks):
        for block in blocks:
            await super().append(key, [block])


class ForksWhatRuns(SqliteSessions):
    async def fork(self, key, into, *, at_turn=None):
        await self._database.write(lambda connection: connection.execute("UPDATE sessions SET owner = NULL"))
        return await super().fork(key, into, at_turn=at_turn)


class ClaimsTwice(SqliteSessions):
    async def claim(self, key, owner, ttl_s):
        await super().claim(key, owner, ttl_s)
        return await self.get(key) is not None


class BeginsWithoutClaim(SqliteSessions):
    async def begin(self, key, owner, ttl_s):
        begun = await super().begin(key, owner, ttl_s)
        await self.release(key, owner)
        return begun


class EndsAnybodys(SqliteSessions):
    async def end(self, key, owner, turn, events):
        await self.record(key, turn, events)
        await self._database.write(lambda connection: connection.execute("UPDATE sessions SET owner = NULL"))


class KeepsDeleted(SqliteEvidence):
    async def purge(self, **rules):
        return 0


class ShowsAll(SqliteEvidence):
    async def show(self, evidence_id, start, end, *, session=None):
        return await super().show(evidence_id, 1, None, session=session)


class ShowsUpToTheEnd(SqliteEvidence):
    async def show(self, evidence_id, start, end, *, session=None):
        shown = await super().show(evidence_id, start, end, session=session)
        return shown and msgspec.structs.replace(shown, text=shown.text.rstrip("\r\n"))


class CountsFromNought(SqliteEvidence):
    async def search(self, pattern, **within):
        return [msgspec.structs.replace(match, line=match.line - 1) for match in await super().search(pattern, **within)]


class SeesTwoLines(SqliteEvidence):
    async def search(self, pattern, *, around=0, **within):
        return await super().search(pattern, around=around + 1, **within)


class FindsWhatIsIndexed(SqliteEvidence):
    """The texts of before the latest are looked up in an index that knows whole words only."""

    indexed = False

    async def index(self):
        self.indexed = True
        return 0

    async def find(self, phrase, **within):
        found = await super().find(phrase, **within)
        return [match for match in found if not self.indexed or phrase in match.text.split()]


class KeepsTheLast(SqliteEvidence):
    """Of what is kept at once, all get the same."""

    async def keep(self, text, **whence):
        kept = await super().keep(text, **whence)
        return msgspec.structs.replace(kept, id=(await self.list(limit=1))[0].id)


class ForgetsRemovals(SqliteLibraryStore):
    async def remove(self, library, document_id):
        found = await self.get(library, document_id)
        return found is not None and await self.drop(library, [found[0].origin]) == 1


class TellsEverybody(SqliteRefs):
    async def look_up(self, session, name):
        held_by = await self.holder(name)
        return None if held_by is None else await super().look_up(held_by, name)


class Case:
    """A database with one of its stores exchanged for a worse one."""

    def __init__(self, path, worse):
        self.now = 1_000_000.0
        self._path = path
        self._worse = worse

    @asynccontextmanager
    async def opened(self):
        async with database(self._path) as opened:
            stores = [
                self._made(SqliteSessions, opened, redactor=SecretRedactor(SecretTable())),
                self._made(SqliteEvidence, opened),
                self._made(SqliteLibraryStore, opened),
                self._made(SqliteRefs, opened),
            ]
            yield Stores(*stores)

    def _made(self, kind, opened, **parts):
        made = self._worse if issubclass(self._worse, kind) else kind
        return made(opened, lambda: self.now, **parts)


@pytest.mark.parametrize(
    ("worse", "check"),
    [
        (ForgetsOrder, "any_block_comes_back_as_it_was"),
        (AppendsAnything, "numbers_follow_one_another_or_nothing_is_kept"),
        (ForksWhatRuns, "a_running_turn_is_left_out_of_a_fork"),
        (ClaimsTwice, "of_many_who_claim_at_once_one_gets_it"),
        (BeginsWithoutClaim, "a_turn_begins_with_what_the_session_has"),
        (EndsAnybodys, "a_turn_ends_with_its_events_and_its_claim"),
        (KeepsDeleted, "purging_drops_the_old_then_the_oldest_until_it_fits"),
        (ShowsAll, "lines_are_those_of_the_original"),
        (ShowsUpToTheEnd, "any_range_of_a_long_text_is_that_of_the_original"),
        (CountsFromNought, "a_search_finds_lines_by_their_numbers_and_what_stands_around"),
        (SeesTwoLines, "a_search_finds_lines_by_their_numbers_and_what_stands_around"),
        (FindsWhatIsIndexed, "what_is_indexed_is_found_like_what_is_not"),
        (KeepsTheLast, "ten_who_keep_at_once_get_each_their_own"),
        (ForgetsRemovals, "removing_keeps_out_until_it_is_put_again"),
        (TellsEverybody, "a_handle_belongs_to_one_session"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
async def test_a_worse_store_fails(worse, check, tmp_path):
    (wanted,) = [one for one in STORE_CHECKS if one.__name__ == check]
    with pytest.raises(AssertionError):
        await wanted(Case(tmp_path / "limen.db", worse))
