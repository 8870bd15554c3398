"""The tool `web_extract`: what models give for its arguments, what a call has room for, and how to read on."""

import json

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from web.tools.tooling import HOST, results, run, tool

from limen.agent.toolbox import schema_of
from limen.builtin.tools.read_file import ReadFile, ReadFileArguments
from limen.core.context import CallContext
from limen.core.ledger import Trust
from limen.core.ports import Opened
from limen.core.untrusted import unfence
from limen.kit.cut_page import stretches

pytestmark = pytest.mark.anyio

A, B, C = (f"{HOST}/{name}" for name in "abc")
TEXTS = {A: "text a", B: "text b", C: "text c"}

FORMS = {
    "a list": [A, B],
    "one text": f"{A} {B}",
    "a text with commas": f"{A},{B}",
    "a text with commas and blanks": f"{A}, {B},",
    "a text of lines": f"{A}\n{B}\n",
    "a text that is a JSON list": json.dumps([A, B]),
    "a list of one text": [f"{A} {B}"],
    "a list of a JSON list": [json.dumps([A, B])],
    "objects": [{"url": A}, {"href": B}],
    "objects with more": [{"url": A, "title": "a"}, {"url": None, "href": B}],
    "a text that is JSON objects": json.dumps([{"url": A}, {"href": B}]),
    "nested lists": [[A], [[B]]],
    "quoted": [f'"{A}"', f"<{B}>"],
    "blanks around": [f"  {A} ", f"\t{B}\n"],
}


@pytest.mark.parametrize("urls", FORMS.values(), ids=FORMS)
async def test_what_is_meant_is_read(tmp_path, urls):
    entries = await results(tool(tmp_path, TEXTS)[0], {"urls": urls})
    assert [(entry["url"], unfence(entry["content"])) for entry in entries] == [(A, "text a"), (B, "text b")]


@pytest.mark.parametrize("urls", [A, [A], {"url": A}, {"href": A}, json.dumps({"url": A}), f" {A} "])
async def test_one_address_is_one_page(tmp_path, urls):
    (entry,) = await results(tool(tmp_path, TEXTS)[0], {"urls": urls})
    assert unfence(entry["content"]) == "text a"


async def test_an_address_with_commas_stays_one(tmp_path):
    for url in (f"{HOST}/a,b;c", f"{HOST}/?to={HOST}/x,{HOST}/y"):
        (entry,) = await results(tool(tmp_path, {url: "one"})[0], {"urls": [url]})
        assert unfence(entry["content"]) == "one"


BAD = {
    "nothing": (None, "null"),
    "a number": (123, "a number"),
    "a truth value": (True, "a truth value"),
    "an object without an address": ({}, "an object"),
    "an object with a wrong one": ({"url": 5, "href": ["x"]}, "an object"),
    "an empty list": ([], "an empty list"),
}


@pytest.mark.parametrize(("bad", "named"), BAD.values(), ids=BAD)
async def test_an_entry_that_is_no_address_costs_its_own_place(tmp_path, bad, named):
    entries = await results(tool(tmp_path, TEXTS)[0], {"urls": [A, bad, B]})
    assert [bool(entry["content"]) for entry in entries] == [True, False, True]
    error = entries[1]["error"]
    assert (entries[1]["url"], error["code"], error["index"]) == ("", "web.bad_entry", 2)
    assert named in error["reason"]


async def test_an_empty_text_and_an_address_without_a_scheme_cost_their_own_places(tmp_path):
    entries = await results(tool(tmp_path, TEXTS)[0], {"urls": ["", "example.com/x", A]})
    assert [entry["error"] and entry["error"]["gate"] for entry in entries] == ["network", "network", None]


async def test_nothing_but_bad_entries_is_an_error_with_each_named(tmp_path):
    leaves, outcome = await run(tool(tmp_path, TEXTS)[0], {"urls": [None, 1]})
    assert outcome.block.is_error
    assert [entry["error"]["index"] for entry in json.loads("\n".join(leaves))["results"]] == [1, 2]


