"""The commands of the tool `web`, carried out here."""

import msgspec
import pytest
from web.browse.rig import (
    HITS,
    LINKS,
    PDF,
    A,
    Almanac,
    B,
    Engine,
    Numbers,
    browsing,
    codes,
    context,
    encoded,
    opened,
    page,
    run,
)

from limen.core.browse import (
    Click,
    Finance,
    Find,
    ImageQuery,
    Open,
    Screenshot,
    SearchQuery,
    Sports,
    Time,
    Weather,
)
from limen.core.facts import FactAnswer, FinanceRequest, SportsRequest, WeatherRequest
from limen.core.fault import Refusal
from limen.core.ledger import Trust
from limen.core.untrusted import unfence
from limen.testing.browse_contract import BROWSE_CHECKS

pytestmark = pytest.mark.anyio


class Case:
    page, phrase = A, "line 7"

    def __init__(self, rig):
        self.namespace = rig.namespace
        self.context = context()


@pytest.mark.parametrize("check", BROWSE_CHECKS, ids=lambda check: check.__name__)
async def test_browsing_here_keeps_the_contract(check, tmp_path):
    async with browsing(tmp_path) as rig:
        await check(Case(rig))


async def test_a_search_gives_handles_and_fences_what_strangers_wrote_once(tmp_path):
    async with browsing(tmp_path) as rig:
        (entry,) = await run(rig, SearchQuery("kettles", recency=3, domains=("a.example",)))
        assert (entry.origin.kind, entry.origin.trust, entry.origin.source) == ("web", Trust.WEB, "search: kettles")
        assert rig.engine.asked[0].recency_days == 3
        assert rig.engine.asked[0].allowed_domains == ("a.example",)
        content = entry.body["content"]
        assert content.count("⟦untrusted ") == content.count("⟦/untrusted ") == 1
        first, second, third = unfence(content).split("\n\n")
        assert first == f"turn0search0 First (2026-11-01)\n{A}\nabout kettles"
        assert second == "turn0search1 Doc\nfile:///doc.md\nline 2: two kettles"
        assert third.startswith("turn0search2 Third")
        (again,) = await run(rig, Open("turn0search1"))
        assert unfence(again.body["content"]) == "2: two kettles\n3: three"


async def test_nothing_found_and_could_not_search_are_different(tmp_path):
    async with browsing(tmp_path, engine=Engine()) as rig:
        (entry,) = await run(rig, SearchQuery("nothing"))
        assert (entry.refusal, entry.body["total"], "content" in entry.body) == (None, 0, False)
    no = Refusal("resolve", "search.unavailable", "No provider answered.", "Add one.")
    async with browsing(tmp_path, engine=Engine(refusal=no)) as rig:
        (entry,) = await run(rig, SearchQuery("nothing"))
        assert entry.body["error"]["code"] == "search.unavailable"


async def test_a_page_opens_at_its_line_with_numbered_links(tmp_path):
    async with browsing(tmp_path) as rig:
        (first,) = await run(rig, Open(A))
        assert (first.body["ref_id"], first.body["lines"], first.body["next_line"]) == ("turn0view0", "1-40 of 300", 41)
        assert "3: See [the second](1 b.example) and [us](2)." in first.body["content"]
        assert B not in first.body["content"]
        (later,) = await run(rig, Open("turn0view0", 41), response_length="medium")
        assert (later.body["ref_id"], later.body["lines"]) == ("turn0view0", "41-140 of 300")
        (last,) = await run(rig, Open("turn0view0", 300), response_length="long")
        assert "next_line" not in last.body
        (past,) = await run(rig, Open("turn0view0", 301))
        assert codes([past]) == ["browse.past_end"]
        (clicked,) = await run(rig, Click("turn0view0", 1))
        assert (clicked.body["ref_id"], clicked.body["url"]) == ("turn0view1", B)


