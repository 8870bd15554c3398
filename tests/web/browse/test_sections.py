"""Sections by the name or the anchor of their heading, opened, found and said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from web.browse.rig import A, browsing, codes, context, opened, page, run

from limen.core.browse import Find, Open
from limen.core.fault import Refusal
from limen.core.untrusted import unfence
from limen.core.web import Heading
from limen.kit.headings import headings_in
from limen.web.browse.lines import FOLD_CHARS, Lines
from limen.web.browse.sections import Section, section_named

TEXT = "\n".join(
    [
        "# Tasks", "", "About tasks.", "", "## Running a *program*", "", "- `asyncio.run(coro)`", "", "  Runs it.", "",
        "### Details", "", "More.", "", "## Run on", "", "[Page 3]", "Three.", "[Page 30]", "Thirty.",
    ]
)  # fmt: skip
OUTLINE = (
    Heading(1, "Tasks", 1), Heading(2, "Running a program", 5, "running-it"), Heading(3, "asyncio.run(coro)", 7, "asyncio.run"),
    Heading(3, "Details", 11), Heading(2, "Run on", 15, "run on"),
)  # fmt: skip
NAMES = {
    "Tasks": Section("Tasks", 1, 20),
    "running A  program": Section("Running a program", 5, 14),
    "## Running a *program*": Section("Running a program", 5, 14),
    "asyncio.run": Section("asyncio.run(coro)", 7, 10),
    "#asyncio.run": Section("asyncio.run(coro)", 7, 10),
    "#Asyncio.Run": Section("asyncio.run(coro)", 7, 10),
    "#running-a-program": Section("Running a program", 5, 14),
    "#run%20on": Section("Run on", 15, 20),
    "run": Section("Running a program", 5, 14),
    "run on": Section("Run on", 15, 20),
    "deta": Section("Details", 11, 14),
    "de": None,
    "program": None,
    "#page=3": Section("Page 3", 17, 18),
    "#page=30": Section("Page 30", 19, 20),
    "#page=4": None,
    "#": None,
    "": None,
    "#nothing": None,
}


@pytest.mark.parametrize("name", ["The **kwargs", "the **kw", "## The \\*\\*kwargs"])
def test_a_section_is_named_as_its_heading_reads(name):
    outline = (Heading(1, "A", 1), Heading(2, "The \\*\\*kwargs", 2))
    assert section_named(outline, Lines("# A\n## B\nc"), name) == Section("The **kwargs", 2, 3)


@pytest.mark.parametrize(("name", "section"), NAMES.items(), ids=NAMES)
def test_a_section_is_known_by_its_name_and_by_its_anchor(name, section):
    assert section_named(OUTLINE, Lines(TEXT), name) == section


def test_numbers_are_those_of_lines_as_they_are_shown():
    text = f"# One\n{'x' * (FOLD_CHARS * 2 + 5)}\n# Two\nlast"
    lines = Lines(text)
    section = section_named([Heading(*one) for one in headings_in(text)], lines, "two")
    assert section == Section("Two", 5, 6)
    assert lines[section.line - 1] == "# Two"


@given(
    st.lists(st.sampled_from(["# One", "## Two", "text", "", "```", "x" * 20_000, "Three\n==="]), max_size=30),
    st.text("#onetw 3", max_size=6),
)
def test_any_text_and_name_is_answered_within_the_text(pieces, name):
    lines = Lines("\n".join(pieces))
    section = section_named([Heading(*one) for one in headings_in(lines.text)], lines, name)
    assert section is None or 1 <= section.line <= section.end_line <= len(lines)


class TestBrowsing:
    pytestmark = pytest.mark.anyio

    async def put(self, rig, text=TEXT, outline=OUTLINE):
        rig.site.pages = {url: page(url, text) for url in (A, f"{A}#asyncio.run", f"{A}#nowhere", f"{A}#/route")}
        for url, one in rig.site.pages.items():
            rig.site.pages[url] = type(one)(url=url.partition("#")[0], title=one.title, text=text, outline=outline)

    async def test_a_section_is_found_first_with_its_lines(self, tmp_path):
        async with browsing(tmp_path) as rig:
            await self.put(rig)
            (entry,) = await run(rig, Find(A, "running"))
        assert entry.body["section"] == {"title": "Running a program", "lines": "5-14"}
        shown = unfence(entry.body["content"]).split("\n")
        assert shown[:2] == ["5: ## Running a *program*", "7: - `asyncio.run(coro)`"]
        assert (entry.body["total"], shown.count("5: ## Running a *program*")) == (1, 1)

    async def test_what_is_no_heading_is_found_as_before(self, tmp_path):
        async with browsing(tmp_path) as rig:
            await self.put(rig)
            (entry,) = await run(rig, Find(A, "runs it"))
        assert "section" not in entry.body
        assert "9: Runs it." in entry.body["content"]

    async def test_an_anchor_opens_at_its_line_and_its_handle_stays_there(self, tmp_path):
        async with browsing(tmp_path) as rig:
            await self.put(rig)
            (entry,) = await run(rig, Open(f"{A}#asyncio.run"))
            (again,) = await run(rig, Open(entry.body["ref_id"]))
            (beside,) = await run(rig, Open(f"{entry.body['ref_id']}#details"))
        assert [one.body["lines"] for one in (entry, again, beside)] == ["7-20 of 20", "7-20 of 20", "11-20 of 20"]

    async def test_an_anchor_that_is_not_there_is_said_and_a_route_is_none(self, tmp_path):
        async with browsing(tmp_path) as rig:
            await self.put(rig, outline=())
            missing, route = await run(rig, Open(f"{A}#nowhere"), Open(f"{A}#/route"))
        assert missing.body["lines"] == "1-20 of 20"
        assert "anchor #nowhere" in missing.body["notices"][0]
        assert "notices" not in route.body

    async def test_an_anchor_is_found_in_a_kept_view_as_long_as_its_page_is_the_same(self, tmp_path):
        async with browsing(tmp_path) as rig:
            await self.put(rig)
            view = await opened(rig, A)
            found = await rig.browser.find(view.ref.name, "#asyncio.run", context(turn="t_2"))
            assert found.section == Section("asyncio.run(coro)", 7, 10)
            await self.put(rig, text=f"A new first line.\n{TEXT}")
            changed = await rig.browser.find(view.ref.name, "#asyncio.run", context(turn="t_3"))
            assert (changed.section, changed.view.text) == (None, TEXT)

    async def test_a_document_is_opened_at_a_heading_too(self, tmp_path):
        async with browsing(tmp_path) as rig:
            rig.library.text = TEXT
            (entry,) = await run(rig, Open("lib:1#details"))
            (missing,) = await run(rig, Open("lib:2#details"))
        assert entry.body["lines"] == "11-20 of 20"
        assert codes([missing]) == ["files.missing"]

    async def test_a_page_that_has_changed_since_is_said_and_one_that_has_not_keeps_its_numbers(self, tmp_path):
        async with browsing(tmp_path) as rig:
            await self.put(rig)
            first = await opened(rig, A)
            same = await rig.browser.view(A, context(turn="t_2"))
            assert (same.notices, list(same.lines())) == ((), list(first.lines()))
            await self.put(rig, text=f"A new first line.\n{TEXT}")
            changed = await rig.browser.view(A, context(turn="t_3"))
            assert changed.notices == (
                f"The page has changed since {first.ref.name} was shown: its lines may have other numbers there.",
            )
            other = await rig.browser.view(A, context(session="z"))
            assert not isinstance(other, Refusal)
            assert other.notices == ()
