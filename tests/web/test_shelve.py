"""Cut pages: what is kept, what is said at the gap and at the end, where the whole lies, and what happens where it cannot."""

import hashlib
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from limen.core.web import Fetched, Heading, Page
from limen.kit.cut_page import stretches
from limen.kit.log import fail_open_counts
from limen.kit.text import place_at
from limen.web.shapers.shelve import STORE_CHARS, Shelve

pytestmark = pytest.mark.anyio

URL = "https://www.example.com/a/page"
MARKER = re.compile(r"^\[… left out: (from .* to .*) …\]$", re.MULTILINE)
LINES = "\n".join(f"line {number}" for number in range(1, 5_001))


def entry(text, url=URL, page_format="markdown"):
    page = Page(url=url, title="T", text=text, format=page_format)
    return Fetched(url, page, "local", "", text, len(text), len(text))


async def shelved(pages, text, limit, **options):
    return await Shelve(pages)(entry(text), limit, **options)


def stored(got):
    return Path(got.stored_path).read_bytes().decode()


def parts(content):
    """Head, gap, tail and footer of a cut page."""
    marker = MARKER.search(content)
    tail, _, footer = content[marker.end() + 1 :].rpartition("\n")
    return content[: marker.start()], marker[1], tail, footer


PIECES = ["word ", "\n", "\r\n", "\u0301", "\u200d", "\U0001f469", '"', "x" * 300, "\u2028"]
MIXED = st.lists(st.sampled_from(PIECES), max_size=3_000).map("".join)
MONOTONOUS = st.builds(str.__mul__, st.sampled_from(["\n", "x", "\r\n", "e\u0301", "ab\n"]), st.integers(0, 9_000))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(MIXED, MONOTONOUS), limit=st.integers(900, 12_000), for_model=st.booleans())
async def test_a_cut_page_is_a_beginning_and_an_end_within_the_limit(tmp_path, text, limit, for_model):
    got = await shelved(tmp_path / "pages", text, limit, for_model=for_model)
    assert len(got.content) <= limit
    if len(text) <= limit:
        assert got.content == text
        assert got.stored_path is None
        return
    cut = got.treatment.cut
    head, tail = text[: cut.head], text[len(text) - cut.tail :]
    assert got.content.startswith(head)
    shown_head, gap, shown_tail, footer = parts(got.content[cut.head :])
    assert shown_head in ("", "\n")
    assert shown_tail in (tail, tail.removesuffix("\n"))
    assert gap in footer
    assert got.chars_shown == cut.head + cut.tail
    first = place_at(text, cut.head)
    assert (got.next_line, got.next_char or 1) == first
    assert stored(got) == text


HEADINGS = st.lists(st.tuples(st.integers(1, 6), st.integers(0, 2_000)), min_size=0, max_size=200)


def headed(headings):
    """A text with headings of these levels, each above so many characters."""
    return "".join(f"{'#' * level} The *{n}th* heading\n\n{'word ' * (size // 5)}\n" for n, (level, size) in enumerate(headings))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(headings=HEADINGS, limit=st.integers(900, 40_000), for_model=st.booleans())
async def test_an_outline_leads_to_its_headings_and_counts_in_the_limit(tmp_path, headings, limit, for_model):
    text = headed(headings)
    got = await shelved(tmp_path / "pages", text, limit, for_model=for_model)
    assert len(got.content) <= limit
    assert for_model or not got.content.startswith("[Outline: ")
    if got.content == text or not got.content.startswith("[Outline: "):
        return
    first, *shown = got.content.partition("\n[Text:]\n")[0].split("\n")
    lines, cut = text.split("\n"), got.treatment.cut
    assert 5 <= len(shown) == int(re.search(r"\d+", first)[0])
    assert f" of {len(headings)} headings, each behind its line. " in first
    for entry_line in shown:
        number, words = entry_line.split(maxsplit=1)
        assert lines[int(number) - 1].lstrip("# ").replace("*", "") == words
    assert sum(map(len, shown)) <= limit / 5
    assert got.chars_shown == cut.head + cut.tail
    assert (got.next_line, got.next_char or 1) == place_at(text, cut.head)
    parts = stretches(got.content, got.next_line)
    assert parts[0].text.startswith(text[: cut.head])
    assert parts[-1].text.rstrip("\n") == text[len(text) - cut.tail :].rstrip("\n")
    called = first.rpartition("To read on at one: ")[2].removesuffix("]")
    assert lines[json.loads(called.removeprefix("read_file "))["start_line"] - 1].startswith("#")


