"""The SQLite store keeps the contract of stores."""

from contextlib import asynccontextmanager

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


class SqliteCase:
    """A database in a folder of its own."""

    def __init__(self, path):
        self._path = path
        self.now = 1_000_000.0

    @asynccontextmanager
    async def opened(self):
        async with database(self._path) as opened:
            sessions = SqliteSessions(opened, self._clock, redactor=SecretRedactor(SecretTable()))
            evidence, library = SqliteEvidence(opened, self._clock), SqliteLibraryStore(opened, self._clock)
            yield Stores(sessions, evidence, library, SqliteRefs(opened, self._clock))

    def _clock(self):
        return self.now


@pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
async def test_the_sqlite_store_keeps_the_contract(check, tmp_path):
    await check(SqliteCase(tmp_path / "limen.db"))
