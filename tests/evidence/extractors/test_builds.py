"""Builds: problems by code with every place, the step that failed, the output's own counts."""

import pytest
from evidence.extractors.outputs import found_by, read, surest
from hypothesis import given
from hypothesis import strategies as st

from limen.evidence.extractors.builds import BUILD_EXTRACTORS
from limen.evidence.extractors.diagnostics import diagnostic

RUSTC = (
    'error[E0308]: mismatched types\n --> src/m{file}.rs:{line}:22\n  |\n{line} | fn a() {{ "x" }}\n  |      ^^^ expected `i32`\n'
)
TOTAL = 'error: could not compile `crate` (bin "crate") due to 40 previous errors'


def test_forty_errors_in_twelve_files_keep_their_count_and_each_place() -> None:
    where = [(number % 12, 2 + number) for number in range(40)]
    output = "\n".join(RUSTC.format(file=file, line=line) for file, line in where) + f"\n{TOTAL}\n"
    found = found_by(BUILD_EXTRACTORS, output, "cargo build")
    assert found.headline.splitlines()[0] == TOTAL
    [tally] = [one for one in found.tallies if one.weight == "error"]
    assert tally.count == 40
    assert found.headline.splitlines()[1] == f"40 × {tally.what}"
    assert tally.what.startswith("error E0308 mismatched types: src/: ")
    said = tally.what.partition("src/: ")[2].split("; ")
    assert {f"{entry.split(':')[0]}:{line}" for entry in said for line in entry.split(":")[1].split(",")} == {
        f"m{file}.rs:{line}" for file, line in where
    }
    assert [one.text for one in found.quotes if one.weight == "failure"] == [TOTAL]


@pytest.mark.parametrize(
    ("line", "severity", "code", "file", "at"),
    [
        ("a.cpp:3:78: error: 'x' was not declared", "error", "", "a.cpp", 3),
        ("a.cpp:3:30: warning: unused variable 'y' [-Wunused-variable]", "warning", "-Wunused-variable", "a.cpp", 3),
        ("a.c:1:10: fatal error: nope.h: No such file or directory", "error", "", "a.c", 1),
        ("src/m.rs:3:22: error[E0425]: cannot find value `v`", "error", "E0425", "src/m.rs", 3),
        ('p.py:5: error: Name "u" is not defined  [name-defined]', "error", "name-defined", "p.py", 5),
        ('  /w/p.py:3:5 - error: "u" is not defined (reportUndefinedVariable)', "error", "reportUndefinedVariable", "/w/p.py", 3),
        ("p.py:1:8: F401 [*] `os` imported but unused", "error", "F401", "p.py", 1),
        ("C0.java:3: warning: [rawtypes] found raw type: List", "warning", "rawtypes", "C0.java", 3),
        ("a0.ts(1,7): error TS2322: Type 'string' is not", "error", "TS2322", "a0.ts", 1),
        ("a0.ts:1:7 - error TS2322: Type 'string' is not", "error", "TS2322", "a0.ts", 1),
        (r"C:\w\A.cs(12,9): error CS0103: The name 'q' [C:\w\A.csproj]", "error", "CS0103", r"C:\w\A.cs", 12),
        ("[ERROR] /w/C0.java:[3,54] cannot find symbol", "error", "", "/w/C0.java", 3),
        ("e: file:///w/A.kt:3:5 Unresolved reference: q", "error", "", "/w/A.kt", 3),
        ("./main.go:7:2: undefined: q", "error", "", "./main.go", 7),
        ("CMake Error at CMakeLists.txt:3 (find_package):", "error", "", "CMakeLists.txt", 3),
        ("ERROR in ./src/a.js 1:0-16", "error", "", "./src/a.js", 1),
        ("#12 3.456 src/a.c:3:4: error: expected ';'", "error", "", "src/a.c", 3),
        ("npm error code ERESOLVE", "error", "ERESOLVE", "", None),
        ("npm ERR! 404 Not Found", "error", "", "", None),
        ("/usr/bin/ld: a.o:(.text+0x11): undefined reference to `b()'", "error", "", "", None),
        ("LINK : fatal error LNK1104: cannot open file 'q.lib'", "error", "LNK1104", "", None),
        ("collect2: error: ld returned 1 exit status", "failure", "", "", None),
        ("make[1]: *** [Makefile:6: s0.o] Error 1", "failure", "", "s0.o", None),
        ("FAILED: CMakeFiles/app.dir/s0.cpp.o ", "failure", "", "CMakeFiles/app.dir/s0.cpp.o", None),
        ("> Task :app:compileJava FAILED", "failure", "", ":app:compileJava", None),
        ('ERROR: failed to solve: process "/bin/sh -c make" did not complete', "failure", "", "", None),
        ("a.cpp:3:1: note: candidate: 'f'", "note", "", "a.cpp", 3),
        ("ERROR: No matching distribution found for q==9", "error", "", "", None),
        ("RuntimeError: no libfoo", "error", "RuntimeError", "", None),
        ("The build of this failed", "error", "", "", None),
    ],
)
def test_a_line_is_taken_apart(line: str, severity: str, code: str, file: str, at: int | None) -> None:
    found = diagnostic(line)
    assert found is not None
    assert (found.severity, found.code, found.file, found.line) == (severity, code, file, at)


