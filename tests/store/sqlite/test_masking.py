"""What lists show of a conversation is masked; what was said stays as it was said."""

import pytest
from store.sqlite.rig import database, stored

from limen.evidence.redactor import SecretRedactor
from limen.kit.redact import SecretTable
from limen.store.sqlite.sessions import SqliteSessions

pytestmark = pytest.mark.anyio

KEY = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
async def sessions(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        store = SqliteSessions(opened, redactor=SecretRedactor(SecretTable()))
        await store.open("s")
        yield store


async def test_a_title_shows_no_credential_wherever_it_is_read(sessions):
    await sessions.rename("s", f"Why does {KEY} not work?")
    assert KEY not in (await sessions.get("s")).title
    assert KEY not in (await sessions.open("s")).title
    assert KEY not in (await sessions.list())[0].title
    assert KEY not in (await sessions.fork("s", "f")).title
    assert (await sessions.get("f")).title.startswith("Why does ⟦masked ")


@pytest.mark.parametrize("before", ["", "word " * 5_000], ids=["short", "long"])
async def test_a_hit_shows_no_credential_and_the_message_keeps_it(sessions, before):
    text = f"{before}my kettle token is {KEY} and more"
    await sessions.append("s", [stored(1, text)])
    (found,) = await sessions.search("kettle")
    assert "my kettle token is ⟦masked " in found.snippet
    (found,) = await sessions.search(KEY)
    assert KEY not in found.snippet
    assert KEY[4:20] not in found.snippet
    assert (await sessions.blocks("s"))[0].block.text == text


async def test_half_a_credential_at_the_edge_of_a_hit_is_none(sessions):
    for number in range(1, 60):
        await sessions.append("s", [stored(number, f"{KEY} {'x' * number} kettle {'y' * number} {KEY}")])
    for found in await sessions.search("kettle", limit=60):
        assert KEY[6:14] not in found.snippet, found.n