async def test_matches_come_with_their_neighbours_numbers(tmp_path):
    async with browsing(tmp_path) as rig:
        (entry,) = await run(rig, Find(A, "LINE 77 "))
        assert unfence(entry.body["content"]).split("\n") == [
            "75- line 75 of the page",
            "76- line 76 of the page",
            "77: line 77 of the page",
            "78- line 78 of the page",
            "79- line 79 of the page",
        ]
        (none,) = await run(rig, Find(A, "no such words"))
        assert (none.body["total"], "content" in none.body) == (0, False)
        (many,) = await run(rig, Find(A, "of the page"))
        assert (many.body["total"], many.body["shown"], many.body["next_line"]) == (297, 20, 24)


async def test_one_bad_command_costs_its_entry(tmp_path):
    async with browsing(tmp_path) as rig:
        entries = await run(rig, Open("turn9view9"), Open(A), Open("nowhere.md"), Click(A, 99), Time("noon"), Time("+03:00"))
        assert codes(entries) == ["browse.unknown_ref", None, "files.missing", "browse.no_link", "web.bad_offset", None]
        assert entries[5].body["time"].startswith("2026-11-30T")


async def test_handles_follow_the_order_of_the_commands(tmp_path):
    async with browsing(tmp_path) as rig:
        entries = await run(rig, SearchQuery("a"), Open(B), Open(A), Click(A, 1))
        assert [entry.body.get("ref_id") for entry in entries] == [None, "turn0view0", "turn0view1", "turn0view0"]


async def test_every_entry_is_cited_by_its_number_and_quotable_by_its_lines(tmp_path):
    numbers = Numbers()
    async with browsing(tmp_path) as rig:
        where = context(sources=numbers)
        entries = await run(rig, SearchQuery("a"), Open(A, 10), Find(A, "line 77 "), where=where)
        assert "turn0search0 [1] First" in entries[0].body["content"]
        assert [entry.body.get("n") for entry in entries[1:]] == [4, 5]
        url, ref, read, text, first = numbers.noted[3]
        assert (url, ref, read, first) == (A, "turn0view0", True, 10)
        assert text.startswith("line 10 of the page\n")
        assert numbers.noted[4][3:] == ("\n".join(f"line {n} of the page" for n in range(75, 80)), 75)
        await run(rig, Open("https://a.example/gone"), where=where)
        assert (A, None) in numbers.attempts
        assert ("https://a.example/gone", "network.http_status") in numbers.attempts


async def test_pictures_of_documents(tmp_path):
    async with browsing(tmp_path) as rig:
        rig.site.pages[A] = page(A, "see [the paper]", *LINKS)
        entries = await run(rig, Screenshot(PDF, 1), Screenshot(PDF, 7), Screenshot("turn7view7"), Screenshot("/etc/passwd"))
        assert codes(entries) == [None, "screenshot.no_page", "browse.unknown_ref", "screenshot.unsupported"]
        assert (entries[0].picture.media_type, entries[0].picture.data) == ("image/png", b"png")
        assert (entries[0].body["pageno"], entries[0].body["pages"]) == (1, 3)
        view = await opened(rig, A)
        await run(rig, Screenshot(view.ref.name))
        assert rig.camera.asked == [(PDF, 2), (PDF, 8), (A, 1)]


async def test_pictures_are_searched_where_somebody_has_some(tmp_path):
    async with browsing(tmp_path) as rig:
        assert codes(await run(rig, ImageQuery("a kettle"))) == ["web.no_provider"]
    picture = msgspec.structs.replace(HITS[0], image_url="https://a.example/i.png", width=640, height=480)
    async with browsing(tmp_path, engine=Engine(picture, HITS[2])) as rig:
        (entry,) = await run(rig, ImageQuery("a kettle"))
        assert rig.engine.asked[0].type == "images"
        assert entry.body["total"] == 1
        assert "turn0image0 First" in entry.body["content"]
        assert "picture 640x480: https://a.example/i.png" in entry.body["content"]


