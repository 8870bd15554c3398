"""How compilers, linters, packagers and build tools tell of what is wrong: one table of the shapes of their lines."""

import re
from typing import Literal, NamedTuple

Severity = Literal["failure", "error", "warning", "note"]


class Diagnostic(NamedTuple):
    """One line that tells of a problem, taken apart. `file` and `line` are where it is, as far as the line itself
    says; `at` is the character at which the line tells of it."""

    shape: "Shape"
    severity: Severity
    message: str
    code: str = ""
    file: str = ""
    line: int | None = None
    at: int = 0


class Shape(NamedTuple):
    """One form of such lines. `pattern` names `file`, `line`, `severity`, `code` and `message` where the form has them.

    `severity` stands where the pattern names none. `body` is how many of the lines that follow belong to it. `placed_later`: the
    place follows on a line of its own (`--> file:line:column`), and a line that none follows is not of this form. `one`:
    all lines of this form tell of one problem.
    """

    name: str
    pattern: re.Pattern[str]
    severity: Severity = "error"
    body: int = 0
    placed_later: bool = False
    one: bool = False


_FILE = r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]{0,300})"
_WORD = r"(?P<severity>fatal error|internal compiler error|error|warning|note|info|information|help|hint|remark)"
_AT = rf"{_FILE}:(?P<line>\d+)(?::\d+)?"


def _shape(
    name: str,
    pattern: str,
    severity: Severity = "error",
    *,
    body: int = 0,
    any_case: bool = False,
    later: bool = False,
    one: bool = False,
) -> Shape:
    return Shape(name, re.compile(pattern, re.IGNORECASE if any_case else 0), severity, body, later, one)


