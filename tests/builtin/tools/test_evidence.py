"""The three tools of evidence: exact lines under their numbers, and a plain no for what is not there."""

import msgspec
import pytest

from limen.agent.call import CallRequest, valid
from limen.builtin.tools.evidence import (
    EvidenceInspect,
    EvidenceSearch,
    EvidenceStatus,
    InspectArguments,
    SearchArguments,
    StatusArguments,
)
from limen.core.context import CallContext
from limen.core.fault import ToolFault
from limen.core.message import ToolCall
from limen.core.tool import ToolAnswer
from limen.core.untrusted import unfence
from limen.evidence.desk import StoredEvidence
from limen.store.sqlite.database import Database
from limen.store.sqlite.evidence import SqliteEvidence
from limen.store.sqlite.sessions import SqliteSessions

pytestmark = pytest.mark.anyio

LINES = [f"line {number}" for number in range(1, 1_001)]


@pytest.fixture
async def evidence(tmp_path):
    database = await Database.open(tmp_path / "limen.db")
    yield SqliteEvidence(database), StoredEvidence(SqliteEvidence(database), SqliteSessions(database))
    await database.close()


async def kept(store, text, session="s"):
    return (await store.keep(text, session=session, tool="terminal", source="make", media_type="text/plain")).id


async def ran(tool, desk, arguments, session="s"):
    answer = await tool(desk, lambda: "abcd").run(arguments, CallContext(session=session))
    return msgspec.json.decode(answer.parts[0].block.text)


async def test_lines_are_exact_and_say_where_to_go_on(evidence):
    store, desk = evidence
    one = await kept(store, "\n".join(LINES))
    body = await ran(EvidenceInspect, desk, InspectArguments(one, 500, 502))
    assert (body["start"], body["end"], body["total_lines"], body["next_line"]) == (500, 502, 1_000, 503)
    assert unfence(body["content"]) == "line 500\nline 501\nline 502"
    body = await ran(EvidenceInspect, desk, InspectArguments(one, 999, 5_000))
    assert (body["end"], body["next_line"]) == (1_000, None)


async def test_a_line_longer_than_the_room_is_read_to_its_end(evidence):
    store, desk = evidence
    text = "".join(chr(97 + number % 26) for number in range(40_000))
    one = await kept(store, f"first\n{text}\nlast")
    read, char = "", 1
    while True:
        body = await ran(EvidenceInspect, desk, InspectArguments(one, 2, 2, char))
        read += unfence(body["content"])
        if "next_char" not in body:
            break
        assert body["next_line"] == 2
        char = body["next_char"]
    assert (read, body["next_line"]) == (text, 3)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (InspectArguments("ev_000000000000"), "evidence.unknown"),
        (InspectArguments("", 5, 4), "evidence.range"),
        (InspectArguments("", 2_000), "evidence.range"),
        (InspectArguments("", 1, 1, 100), "evidence.range"),
    ],
)
async def test_what_is_not_there_is_said_with_a_mend(evidence, arguments, code):
    store, desk = evidence
    one = await kept(store, "\n".join(LINES))
    with pytest.raises(ToolFault) as raised:
        await ran(EvidenceInspect, desk, msgspec.structs.replace(arguments, id=arguments.id or one))
    assert raised.value.code == code
    assert raised.value.mend


async def test_a_search_finds_phrases_then_words_and_patterns(evidence):
    store, desk = evidence
    one = await kept(store, "ok\nDisk  FULL on sda\nok\nfull is the disk\nerr 42")
    body = await ran(EvidenceSearch, desk, SearchArguments("disk full"))
    (match,) = body["matches"]
    assert (match["id"], match["line"], body["more"]) == (one, 2, False)
    assert unfence(match["text"]) == "1: ok\n2: Disk  FULL on sda\n3: ok"
    body = await ran(EvidenceSearch, desk, SearchArguments("sda disk"))
    assert (body["matched"], [match["line"] for match in body["matches"]]) == ("words", [2])
    body = await ran(EvidenceSearch, desk, SearchArguments(r"^err \d+$", regex=True))
    assert [match["line"] for match in body["matches"]] == [5]
    body = await ran(EvidenceSearch, desk, SearchArguments("ok", max_results=1))
    assert (len(body["matches"]), body["more"]) == (1, True)
    with pytest.raises(ToolFault) as raised:
        await ran(EvidenceSearch, desk, SearchArguments("(a", regex=True))
    assert raised.value.code == "evidence.query"


async def test_of_a_long_line_the_place_of_the_match_is_shown(evidence):
    store, desk = evidence
    await kept(store, f"{'é' * 5_000}needle{'x' * 5_000}")
    (match,) = (await ran(EvidenceSearch, desk, SearchArguments("needle")))["matches"]
    assert (match["line"], match["char"]) == (1, 5_001)
    assert "needle" in match["text"]
    assert len(match["text"]) < 1_000


async def test_a_session_sees_its_own_and_what_it_names(evidence):
    store, desk = evidence
    foreign = await kept(store, "a secret plan", "other")
    assert (await ran(EvidenceSearch, desk, SearchArguments("plan")))["matches"] == []
    assert (await ran(EvidenceStatus, desk, StatusArguments()))["latest"] == []
    assert len((await ran(EvidenceSearch, desk, SearchArguments("plan", foreign)))["matches"]) == 1
    assert unfence((await ran(EvidenceInspect, desk, InspectArguments(foreign)))["content"]) == "a secret plan"
    with pytest.raises(ToolFault) as raised:
        await ran(EvidenceSearch, desk, SearchArguments("plan", "ev_000000000000"))
    assert raised.value.code == "evidence.unknown"


async def test_status_names_what_is_kept(evidence):
    store, desk = evidence
    one = await kept(store, "a\nb")
    body = await ran(EvidenceStatus, desk, StatusArguments())
    assert (body["session"]["records"], body["latest"][0]["id"], body["latest"][0]["lines"]) == (1, one, 2)


async def test_other_names_of_arguments_are_accepted(evidence):
    _, desk = evidence
    tool = EvidenceInspect(desk, lambda: "abcd")
    seen = []

    async def proceed(request):
        seen.append(request.arguments)
        return ToolAnswer()

    call = ToolCall("c", "evidence_inspect", '{"evidence_id": "ev_1", "start_line": 3, "endLine": 9}')
    await valid(CallRequest(call, CallContext(), tool), proceed)
    assert seen == [InspectArguments("ev_1", 3, 9)]
