"""Listings: totals, where files are, which stand out."""

import pytest
from evidence.extractors.outputs import found_by, read, surest
from hypothesis import given
from hypothesis import strategies as st

from limen.evidence.extractors.listings import LISTING_EXTRACTORS, STYLES

LS = """./src:
total 24
drwxr-xr-x  3 a a  4096 Nov 30 22:25 .
drwxr-xr-x  3 a a  4096 Nov 30 22:25 ..
drwxr-xr-x  2 a a  4096 Nov 30 22:25 lib
-rw-r--r--  1 a a   120 Mar  3  2024 one.py
-rw-rw-rw-  1 a a     0 Nov 29 10:00 open.txt
lrwxrwxrwx  1 a a     7 Nov 29 10:00 link -> one.py

./src/lib:
total 8
-rw-r--r--  1 a a 90210 Nov 30 22:26 big.bin
-rwsr-xr-x  1 a a    30 Jan  1  2020 tool
ls: cannot open directory './src/private': Permission denied
"""


def test_ls_tells_totals_spread_largest_and_unusual() -> None:
    found = found_by(LISTING_EXTRACTORS, LS, "ls -laR ./src")
    assert found.headline.splitlines() == [
        "6 entries, 1 folders, 1 links, 1 empty files, 90,367 bytes in files",
        "by ending: no ending 2, .bin 1, .py 1, .txt 1",
        "by folder in ./src: . 3, lib 2",
        "largest: ./src/lib/big.bin 90210, ./src/one.py 120, ./src/lib/tool 30, ./src/link 7, ./src/open.txt 0",
    ]
    quoted = {quote.text.split()[-1]: quote.weight for quote in found.quotes}
    assert quoted["denied"] == "error"
    assert quoted["tool"] == quoted["open.txt"] == quoted["big.bin"] == "detail"


def test_paths_are_counted_by_folder_and_ending() -> None:
    output = "".join(f"./a/b{n % 3}/f{n}.{'py' if n % 2 else 'txt'}\n" for n in range(30)) + "find: ‘./root’: Permission denied\n"
    found = found_by(LISTING_EXTRACTORS, output, "find . -type f")
    assert found.headline.splitlines() == [
        "30 entries",
        "by ending: .py 15, .txt 15",
        "by folder in ./a: b0 10, b1 10, b2 10",
    ]
    assert [(quote.line, quote.weight) for quote in found.quotes] == [(31, "error")]


def test_a_tree_tells_its_own_count_and_where_files_are() -> None:
    output = ".\n├── a\n│   ├── [ 10K]  one.py\n│   └── [332K]  two.js\n└── [1.0M]  three.ts\n\n1 directory, 3 files\n"
    found = found_by(LISTING_EXTRACTORS, output, "tree -h")
    assert found.headline.startswith("1 directory, 3 files\n")
    assert "largest: three.ts 1.0M, a/two.js 332K, a/one.py 10K" in found.headline


def test_du_shows_what_takes_most() -> None:
    output = "".join(f"{n}K\t./d/f{n}.js\n" for n in range(1, 20)) + "190K\t./d\n190K\t.\n"
    found = found_by(LISTING_EXTRACTORS, output, "du -ah .")
    assert "largest: ./d 190K, . 190K, ./d/f19.js 19K" in found.headline
    assert "bytes in files" not in found.headline


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (" M src/a.py\n M src/b.py\n?? c.txt\n", ["2 modified: src/: a.py; b.py", "1 untracked: c.txt"]),
        (
            "On branch main\nChanges not staged for commit:\n\tmodified:   src/a.py\n\nUntracked files:\n\tc.txt\n",
            ["On branch main", "1 modified, changes not staged for commit: src/a.py", "1 untracked files: c.txt"],
        ),
    ],
)
def test_git_status_names_every_path_by_its_state(output: str, said: list[str]) -> None:
    assert found_by(LISTING_EXTRACTORS, output, "git status").headline.splitlines() == said


def test_git_stat_tells_its_sum_and_where_most_changed() -> None:
    output = " src/a.py | 36 +-\n src/b.py | 140 ++++\n i.png | Bin 0 -> 10 bytes\n 3 files changed, 160 insertions(+)\n"
    found = found_by(LISTING_EXTRACTORS, output, "git diff --stat")
    assert found.headline.startswith("3 files changed, 160 insertions(+)\n3 entries\n")
    assert "most lines changed: src/b.py 140, src/a.py 36" in found.headline


@pytest.mark.parametrize(
    ("output", "command"),
    [
        ("hello\nworld and more\n", "ls"),
        ("a: 1\nb: 2\n", "find"),
        ("", "ls"),
        ("error: x\n" * 20, ""),
        ("fix a bug in x\n" * 20, "git log"),
    ],
)
def test_other_outputs_are_left_alone(output: str, command: str) -> None:
    assert surest(LISTING_EXTRACTORS, output, command) is None


@given(st.lists(st.text(alphabet="ab/.- :|\t├└─│ d1K[]", max_size=30), max_size=20), st.integers(0, len(STYLES) - 1))
def test_any_lines_are_read_as_any_listing(lines: list[str], which: int) -> None:
    assert read(LISTING_EXTRACTORS[which], "\n".join(lines)).kind == LISTING_EXTRACTORS[which].name