# The first that fits a line stands for it: forms that name a place before those that begin with a word alone.
SHAPES = (
    _shape("placed", rf"\s{{0,8}}{_AT}:? (?:- )?{_WORD}(?:\[(?P<code>\w+)\]| (?P<code2>[A-Z]+\d+))?: (?P<message>.*)"),
    _shape(
        "parenthesised",
        r"\s{0,8}(?P<file>(?:[A-Za-z]:)?[^:]{1,300}?)\((?P<line>\d+)(?:,\d+)*\)\s?: "
        rf"(?:\w+ )?{_WORD}\s?(?P<code>[A-Z]+\d+)?\s?: (?P<message>.*)",
    ),
    _shape("maven", r"\[(?P<severity>ERROR|WARNING)\] (?P<file>[^:\[]{1,300}):\[(?P<line>\d+),\d+\] (?P<message>.*)"),
    _shape("kotlin", rf"(?P<severity>[ew]): (?:file://)?{_FILE}:(?: \()?(?P<line>\d+)(?::\d+|, \d+\):) (?P<message>.*)"),
    _shape("coded", rf"{_AT}: (?P<code>[A-Z]{{1,5}}\d{{2,5}}):? (?:\[\*\] )?(?P<message>.*)"),
    _shape(
        "linker",
        r".*?(?P<message>(?:undefined (?:reference to|symbol:?)|multiple definition of|cannot find -l"
        r"|unresolved external symbol|Undefined symbols for|symbol\(s\) not found).*)",
    ),
    _shape("instantiated", rf"{_AT}:\s+(?P<message>(?:recursively )?(?:required|instantiated|in ).*)", "note"),
    _shape("positioned", rf"{_FILE}:(?P<line>\d+):\d+: (?P<message>.*)"),
    _shape("eslint", r"\s+(?P<line>\d+):\d+\s+(?P<severity>error|warning)\s+(?P<message>.*)"),
    _shape("ruff", r"(?P<code>[A-Z]{1,5}\d{2,4}) (?:\[\*\] )?(?P<message>\S.*)", later=True),
    _shape("make", r"\S*make(?:\[\d+\])?: \*\*\* (?:\[(?:[^\]:]+:\d+: )?(?P<file>[^\]]+)\] )?(?P<message>.*)", "failure"),
    _shape("ninja", r"FAILED: (?:\[[^\]]*\] )?(?P<file>\S+)(?P<message>.*)", "failure"),
    _shape("gradle", r"> Task (?P<file>\S+) (?P<message>FAILED)", "failure"),
    _shape("gradle cause", r"(?P<message>FAILURE: .*|\* What went wrong:|Execution failed for task .*)", "failure", body=4),
    _shape(
        "cmake",
        r"CMake (?P<severity>Error|Warning|Deprecation Warning)(?: \(dev\))?(?: at (?P<file>[^:]+):(?P<line>\d+))?"
        r"(?P<message>.*)",
        body=4,
        any_case=True,
    ),
    _shape("webpack", r"(?P<severity>ERROR|WARNING) in (?P<file>\S+)(?: \(?(?P<line>\d+):\d+\S*)?(?P<message>.*)", body=2),
    _shape("esbuild", r"[✘X▲] \[(?P<severity>ERROR|WARNING)\] (?P<message>.*)", body=2),
    _shape("rolldown", r"\[(?P<code>[A-Z]+(?:_[A-Z]+)+)\] (?P<message>.*)", body=1),
    _shape(
        "docker",
        r"(?:#\d+ )?(?P<message>ERROR:? (?:\[[^\]]*\]|process|failed to solve).*| > \[[^\]]*\] (?:RUN|COPY|ADD).*"
        r"|.*returned a non-zero code: \d+.*)",
        "failure",
    ),
    _shape("npm", r"npm (?P<severity>ERR!|error|WARN|warn)(?: code (?P<code>\w+)|\s*(?P<message>.*))", one=True),
    _shape("maven step", r"\[(?P<severity>ERROR)\] (?P<message>Failed to execute goal.*)", "failure"),
    _shape("maven help", r"\[ERROR\] (?P<message>(?:(?:-> )?\[Help|To see|Re-run|For more).*)", "note"),
    _shape("tagged", r"\[(?P<severity>ERROR|WARNING|FATAL|WARN)\]:? (?P<message>\S.*)"),
    _shape(
        "plain",
        r"\s{0,4}(?:[^\s:][^:]{0,80}\s?: )?(?P<severity>fatal error|error|warning|fatal|note|hint)(?:\[(?P<code>[\w:]+)\]"
        r"| (?P<code2>[A-Z]+\d+))?\s?: (?P<message>.*)",
        any_case=True,
    ),
    _shape("rustc help", r"(?P<message>(?:Some errors have detailed|For more information about).*)", "note"),
    _shape("dependency", r"\s+(?P<message>(?:The user requested|\S+ \S+ depends on) .*)"),
    _shape("exception", r"\s{0,8}(?P<code>[A-Za-z_][\w.]{0,100}(?:Error|Exception)): (?P<message>.*)"),
    _shape("cross", r"\s{0,8}[×✗] (?P<message>\S.*)", "failure"),
)
LOOSE = Shape("loose", re.compile(r"(?<![\w./=-])(?:errors?|fatal|failed|failure|warn(?:ing)?s?)(?![\w/=-]|\.\w)", re.IGNORECASE))

_BEGINS = re.compile(r"(?:[A-Za-z]:)?[^\s:]{1,300}:\d+:\d+: |[A-Z]{1,5}\d{2,4} \S|\[[A-Z_]{4,}\]|\s{0,8}[×✗✘X▲] ")
_PREFIX = re.compile(r"#\d+ \d+\.\d+ |\[\d+/\d+\] |\d{4}-\d\d-\d\dT[\d:.]+Z ")
_CONTEXT = re.compile(r"\s*\d*\s*[|│>]|\s*[\^~=] ?")
_TAIL_CODE = re.compile(r"\s\[(?P<a>-?[A-Za-z][\w=+./@-]*)\]$|\s\((?P<b>[A-Za-z][\w./@-]*)\)$|\s\s(?P<c>[A-Za-z@][\w./@-]*)$")
_LEAD_CODE = re.compile(r"\[(?P<a>[a-z][\w-]*)\] ")
_STEPS = ("could not compile", "failed to solve", "subprocess-exited", "linker command failed", "exit status", "aborting due to",
          "linking with", "build failed")  # fmt: skip