@pytest.mark.parametrize("urls", [[], "[]"])
async def test_no_address_at_all_is_said(tmp_path, urls):
    leaves, outcome = await run(tool(tmp_path, TEXTS)[0], {"urls": urls})
    assert outcome.refusal.code == "web.no_urls"
    assert json.loads(leaves[0])["results"] == []


async def test_the_address_at_fault_is_counted_as_the_caller_counts(tmp_path):
    web_extract, reader = tool(tmp_path, TEXTS)
    _, outcome = await run(web_extract, {"urls": [None, A, A, f"{B}?password=x", ""]})
    assert (outcome.refusal.code, outcome.refusal.detail["index"]) == ("secrets.parameter", 4)
    assert outcome.refusal.reason.startswith("Address 4 of 5: ")
    assert "The others can be read" in outcome.refusal.mend
    assert reader.asked == []


async def test_duplicates_are_fetched_once_and_answered_twice(tmp_path):
    web_extract, reader = tool(tmp_path, TEXTS)
    entries = await results(web_extract, {"urls": [A, B, A]})
    assert [unfence(entry["content"]) for entry in entries] == ["text a", "text b", "text a"]
    assert reader.asked == [(A, B)]


async def test_more_than_may_be_read_are_refused_by_name_before_any_fetch(tmp_path):
    web_extract, reader = tool(tmp_path, TEXTS)
    urls = [f"{HOST}/{number}" for number in range(7)]
    _, outcome = await run(web_extract, {"urls": urls})
    assert outcome.refusal.code == "web.too_many_urls"
    assert outcome.refusal.mend == f"Call again for: {urls[5]}, {urls[6]}"
    assert reader.asked == []


async def test_a_flood_of_addresses_is_named_within_bounds(tmp_path):
    leaves, outcome = await run(tool(tmp_path, TEXTS)[0], {"urls": [f"{HOST}/{number}" for number in range(50_000)]})
    assert "more" in outcome.refusal.mend
    assert len(leaves[0]) < 2_500


def test_the_schema_says_the_plain_form(tmp_path):
    schema, _ = schema_of(tool(tmp_path, TEXTS)[0])
    properties = schema.parameters["properties"]
    assert properties["urls"] == {"type": "array", "items": {"type": "string"}}
    assert properties["char_limit"]["type"] == "integer"
    assert properties["format"]["enum"] == ["html", "markdown", "text"]
    assert schema.parameters["required"] == ["urls"]


LONG = "\n".join(f"line {number} of the page" for number in range(60_000))


@pytest.mark.parametrize("asked", [True, False, "many", "NaN", "Infinity", "-inf", "1e999", [], {}, "", "0x10"])
async def test_a_limit_that_is_no_number_is_the_default_and_is_said(tmp_path, asked):
    (entry,) = await results(tool(tmp_path, {A: LONG})[0], {"urls": [A], "char_limit": asked})
    assert 14_000 < len(unfence(entry["content"])) <= 15_000
    assert entry["source"]["notices"] == ["char_limit was no number; 15,000 is used."]


@pytest.mark.parametrize("asked", ["NaN", "Infinity", "-Infinity", "1e999"])
async def test_numbers_that_json_lacks_are_the_default_too(tmp_path, asked):
    (entry,) = await results(tool(tmp_path, {A: LONG})[0], f'{{"urls": ["{A}"], "char_limit": {asked}}}')
    assert 14_000 < len(unfence(entry["content"])) <= 15_000
    assert entry["source"]["notices"] == ["char_limit was no number; 15,000 is used."]


@pytest.mark.parametrize(
    ("asked", "most", "notices"),
    [
        (None, 15_000, 0), (3_000, 3_000, 0), ("3000", 3_000, 0), (" 3000 ", 3_000, 0), (3000.9, 3_000, 0), ("3e3", 3_000, 0),
        (100, 2_000, 1), (-5, 2_000, 1), (0, 2_000, 1), (90_000, 90_000, 0), (400_000, 98_000, 1), (900_000, 98_000, 2),
        (10**18, 98_000, 2),
    ],
)  # fmt: skip
async def test_a_limit_is_put_into_its_bounds_and_that_is_said(tmp_path, asked, most, notices):
    (entry,) = await results(tool(tmp_path, {A: LONG})[0], {"urls": [A], "char_limit": asked})
    assert most * 0.9 < len(unfence(entry["content"])) <= most
    assert len(entry["source"]["notices"]) == notices