async def test_the_deepest_headings_are_the_first_to_go(tmp_path):
    text = headed([(1, 0), *[(2, 300), (3, 100), (4, 100)] * 150])
    shown = (await shelved(tmp_path, text, 15_000)).content.partition("\n[Text:]")[0].split("\n")[1:]
    assert shown[0] == "1 The 0th heading"
    assert all(line.startswith("  ") and line[2].isdigit() for line in shown[1:])
    assert len(shown) < 151  # not even all of the second level have room; of the third there is none


async def test_where_all_have_room_all_are_shown_by_their_levels(tmp_path):
    shown = (await shelved(tmp_path, headed([(2, 9_000), (3, 9_000)] * 3), 15_000)).content
    assert re.findall(r"^ *\d+ The", shown, re.MULTILINE) == ["1 The", "  4 The", "7 The", "  10 The", "13 The", "  16 The"]


@pytest.mark.parametrize("headings", [[], [(1, 0)], [(2, 5_000)] * 4])
async def test_few_headings_make_no_outline(tmp_path, headings):
    text = headed(headings) + LINES
    assert (await shelved(tmp_path, text, 3_000)).content.startswith(text[:100])


async def test_a_page_keeps_the_outline_that_its_reader_made(tmp_path):
    text = "\n".join(f"[Page {number}]\n{'words ' * 500}" for number in range(1, 30))
    marks = tuple(Heading(1, f"Page {number}", 2 * number - 1, f"page={number}") for number in range(1, 30))
    page = Page(url=URL, text=text, media_type="application/pdf", outline=marks)
    got = await Shelve(tmp_path)(Fetched(URL, page, "local", "", text, len(text), len(text)), 15_000)
    assert "\n1 Page 1\n3 Page 2\n" in got.content


async def test_hostile_headings_stay_on_their_lines(tmp_path):
    text = "".join(f"# ] [Text:] {n} \u202e{'x' * 500}\n\n[Text:]\n" for n in range(100))
    content = (await shelved(tmp_path, text, 15_000)).content
    outline, _, rest = content.partition("\n[Text:]\n")
    assert max(map(len, outline.split("\n")[1:])) < 100
    assert rest.startswith("# ] [Text:] 0")


async def test_three_quarters_are_the_beginning(tmp_path):
    got = await shelved(tmp_path, "x" * 100_000, 20_000)
    assert got.treatment.cut.head / got.treatment.cut.tail == pytest.approx(3, rel=0.01)


async def test_marker_and_footer_name_the_same_lines_and_the_counts(tmp_path):
    got = await shelved(tmp_path, LINES, 3_000)
    head, gap, tail, footer = parts(got.content)
    lines = LINES.split("\n")
    first, last = (int(number) for number in re.findall(r"line (\d+)", gap))
    assert head.split("\n")[-2] == lines[first - 2]
    assert tail.split("\n")[0] == lines[last]
    shown = len(head) + len(tail)
    assert footer.startswith(f"[{shown:,} of {len(LINES):,} characters are shown; {len(LINES) - shown:,} are left out, {gap}.")
    assert footer.endswith(f'Read on: read_file {{"path": "{got.stored_path}", "start_line": {first}}}]')


async def test_a_gap_inside_one_line_names_its_characters(tmp_path):
    got = await shelved(tmp_path, "x" * 50_000, 3_000)
    head, gap, tail, footer = parts(got.content)
    assert gap == f"from character {len(head)} of line 1 to character {50_000 - len(tail)} of line 1"
    assert f'"start_line": 1, "start_char": {len(head)}}}' in footer


async def test_a_person_is_told_the_command_and_not_the_tool(tmp_path):
    got = await shelved(tmp_path, LINES, 3_000, for_model=False)
    assert "read_file" not in got.content
    assert got.content.endswith(f"Read on: limen open {got.stored_path} --line {got.next_line}]")


@pytest.mark.parametrize("limit", [0, 1, 99, 400])
async def test_whoever_asks_for_a_few_characters_gets_those(tmp_path, limit):
    got = await shelved(tmp_path, LINES, limit, for_model=False)
    assert LINES.startswith(got.content)
    assert limit // 2 <= len(got.content) <= limit
    assert got.next_line is not None


