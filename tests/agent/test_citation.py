"""Quotations of answers, checked against what was read: this turn, earlier in the session, cut or whole, by every tool."""

import anyio
import msgspec
import pytest
from agent.rig import ROUTE, Echo, open_agent, play
from web.browse.rig import A as SITE
from web.browse.rig import browsing
from web.tools.tooling import HOST, tool

from limen.builtin.tools.find import Find
from limen.builtin.tools.read_file import ReadFile
from limen.core.browse import BrowseSettings
from limen.core.ledger import Trust
from limen.core.ports import Opened
from limen.testing.scripted_model import ScriptedModel, Stall, call, say, use
from limen.web.tools.browse import WebFind, WebOpen

pytestmark = pytest.mark.anyio

ROOMY = msgspec.structs.replace(ROUTE, window_tokens=1_000_000)
URL, OTHER = f"{HOST}/kettles", f"{HOST}/pots"
LINES = "\n".join(f"On line {number} the kettle number {number} is boiled for {number} minutes." for number in range(1, 2_001))
PAGES = {
    URL: "# Kettles\n\nThe **large kettle** holds [12.5 litres](https://x.example/) and\nboils in 7 minutes.\n",
    OTHER: "# Pots\n\nA pot has two handles, and a lid of its own.\n",
    f"{HOST}/long": LINES,
}
TRUE = "the large kettle holds 12.5 litres and boils"
FORGED = "the large kettle holds 13.5 litres and boils"


def quoted(outcome):
    return [(source.n, quote.text, quote.line) for source in outcome.sources for quote in source.quotes]


async def asked(tmp_path, *steps, tools=None, session="s", text="What of kettles?"):
    tools = [tool(tmp_path, PAGES)[0], Echo()] if tools is None else tools
    async with open_agent(tmp_path, ScriptedModel(list(steps)), *tools, route=ROOMY) as (agent, _, _):
        return (await play(agent, text, session=session))[1]


def read(*urls):
    return use(call("web_extract", urls=list(urls)))


async def test_what_stands_in_a_page_is_cited_with_its_line_and_what_does_not_is_named(tmp_path):
    outcome = await asked(tmp_path, read(URL, OTHER), say(f"It says “{TRUE}” [2], and “{FORGED}”.\n\n> A pot has two handles"))
    assert quoted(outcome) == [(1, TRUE, 3), (2, "A pot has two handles", 3)]
    assert [(source.n, source.cited) for source in outcome.sources] == [(1, False), (2, True)]
    assert outcome.unverified == (FORGED,)


async def test_a_block_of_two_places_is_checked_by_its_paragraphs(tmp_path):
    answer = f"> boils in 7 minutes, and so on\n\nor\n> A pot has two handles\n>\n> {FORGED}"
    outcome = await asked(tmp_path, read(URL, OTHER), say(answer))
    assert quoted(outcome) == [(2, "A pot has two handles", 3)]
    assert outcome.unverified == ("boils in 7 minutes, and so on", FORGED)


async def test_an_answer_without_quotations_has_nothing_to_be_checked(tmp_path):
    outcome = await asked(tmp_path, read(URL), say('It is "large", see [1].'))
    assert (quoted(outcome), outcome.unverified) == ([], ())


async def test_words_of_the_question_and_of_local_tools_are_not_forged(tmp_path):
    output = 'it printed "three green bottles\non the wall" and no more'
    answer = (
        "You wrote “how many kettles are there in all”; it printed “three green bottles on the wall”; “nobody said this anywhere”"
    )
    outcome = await asked(
        tmp_path, use(call("echo", text=output)), say(answer), text="Tell me how many kettles are there in all."
    )
    assert outcome.unverified == ("nobody said this anywhere",)
    assert outcome.sources == ()


async def test_a_model_cannot_vouch_for_itself(tmp_path):
    first = await asked(tmp_path, say(f"It says “{FORGED}”"))
    again = await asked(tmp_path, say(f"As I said: “{FORGED}”"))
    assert first.unverified == again.unverified == (FORGED,)