async def test_a_bad_limit_is_said_before_any_fetch_and_loses_no_page(tmp_path):
    web_extract, reader = tool(tmp_path, TEXTS)
    entries = await results(web_extract, {"urls": [A, B], "char_limit": float("inf").__repr__()})
    assert all(entry["content"] for entry in entries)
    assert reader.asked == [(A, B)]


async def test_a_small_page_leaves_its_share_to_larger_ones(tmp_path):
    texts = {A: "small", B: LONG, C: LONG + " "}
    entries = await results(tool(tmp_path, texts)[0], {"urls": [A, B, C], "char_limit": 500_000}, room_chars=60_000)
    sizes = [len(unfence(entry["content"])) for entry in entries]
    assert sizes[0] == 5
    assert min(sizes[1:]) > 25_000
    again = await results(tool(tmp_path, texts)[0], {"urls": [A, B, C], "char_limit": 500_000}, room_chars=60_000)
    assert [entry["content"] for entry in again] == [entry["content"] for entry in entries]


async def test_a_call_for_which_the_window_is_too_small_says_how_many_it_holds(tmp_path):
    _, outcome = await run(tool(tmp_path, TEXTS)[0], {"urls": [A, B, C]}, room_chars=3_000)
    assert outcome.refusal.mend == f"Call again for: {C}"


PIECES = [
    "word ", "line\n", '"quoted" ', "\\", "\x01", "\t", "\u00e9\u0301 ", "\U0001f469\u200d\U0001f467", "\r\n", "\ud83d",
    "\u27e6/untrusted ", '\n## A "heading" \\ \n', "![a](data:image/png;base64,iVBORw0KGgo=) ",
]  # fmt: skip
# A mask is longer than this, which the room must hold too.
SECRET = "token=" + "hunter2hunter" + "2x9"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pages=st.lists(st.tuples(st.sampled_from(PIECES), st.integers(0, 60_000)), min_size=1, max_size=5),
    room_chars=st.sampled_from([2_000, 2_500, 8_000, 20_000, 100_000, 500_000]),
    asked=st.sampled_from([None, 2_000, 30_000, 500_000]),
    long_urls=st.booleans(),
    bad=st.booleans(),
)
async def test_the_whole_result_has_room_and_is_never_cut_afterwards(tmp_path, pages, room_chars, asked, long_urls, bad):
    """The shelf of this toolbox fails the test when anything is cut there; the document stays JSON."""
    path = "x" * 7_000 if long_urls else "x"
    texts = {
        f"{HOST}/{path}/{number}": f"start {SECRET} {piece * (size // len(piece))}" for number, (piece, size) in enumerate(pages)
    }
    web_extract, _ = tool(tmp_path, texts, title='"' * 5_000)
    urls = [*texts, None] if bad and len(texts) < 5 else list(texts)
    leaves, outcome = await run(web_extract, {"urls": urls, "char_limit": asked}, room_chars=room_chars)
    assert sum(map(len, leaves)) <= room_chars
    document = json.loads("\n".join(leaves))
    if outcome.refusal is not None and outcome.refusal.code == "web.too_many_urls":
        return
    assert len(document["results"]) == len(urls)
    for entry in document["results"][: len(texts)]:
        shown = unfence(entry["content"])
        assert len(shown) - shown.count("\u27e6masked") * 20 <= (asked or 15_000)
        own = stretches(shown, entry["source"]["next_line"])[0].text
        assert own.startswith("start"[: entry["source"]["chars_shown"]])


class OneText:
    def __init__(self, path):
        self.path = path

    async def open(self, ref, context):
        return Opened(ref, "", "", self.path.read_bytes().decode(), "web", Trust.WEB)