def diagnostic(text: str) -> Diagnostic | None:
    """The problem that a line tells of; None for a line that tells of none. Looks at its first 1,000 characters."""
    text = text[:1000]
    low = text.lower()
    if not (_may_tell(low) or _BEGINS.match(text)):
        return None
    prefix = _PREFIX.match(text)
    bare = text[prefix.end() :] if prefix else text
    for shape in SHAPES:
        if match := shape.pattern.match(bare):
            return _taken_apart(shape, match.groupdict())
    return loosely(text)


def _may_tell(low: str) -> bool:
    """Whether a line in lower case has a word of any form: without one it is no problem. Asked of every line."""
    return (
        "error" in low
        or "warn" in low
        or "fail" in low
        or "fatal" in low
        or "exception" in low
        or "undefined " in low
        or "unresolved " in low
        or "cannot find -l" in low
        or "multiple definition" in low
        or "not found" in low
        or "***" in low
        or ": note: " in low
        or "note: " in low[:14]
        or "e: " in low[:3]
        or "w: " in low[:3]
        or " depends on " in low
        or "the user requested" in low
        or "> [" in low[:12]
        or "non-zero" in low
        or "what went wrong" in low
        or ":   required" in low
    )


def loosely(text: str) -> Diagnostic | None:
    """A line of no known form that has a word of failure in it, and is no line of source that is quoted in another's body."""
    if _CONTEXT.match(text) or not (match := LOOSE.pattern.search(text)):
        return None
    return Diagnostic(
        LOOSE, "warning" if match.group().lower().startswith("warn") else "error", text[:400].strip(), at=match.start()
    )


def _taken_apart(shape: Shape, groups: dict[str, str | None]) -> Diagnostic:
    message = groups.get("message") or ""
    code = groups.get("code") or groups.get("code2") or ""
    if not code and (match := _LEAD_CODE.match(message) or _TAIL_CODE.search(message[-200:])):
        code = next(filter(None, match.groups()))
        message = message.removesuffix(match.group()).removeprefix(match.group())
    severity = _severity(groups.get("severity"), shape)
    if severity == "error" and shape.name in ("plain", "tagged") and any(step in message for step in _STEPS):
        severity = "failure"
    if code.startswith("Warning/"):
        severity = "warning"
    line = groups.get("line")
    return Diagnostic(shape, severity, message.strip(), code, (groups.get("file") or "").strip(), int(line) if line else None)


def _severity(word: str | None, shape: Shape) -> Severity:
    if word is None or shape.severity == "failure":
        return shape.severity
    word = word.lower()
    if word.startswith(("w", "deprecation")):
        return "warning"
    return "error" if word.startswith(("fatal", "internal", "err")) or word == "e" else "note"


ARROW = re.compile(r"\s*(?:-->|╭─\[|,-\[) ?(?P<file>[^\s:][^:\]]{0,300}):(?P<line>\d+):\d+")

# The output's own account of how it ended.
SUMMARY = re.compile(
    r"(?:\[(?:ERROR|INFO)\] )?(?:Found \d+ (?:error|problem)|\d+ (?:errors?|warnings?)(?: generated)?(?:[.,]|\s*$)|✖ \d+ problem"
    r"|BUILD (?:SUCCESS|FAIL)|Build (?:FAILED|succeeded|failed with)|\s*\d+ (?:Error|Warning)\(s\)|\s*Finished .* (?:target|in )"
    r"|Success: no issues|All checks passed|Successfully (?:installed|built|tagged)|(?:added|changed|removed) \d+ packages?"
    r"|up to date|\d+ vulnerabilit|found \d+ vulnerabilit|Your code has been rated|-- Configuring (?:incomplete|done)"
    r"|error: could not compile|error: aborting due to|error: build failed|warning: `[^`]*` .*generated \d+ warning"
    r"|webpack [\d.]+ compiled|✓ built in|✗ Build failed|ninja: |make: Target"
    r"|\d+ errors?, \d+ warnings?|\s*\d+ errors? and \d+ warnings?"
    r"|The build finished|Compilation (?:failed|finished))"
)