async def test_a_page_read_earlier_in_the_session_still_counts(tmp_path):
    await asked(tmp_path, read(OTHER, URL), say("I have read it."))
    outcome = await asked(tmp_path, say(f"Earlier: “{TRUE}” [2] and “{FORGED}”"))
    assert quoted(outcome) == [(2, TRUE, 3)]
    assert [(source.url, source.read) for source in outcome.sources] == [(URL, True)]
    assert outcome.unverified == (FORGED,)
    assert (await asked(tmp_path, say(f"“{TRUE}”"), session="another")).unverified == (TRUE,)


async def test_of_a_cut_page_both_ends_keep_their_lines(tmp_path):
    await asked(tmp_path, use(call("web_extract", urls=[f"{HOST}/long"], char_limit=5_000)), say("Read."))
    first, last = "the kettle number 7 is boiled for 7 minutes", "the kettle number 1999 is boiled for 1999 minutes"
    unseen = "the kettle number 900 is boiled for 900 minutes"
    outcome = await asked(tmp_path, say(f"“{first}”, “{last}”, “{unseen}”"))
    assert quoted(outcome) == [(1, first, 7), (1, last, 1_999)]
    assert outcome.unverified == (unseen,)


class OneText:
    async def open(self, ref, context):
        return Opened(ref, "file:///kettles.txt", "Kettles", LINES, "tool", Trust.WORKSPACE)


FILES = {
    "read_file": (ReadFile(OneText(), lambda: "abcd"), call("read_file", path="k", start_line=500, lines=20)),
    "find": (Find(OneText(), lambda: "abcd"), call("find", ref="k", pattern="boiled for 51")),
}


@pytest.mark.parametrize(("used", "asks"), FILES.values(), ids=FILES)
async def test_lines_of_files_are_those_of_the_file(tmp_path, used, asks):
    words = "the kettle number 511 is boiled for 511 minutes"
    tools = [used]
    outcome = await asked(tmp_path, use(asks), say(f"“{words}”"), tools=tools)
    assert (quoted(outcome), outcome.unverified) == ([(1, words, 511)], ())
    again = await asked(tmp_path, say(f"“{words}”"), tools=tools)
    assert again.unverified == ()
    assert quoted(again) == ([(1, words, 511)] if used.spec.name == "read_file" else [])


@pytest.mark.parametrize("asks", [call("web_open", ref=SITE, line=40), call("web_find", ref=SITE, pattern="line 42 of")])
async def test_lines_of_browsed_pages_are_those_of_the_page(tmp_path, asks):
    words = "line 41 of the page line 42 of the page"
    async with browsing(tmp_path / "browsing") as rig:
        await rig.sessions.open("s")
        browse = [kind(rig.namespace, BrowseSettings()) for kind in (WebOpen, WebFind)]
        first = await asked(tmp_path, use(asks), say(f"“{words}”"), tools=browse)
        again = await asked(tmp_path, say(f"“{words}”"), tools=browse)
    for outcome in (first, again):
        assert (quoted(outcome), outcome.unverified) == ([(1, words, 41)], ())


async def test_an_interrupted_answer_is_checked_as_far_as_it_came(tmp_path):
    async def play_part(agent):
        async with agent.turn("go", session="s") as turn:
            async for event in turn:
                if getattr(event, "text", "").endswith(("end", "nd")):
                    turn.interrupt()
        return turn.outcome

    model = ScriptedModel([read(URL), Stall(f"“{TRUE}” and “{FORGED}” to the end")])
    async with open_agent(tmp_path, model, tool(tmp_path, PAGES)[0]) as (agent, _, _):
        with anyio.fail_after(20):
            outcome = await play_part(agent)
    assert outcome.end.reason == "interrupted"
    assert (quoted(outcome), outcome.unverified) == ([(1, TRUE, 3)], (FORGED,))
