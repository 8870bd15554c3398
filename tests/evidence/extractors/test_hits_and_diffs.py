"""Hits of a search, differences, logs of requests, texts with headings."""

from evidence.extractors.outputs import found_by, read
from hypothesis import given
from hypothesis import strategies as st

from limen.evidence.extractors.listings import LISTING_EXTRACTORS


def test_long_hits_are_clipped_around_what_was_looked_for_and_short_ones_whole() -> None:
    output = "".join(f"m{n}.map:1:{'x' * 40000}needle{'y' * 25000}\na{n}.js:7: needle {n}\n" for n in range(3))
    found = found_by(LISTING_EXTRACTORS, output, "grep -rn needle .")
    assert found.headline.startswith("6 hits in 6 files\n")
    assert all("needle" in quote.text and len(quote.text) <= 320 for quote in found.quotes)
    assert [quote.text for quote in found.quotes if quote.end is None] == [f"a{n}.js:7: needle {n}" for n in range(3)]


def test_all_hits_are_counted() -> None:
    output = "".join(f"src/f{n % 5}.py:{n}: x\n" for n in range(5000))
    found = found_by(LISTING_EXTRACTORS, output, "rg x")
    assert found.headline.startswith("5,000 hits in 5 files\nmost: src/f0.py 1,000")


def test_a_difference_of_one_sign_is_shown() -> None:
    output = "--- a.txt\t2026\n+++ b.txt\t2026\n@@ -1,2 +1,2 @@\n-one two\n+one, two\n --- kept\n"
    found = found_by(LISTING_EXTRACTORS, output, "diff -u a.txt b.txt")
    assert found.headline == "differences in 1 files: 1 lines added, 1 removed\nb.txt +1 -1"
    assert [quote.text for quote in found.quotes][-2:] == ["-one two", "+one, two"]


def test_a_removed_line_that_looks_like_a_heading_is_a_change() -> None:
    output = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- old\n kept\nBinary files y and z differ\n"
    found = found_by(LISTING_EXTRACTORS, output, "git diff")
    assert "x +0 -1" in found.headline


def test_requests_are_counted_by_status_and_failing_ones_by_kind() -> None:
    output = "".join(f'1.2.3.4 - - [x] "GET /a/{n} HTTP/1.1" {500 if n in (3, 5) else 200} 12 rt=0.{n:03}\n' for n in range(20))
    found = found_by(LISTING_EXTRACTORS, output)
    assert found.headline.splitlines()[0] == "20 requests: 200 ×18, 500 ×2"
    assert [(one.count, one.first, one.last) for one in found.tallies if one.weight == "error"] == [(2, 4, 6)]
    assert "(line 20)" in found.headline


def test_headings_and_alerts_are_shown_but_not_those_in_code() -> None:
    output = "# One\n\n> [!WARNING]\n> Mind this.\n\n```sh\n# no heading\n```\n\n## Two\n"
    found = found_by(LISTING_EXTRACTORS, output, "cat README.md")
    assert found.headline == "2 headings; 1 code block sh\nOne (line 1)\n  Two (line 10)"
    assert [quote.line for quote in found.quotes if quote.weight == "warning"] == [3, 4]


@given(st.lists(st.text(alphabet="ab:1-+@<> ,#/.G\u2014", max_size=30), max_size=20), st.integers(0, len(LISTING_EXTRACTORS) - 1))
def test_any_lines_are_read(lines: list[str], which: int) -> None:
    assert read(LISTING_EXTRACTORS[which], "\n".join(lines)).kind