async def test_facts_are_asked_of_their_providers(tmp_path):
    weather, finance = Almanac("weather"), Almanac("finance", error=ZeroDivisionError("oops"))
    sports = Almanac(
        "sports", FactAnswer((), "almanac", refusal=Refusal("almanac", "web.no_fact_provider", "Not that.", "Ask else."))
    )
    async with browsing(tmp_path, facts=[weather, finance, sports]) as rig:
        entries = await run(
            rig, Weather("Kyoto, Japan", "2026-12-01", 3), Finance("ACME", "equity"), Sports("Schedule", "NBA"),
            Weather("Kyoto", "tomorrow"), Sports("schedule", "chess"),
        )  # fmt: skip
        assert codes(entries) == [
            None,
            "web.provider_failed",
            "web.no_fact_provider",
            "browse.invalid_command",
            "browse.invalid_command",
        ]
        assert entries[0].body["as_of"] == "2026-11-30"
        assert unfence(entries[0].body["content"]) == "12 °C"
        assert [gate.code or gate.gate for gate in entries[0].origin.treatment.gates] == ["secrets", "resolve.almanac"]
        assert (type(weather.asked[0]), weather.asked[0].duration_days) == (WeatherRequest, 3)
        assert finance.asked == [FinanceRequest("ACME", "equity")]
        assert (type(sports.asked[0]), sports.asked[0].league, sports.asked[0].table) == (SportsRequest, "nba", "schedule")
        assert "nba" in entries[4].refusal.mend


async def test_a_fact_nobody_knows_and_a_credential_in_a_question(tmp_path):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    weather = Almanac("weather")
    async with browsing(tmp_path, facts=[weather]) as rig:
        entries = await run(rig, Finance("ACME", "equity"), Weather(secret))
        assert codes(entries) == ["web.no_fact_provider", "secrets.value"]
        assert weather.asked == []


@pytest.mark.parametrize(("mode", "code"), [("cached", "web.mode"), ("indexed", None), ("live", None)])
async def test_nobody_is_asked_for_facts_where_the_mode_lets_nobody_be_asked(tmp_path, mode, code):
    async with browsing(tmp_path, facts=[Almanac("weather")], mode=mode) as rig:
        assert codes(await run(rig, Weather("Kyoto"))) == [code]


async def test_nobody_is_asked_for_facts_where_that_is_switched_off(tmp_path):
    desks = [Almanac(kind) for kind in ("weather", "finance", "sports")]
    async with browsing(tmp_path, facts=desks, asks=False) as rig:
        entries = await run(rig, Weather("Kyoto"), Finance("BTC", "crypto"), Sports("standings", "nhl"), Time("Z"))
        assert codes(entries) == ["web.facts_off"] * 3 + [None]
        assert [desk.asked for desk in desks] == [[], [], []]


async def test_the_room_of_an_answer_is_shared_out_before(tmp_path):
    text = "\n".join(f"line {n} " + "word " * 60 for n in range(2_000))
    async with browsing(tmp_path) as rig:
        urls = [f"https://a.example/{n}" for n in range(10)]
        rig.site.pages |= {url: page(url, text) for url in urls}
        entries = await run(rig, *map(Open, urls), response_length="long", output_tokens=20_000)
        assert codes(entries) == [None] * 10
        assert len(encoded(entries)) < 60_000
        assert all(entry.body["next_line"] > 5 for entry in entries)


async def test_the_ledger_is_told_of_gates_sizes_and_cuts(tmp_path):
    async with browsing(tmp_path) as rig:
        await opened(rig, A)
        (entry,) = await run(rig, Open("turn0view0"))
        treatment = entry.origin.treatment
        assert [verdict.gate for verdict in treatment.gates] == ["secrets", "network", "policy", "permission", "browse"]
        assert treatment.chars_in > treatment.cut.head
        assert treatment.stored_path.startswith("ev_")
        assert entry.origin.source == A