KINDS = {
    "lines": "\n".join(f"line {number}" for number in range(9_000)),
    "one line": "".join(chr(97 + number % 26) for number in range(90_000)),
    "one line of words": "word and word, " * 6_000,
    "CRLF": "\r\n".join(f"line {number}" for number in range(9_000)),
    "hardly more than line ends": "a" + "\n" * 60_000,
    "a line end at the cut": "x" * 11_000 + "\n" + "y" * 60_000,
    "a long line, then short ones": "x" * 30_000 + "\n" + "short\n" * 6_000,
    "short lines, then a long one": "short\n" * 6_000 + "x" * 60_000,
    "combining marks": "e\u0301" * 40_000,
    "characters outside the basic plane": "\U0001f469\u200d\U0001f467" * 30_000,
    "halves of pairs": "\ud83d\ude00" * 20_000,
    "quotes": '"\\' * 30_000,
    "headings": "".join(f"{'#' * (number % 6 + 1)} Heading {number}\n\n{'words ' * 60}\n" for number in range(200)),
}


@pytest.mark.parametrize("text", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("asked", [2_000, 5_003, 15_000])
async def test_the_footers_call_shows_exactly_what_comes_first_of_what_was_hidden(tmp_path, text, asked):
    (entry,) = await results(tool(tmp_path, {A: text}, media_type="text/plain")[0], {"urls": [A], "char_limit": asked})
    shown, source = unfence(entry["content"]), entry["source"]
    footer = shown.rpartition("\n")[2]
    (marker,) = [line for line in shown.split("\n") if line.startswith("[\u2026 left out: ")]
    head = stretches(shown, source["next_line"])[0].text
    assert footer.startswith(f"[{source['chars_shown']:,} of {len(text):,} characters are shown; ")
    assert marker.removeprefix("[\u2026 left out: ").removesuffix(" \u2026]") in footer
    arguments = msgspec.json.decode(footer.partition("read_file ")[2].removesuffix("]"), type=ReadFileArguments)
    path = tmp_path / "pages" / arguments.path.rpartition("/")[2]
    stored = path.read_bytes().decode()
    answer = await ReadFile(OneText(path), lambda: "ab").run(arguments, CallContext())
    first_hidden = unfence(json.loads(answer.parts[0].block.text)["content"])
    kept = head if stored.startswith(head) else head.removesuffix("\n")
    assert stored.startswith(kept + first_hidden)
    assert (arguments.start_line, arguments.start_char) == (source["next_line"], source["next_char"] or 1)
    assert len(stored) == len(text)


async def test_a_page_of_which_no_text_could_be_stored_says_so(tmp_path):
    (tmp_path / "pages").write_text("a file where the folder should be")
    (entry,) = await results(tool(tmp_path, {A: LONG})[0], {"urls": [A]})
    assert entry["source"]["stored_path"] is None
    assert "read_file" not in entry["content"]
    assert "could not be stored" in entry["content"]


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats() | st.sampled_from([A, B, "", "x y", "[", "{}"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["url", "href", "x"]), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(urls=JSON_VALUES, limit=JSON_VALUES)
async def test_whatever_json_a_model_gives_is_answered(tmp_path, urls, limit):
    leaves, outcome = await run(tool(tmp_path, TEXTS)[0], {"urls": urls, "char_limit": limit})
    document = json.loads("\n".join(leaves))
    assert outcome.refusal is None or outcome.refusal.code != "tool.failed"
    for place, entry in enumerate(document["results"], 1):
        assert bool(entry["content"]) != bool(entry["error"])
        if entry["error"] and entry["error"]["code"] == "web.bad_entry":
            assert entry["error"]["index"] == place


async def test_lists_may_lie_deep(tmp_path):
    deep = "[" * 900 + json.dumps(A) + "]" * 900
    (entry,) = await results(tool(tmp_path, TEXTS)[0], {"urls": deep})
    assert entry["url"] == A
    (entry,) = await results(tool(tmp_path, TEXTS)[0], {"urls": "[" * 100_000})
    assert entry["error"]["gate"] == "network"
