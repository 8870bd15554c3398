"""Rows about credentials: what may leave in an address or a query, and what is masked on the way in."""

import base64

import anyio
import pytest
from cases.stage import Gated, wired
from cases.table import case

from limen.agent.call import Redact
from limen.core.ledger import Origin, Trust
from limen.core.message import Text
from limen.core.tool import Part, ToolAnswer
from limen.evidence.redactor import SecretRedactor
from limen.kit.redact import SecretTable, mask
from limen.testing.model_server import model_server
from limen.testing.network import reply, serve
from limen.testing.scripted_model import call, say, use
from limen.testing.vendor_stage import json_reply

pytestmark = pytest.mark.anyio
TABLE = SecretTable()
# Made up, and written apart so that no file holds a whole one.
ANTHROPIC = "sk-ant-" + "api03-" + "Zq8vT1mXw3Lr7Kd0Ns5Yb2Hc9Jf4Gp6Ua1Ei8Ro3Mt" * 2 + "AA"
SECRETS = (
    "sk-" + "proj-" + "a8Fk2Lq9Zx4Wn7Tb1Vc6Ym3Rd5Hs0Jp",
    "ghp_" + "x7Kd02mQv9Lr4Tz8Wn1Bc6Yp3Hs5Jf0Gu2Ae",
    "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "AKIA" + "Q3EGRTW7YPLMN4ZK",
)
PASSWORD = "s3Cr3t" + "Pw9x"


@case("SEC-001")
async def test_a_credential_named_parameter_reaches_nobody(row, tmp_path):
    gated = Gated(tmp_path)
    answer = await gated.extract("https://x.example/p?token=abc123")
    assert answer["error"]["code"] == "secrets.parameter"
    assert gated.provider.asked == []


@case("SEC-003")
async def test_a_credential_in_the_fragment_reaches_nobody(row, tmp_path):
    gated = Gated(tmp_path)
    assert (await gated.extract("https://x.example/cb#access_token=abc123"))["error"]["gate"] == "secrets"
    assert gated.provider.asked == []


@case("SEC-004")
async def test_a_query_with_a_key_in_it_goes_to_no_vendor_and_one_that_is_no_text_breaks_nothing(row, home):
    async with serve({"*": json_reply('{"results": []}')}) as vendor:
        flags = {"web__search_backend": "searxng", "web__searxng__api_url": vendor.url("")}
        async with wired(home, **flags) as program:
            answer = await program.search(f"why does {ANTHROPIC} fail")
            asked = use(call("web_search", query=123), call("web_search", "call_2", query={"q": "x"}))
            async with model_server(asked, say("Done.")) as model:
                async with program.runtime.agent.turn("Search.", model=f"{model.url}#m") as turn:
                    async for _ in turn:
                        pass
                results = [message for message in model.chats[-1].json["messages"] if message["role"] == "tool"]
        assert vendor.received == []
    assert answer["error"]["code"] == "secrets.value"
    assert ANTHROPIC not in str(answer)
    assert turn.outcome.end.reason == "answered"
    assert all("query" in str(message) for message in results)


@case("SEC-005")
async def test_everyday_parameter_names_pass(row, tmp_path):
    (entry,) = (await Gated(tmp_path).extract("https://x.example/?code=42&key=a&auth=1&sort=session&sig=2"))["results"]
    assert entry["content"] == "the page"


@case("SEC-006")
async def test_a_refused_call_names_the_address_and_the_parameter_and_never_the_value(row, tmp_path):
    urls = ["https://x.example/1", "https://x.example/2?password=hunter2", "https://x.example/3"]
    gated = Gated(tmp_path)
    error = (await gated.extract(*urls))["error"]
    assert (error["index"], error["parameter"]) == (2, "password")
    assert "Address 2 of 3" in error["reason"]
    assert "The others can be read" in error["mend"]
    assert "hunter2" not in str(error)
    assert gated.provider.asked == []


@case("SEC-008")
def test_a_placeholder_stays_and_a_real_bearer_goes(row):
    line = "Authorization: Bearer ${MCP_SERVER_KEY}"
    assert mask(line, TABLE) == (line, 0)
    masked = mask(line.replace("${MCP_SERVER_KEY}", "9fK2xQ7vLm4Tz8Wn" + "1Bc6Yp3Hs5"), TABLE)
    assert masked.masked == 1
    assert "9fK2xQ7v" not in masked.text


@case("SEC-009")
def test_references_of_templates_stay(row):
    text = "key: ${{ secrets.DEPLOY_TOKEN }} and $GITHUB_TOKEN"
    assert mask(text, TABLE) == (text, 0)


@case("SEC-010")
def test_a_name_alone_makes_no_secret_of_a_plain_value(row):
    text = 'IDENTITY_TOKEN="bailu" ; per_layer_token_embd.weight=CPU'
    assert mask(text, TABLE) == (text, 0)


@case("SEC-012")
async def test_the_same_text_is_masked_on_every_way_in(row, home, tmp_path, monkeypatch):
    text = "\n".join(["settings", *SECRETS, f"postgres://u:{PASSWORD}@h/db", "the end"])
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "notes.txt").write_text(text)
    monkeypatch.chdir(tmp_path / "work")
    async with serve({"/notes.txt": reply(text, headers={"content-type": "text/plain"})}) as server:
        ways = [
            call("read_file", "call_1", path="notes.txt"),
            call("find", "call_2", ref="notes.txt", pattern="a"),
            call("web_extract", "call_3", urls=[server.url("/notes.txt")]),
        ]
        async with model_server(use(*ways), say("Done.")) as model, wired(home, server) as program:
            async with program.runtime.agent.turn("Read.", model=f"{model.url}#m") as turn:
                async for _ in turn:
                    pass
            results = [str(message["content"]) for message in model.chats[-1].json["messages"] if message["role"] == "tool"]
    assert len(results) == 3
    for result in results:
        assert "masked" in result
        for secret in (*SECRETS, PASSWORD):
            assert secret not in result


@case("SEC-014")
async def test_what_was_masked_is_never_written_back(row, home):
    async with model_server(say("Done.")) as model, wired(home) as program:
        async with program.runtime.agent.turn("Hi", model=f"{model.url}#m") as turn:
            async for _ in turn:
                pass
        offered = {tool["function"]["name"] for tool in model.chats[0].json["tools"]}
    assert any("write" in name for name in offered), "there is no tool that writes files"


@case("SEC-015")
async def test_megabytes_of_nothing_but_letters_are_looked_through_beside_other_work(row):
    ticks = 0
    redact = Redact(SecretRedactor(TABLE))
    for text in (base64.b64encode(bytes(range(256)) * 15_000).decode()[:5_000_000], "A_" * 2_500_000):
        done = anyio.Event()

        async def look_through(text=text, done=done):
            answer = await redact(ToolAnswer((Part(Text(text), Origin("tool", "t", Trust.TOOL)),)))
            assert len(answer.parts[0].block.text) == len(text)
            done.set()

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(look_through)
                while not done.is_set():
                    ticks += 1
                    await anyio.sleep(0.001)
    assert ticks > 2


@case("SEC-018")
def test_a_documented_example_key_costs_at_most_itself(row):
    example = "AKIA" + "IOSFODNN7EXAMPLE"
    lines = ["tests/test_s3.py::test_upload PASSED", f"key = {example}", "==== 1 failed, 41 passed in 3.2s ====", "exit code: 1"]
    masked = mask("\n".join(lines), TABLE).text.split("\n")
    assert [masked[0], *masked[2:]] == [lines[0], *lines[2:]]
    assert masked[1].startswith("key = ")