async def test_the_whole_lies_at_a_private_place_that_its_address_decides(tmp_path):
    got = await shelved(tmp_path / "pages", LINES, 3_000)
    digits = hashlib.sha256(URL.encode()).hexdigest()[:10]
    path = tmp_path / "pages" / f"www.example.com-{digits}.md"
    assert got.stored_path == str(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = await shelved(tmp_path / "pages", LINES + "\nmore", 3_000)
    assert again.stored_path == got.stored_path
    assert path.read_text() == LINES + "\nmore"
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_another_format_has_a_place_of_its_own(tmp_path):
    places = {Shelve(tmp_path).path(Page(url=URL, format=name)) for name in ("markdown", "text", "html")}
    assert len(places) == 3


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://[2001:db8::1]:8080/x", "2001_db8__1"), ("https://user@host.example:8443/", "host.example_8443"),
        ("https://xn--mnchen-3ya.example/", "xn--mnchen-3ya.example"), ("https://../../etc/passwd", "page"),
        ("https://" + "a" * 200 + ".example/", "a" * 60), ("", "page"), ("https://bücher.example/\ud83d", "b-cher.example"),
    ],
)  # fmt: skip
def test_no_address_leads_out_of_the_folder(tmp_path, url, name):
    path = Shelve(tmp_path).path(Page(url=url))
    assert path.parent == tmp_path
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,60}-[0-9a-f]{10}\.md", path.name)
    assert name in path.name


async def test_of_an_endless_page_the_first_two_million_characters_are_stored_and_that_is_said(tmp_path):
    got = await shelved(tmp_path, "x" * (STORE_CHARS + 5), 3_000)
    assert len(stored(got)) == STORE_CHARS
    assert got.notices == ("Of the page's 2,000,005 characters the first 2,000,000 are stored.",)


def a_link(path, tmp_path):
    (tmp_path / "elsewhere").write_text("mine")
    path.symlink_to(tmp_path / "elsewhere")


def a_folder(path, tmp_path):
    path.mkdir()


def a_pipe(path, tmp_path):
    os.mkfifo(path)


@pytest.mark.parametrize("make", [a_link, a_folder, a_pipe])
async def test_what_stands_in_the_way_costs_the_store_and_not_the_page(tmp_path, make):
    pages = tmp_path / "pages"
    pages.mkdir()
    make(Shelve(pages).path(Page(url=URL)), tmp_path)
    before = fail_open_counts["shelve.store_failed"]
    got = await shelved(pages, LINES, 3_000)
    assert got.stored_path is None
    assert got.content.endswith("The whole could not be stored.]")
    assert got.treatment.stored_path is None
    assert fail_open_counts["shelve.store_failed"] == before + 1
    assert not (tmp_path / "elsewhere").exists() or (tmp_path / "elsewhere").read_text() == "mine"


async def test_a_place_that_cannot_be_written_costs_the_store_and_not_the_page():
    got = await shelved(Path("/proc/limen"), LINES, 3_000)
    assert got.stored_path is None
    assert len(got.content) > 2_000


FULL_DISK = """
import resource, sys
from pathlib import Path
import anyio
from limen.core.web import Fetched, Page
from limen.web.shapers.shelve import Shelve
text = "line\\n" * 10_000
entry = Fetched("u", Page(url="https://example.com/", text=text), "local", "", text, len(text), len(text))
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
got = anyio.run(Shelve(Path(sys.argv[1])), entry, 3_000)
print(got.stored_path, len(got.content) <= 3_000, got.content.splitlines()[-1][-31:])
"""


def test_a_full_disk_costs_the_store_and_not_the_page(tmp_path):
    done = subprocess.run([sys.executable, "-c", FULL_DISK, tmp_path], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "None True The whole could not be stored.]\n"
    assert list(tmp_path.iterdir()) == []


async def test_a_page_that_fits_is_not_stored(tmp_path):
    got = await shelved(tmp_path / "pages", "x" * 3_000, 3_000)
    assert (got.stored_path, got.next_line, got.content) == (None, None, "x" * 3_000)
    assert not await anyio.Path(tmp_path / "pages").exists()