@pytest.mark.parametrize(
    "line", ["", "   Compiling a v1.0", "g++ -Werror -c error.cpp -o error.o", '  3 | error!("x")', "-- Check for errors.h"]
)
def test_other_lines_are_no_problems(line: str) -> None:
    assert diagnostic(line) is None


def test_warnings_are_counted_apart_from_errors_and_linker_errors_are_named() -> None:
    output = (
        "a.c:1:5: warning: unused variable 'x' [-Wunused-variable]\n"
        "b.c:9:5: warning: unused variable 'y' [-Wunused-variable]\n"
        "/usr/bin/ld: b.o: in function `main':\n"
        "b.c:(.text+0xa): undefined reference to `one'\n"
        "b.c:(.text+0xb): undefined reference to `two'\n"
        "collect2: error: ld returned 1 exit status\n"
        "make: *** [Makefile:2: app] Error 1\n"
    )
    found = found_by(BUILD_EXTRACTORS, output, "make")
    [tally] = found.tallies
    assert (tally.count, tally.weight, tally.first, tally.last) == (2, "warning", 1, 2)
    assert tally.what == "warning -Wunused-variable unused variable …: a.c:1; b.c:9"
    assert tally.example == output.splitlines()[0]
    quoted = [one.text for one in found.quotes]
    assert any("`one'" in text for text in quoted)
    assert any("`two'" in text for text in quoted)
    assert [one.text for one in found.quotes if one.weight == "failure"] == output.splitlines()[5:]


def test_eslint_places_are_those_of_the_file_named_above() -> None:
    output = (
        "\n/w/a.js\n  1:5  error  'q' is not defined  no-undef\n\n/w/b.js\n"
        "  7:1  error  'r' is not defined  no-undef\n\n✖ 2 problems (2 errors)\n"
    )
    found = found_by(BUILD_EXTRACTORS, output, "npx eslint .")
    assert found.headline.splitlines()[0] == "✖ 2 problems (2 errors)"
    assert [one.what for one in found.tallies] == ["error no-undef … is not defined: /w/: a.js:1; b.js:7"]


def test_what_belongs_to_the_first_of_a_kind_stands_with_it() -> None:
    output = (
        'CMake Error at CMakeLists.txt:3 (find_package):\n  By not providing "FindNo.cmake" this project\n'
        "  asked CMake\n\n-- Configuring incomplete, errors occurred!\n"
    )
    found = found_by(BUILD_EXTRACTORS, output, "cmake -S .")
    first, detail = found.quotes[:2]
    assert (first.weight, detail.weight, detail.group) == ("error", "detail", first.group)
    assert found.headline.startswith("-- Configuring incomplete, errors occurred!\n1 × error (find_package): CMakeLists.txt:3")


def test_nothing_is_said_of_success_that_the_output_does_not_say() -> None:
    found = found_by(BUILD_EXTRACTORS, "g++ -c a.cpp\ng++ -c b.cpp\n", "make")
    assert found.headline == ""
    assert found.tallies == ()


def test_a_long_line_is_quoted_by_its_beginning_and_a_word_far_into_one_is_counted() -> None:
    output = "a.c:1:2: error: " + "q" * 9000 + "\n" + "x" * 5000 + " fatal thing " + "y" * 5000 + "\n"
    found = found_by(BUILD_EXTRACTORS, output, "make")
    assert (found.quotes[0].line, found.quotes[0].start, len(found.quotes[0].text)) == (1, 0, 320)
    assert [(one.what, one.first, one.last) for one in found.tallies] == [("other lines with a word of error", 2, 2)]


@pytest.mark.parametrize(
    ("command", "output", "name"),
    [
        ("cd a && make -j8 2>&1 | tail -50", "", "make"),
        ("timeout 60 npx tsc -p .", "", "tsc"),
        ("python -m mypy src", "", "mypy"),
        ("uv run ruff check .", "", "ruff"),
        ("cargo test", "error: could not compile `a` due to 2 previous errors", "cargo"),
        ("cat build.log", "a.ts(1,2): error TS2304: q\n", "tsc"),
        ("./ci.sh", "a.xx:1:2: error: q\n" * 3, "build"),
        ("grep -rn make .", "a:make\n", None),
        ("git log", "fix an error: x\n" * 10, None),
    ],
)
def test_the_family_is_known_by_command_and_words(command: str, output: str, name: str | None) -> None:
    extractor = surest(BUILD_EXTRACTORS, output, command)
    assert (extractor.name if extractor else None) == name


def test_many_kinds_and_places_stay_bounded() -> None:
    lines = [
        f"f{number}.c:{number}:1: error: thing {chr(97 + number % 26)}{'abc' * (number % 300)} broke" for number in range(6000)
    ]
    found = read(BUILD_EXTRACTORS[0], "\n".join(lines))
    assert sum(one.count for one in found.tallies) == 6000
    assert len(found.tallies) <= 160
    assert len(found.quotes) <= 450
    assert max(len(one.what) for one in found.tallies) < 2000


@given(st.lists(st.text(alphabet="ab:1 ()[]'`-><error.warning*\\/|^\u2014\ud83d", max_size=60), max_size=30))
def test_any_lines_keep_their_numbers_and_words(lines: list[str]) -> None:
    output = "\n".join(lines)
    first, second = (read(BUILD_EXTRACTORS[3], output) for _ in range(2))
    assert first == second
