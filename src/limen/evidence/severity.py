"""How grave a line is, by the words and levels that programs of any kind use for it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import re2

from limen.evidence.findings import Weight
from limen.evidence.stamps import stamp_end


class Gravity(NamedTuple):
    """How much a line decides, and where the word stands that says so. `exact`: what it names is a case of its own, however
    alike another line is."""

    weight: Weight
    at: int
    exact: bool = False


# How words begin that say that something went wrong, in lower case.
_ERROR_HINTS = (
    "err", "fail", "fatal", "panic", "exception", "crash", "abort", "segfault", "traceback", "severe", "critical", "corrupt",
)  # fmt: skip
_WARNING_HINTS = ("warn", "deprecat")
_DOUBT_HINTS = (
    "denied", "refused", "timed out", "timeout", "time-out", "unreachable", "cannot", "can't", "could not", "unable to",
    "not found", "no such", "undefined", "invalid", "reject", "kill", "overflow", "unknown", "missing", "unexpected",
    "leak", "assert",
)  # fmt: skip
_MORE_HINTS = (
    "segmentation", "core dumped", "leaking", "***", "out of memory", "emerg", "alert", "exit", "return code", "summary: ",
    "caused by", "---> ", "✗", "✖", "✕", "●",
)  # fmt: skip
# What is a failure whatever the level beside it, in words of its own; some only where they begin a line.
_FAILURES = (
    "TEST-UNEXPECTED-", "PROCESS-CRASH", "TEST-VALGRIND-ERROR", "Automation Error", "LEAKING", "###!!! ABORT",
    "Segmentation fault", "core dumped", "Core dumped", "panic: ", "panicked at ", "fatal: ", "atal error", "atal Error",
    "FATAL ERROR", "FATAL EXCEPTION", "Assertion fail", "ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "SUMMARY: ",
    "runtime error: ",
    "[  FAILED  ]", "npm ERR!", "npm error", "make: ***", "]: *** [", "ut of memory", "OutOfMemoryError", "oom-kill",
    "BUILD FAILED",
    "BUILD FAILURE", "command not found", "##[error]", "::error", "Kernel panic", "COMMAND FAILED", "nhandled exception",
    "KILLED",
)  # fmt: skip
_BEGINNINGS = re.compile(
    r"(?:\[[^\]]{1,60}\] )?"
    r"(?:\[[\w.-]{1,40}:(?:error|exception)\]|Killed\b|Terminated\b|Aborted\b|\s*[✗✖✕●] |FAILED\b|FAIL\b)"
)
# How it ended, where the number is none of success.
_EXIT = re.compile(
    r"\b(?:exit(?:ed)?(?: with)?(?: exit)?(?: status| code| return code)|exited(?: with)?"
    r"|returned(?: non-?zero)? exit (?:status|code)"
    r"|return code)(?: was)?[ :=]+(?:-?[1-9]\d{0,9}|0x[1-9a-f][\da-f]{0,15})\b",
    re.IGNORECASE,
)
# `KeyError: 261`, `java.io.IOException`: named by what was thrown.
_THROWN = re.compile(r"(?<![\w/.$'-])(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception)(?=[:\s]|$)")
_LEVELS: dict[str, Weight] = {
    **dict.fromkeys(("FATAL", "CRITICAL", "SEVERE", "EMERG", "EMERGENCY", "ALERT", "PANIC", "fatal", "critical", "crit",
    "emerg"), "failure"),
    **dict.fromkeys(("ERROR", "ERR", "error", "err"), "error"),
    **dict.fromkeys(("WARN", "WARNING", "warn", "warning"), "warning"),
    **dict.fromkeys(("INFO", "DEBUG", "TRACE", "NOTICE", "VERBOSE", "FINE", "CONFIG", "Info", "Debug", "info", "debug",
    "notice"), "note"),
}  # fmt: skip
# A level stands among the first words of a line; in lower case only in brackets or by a key.
_LEVEL_CHARS = 160
_KEYED = re.compile(r"(?:level|lvl|severity)\W{1,4}(\w+)", re.IGNORECASE)
_LETTER = re.compile(r"\d\d-\d\d \d\d:\d\d:\d\d\.\d+ +\d+ +\d+ ([A-Z]) |([WEF])/\S{1,60}\(|([WEF])\d{4} \d\d:")
_LETTERS: dict[str, Weight] = {"E": "error", "W": "warning", "F": "failure"}
_WORD = re.compile(
    r"(?<![\w/.=-])(?<!no )(?<!\b0 )(?<!without )"
    r"(?:err(?:ors?|no)?|fail(?:ed|ures?|ing|s)?|fatal|panic|exceptions?|crash(?:ed|es|ing)?|abort(?:ed|ing)?"
    r"|segfault|traceback|severe"
    r"|critical|corrupt(?:ed|ion)?|warn(?:ings?)?|deprecat(?:ed|ion)|denied|refused|timed out|time-?out|unreachable"
    r"|cannot|can't|could not"
    r"|unable to|not found|no such|undefined|invalid|rejected|killed|overflow|unknown|missing|unexpected|leak(?:ed"
    r"|s)?|assert(?:ion)?)"
    r"(?![\w/-]|\.\w|(?:s|\(s\))?[=:] ?0\b|\(\))"
)
# What every line has that `gravity` calls grave, or that is a part of a stack trace; from there to its end, so that a line is
# found once. The library looks at each byte once, whatever the number of words.
_TELLING = re2.compile(
    b"(?:(?i:" + "|".join(map(re2.escape, (*_ERROR_HINTS, *_WARNING_HINTS, *_DOUBT_HINTS, *_MORE_HINTS))).encode() + b")"
    rb"|[ \t]at |\.\.\. \d|(?m:^)(?:\d\d-\d\d \d\d:\d\d:\d\d\.\d+ +\d+ +\d+ [WEF] |[WEF]/|[WEF]\d{4} |Terminated"
    rb"|goroutine ))[^\n]*"
)
# So often a word is looked at where it stands in ways that say nothing, such as in names of files.
_LOOKS = 8
# Source of a script that is shown before it runs, and comments: what they would say has not been said.
_SOURCE = ("#", "echo ", "if ", "elif ", "//", "printf ", "case ", 'fail "', "+ echo ")


def telling(lines: Sequence[str]) -> list[int]:
    """Indices of the lines that may be grave or part of a stack trace. What is in no encoding is no part of any word."""
    block = "\n".join(lines).encode("utf-8", "replace")
    found, index, at = [], 0, 0
    for match in _TELLING.finditer(block):
        index += block.count(b"\n", at, match.start())
        at = match.start()
        found.append(index)
    return found


def gravity(text: str) -> Gravity | None:
    """How grave a line is; None for one that tells of nothing amiss. Linear in its length."""
    low = text.lower()
    at = _failure(text)
    if at >= 0:
        return _unless_source(text, Gravity("failure", at, exact=True))
    level, at = _level(text, low)
    found = _by_words(text, low, calm=level is not None)
    if level in ("failure", "error", "warning"):
        return Gravity(level, at if found is None else found.at)
    return None if found is None else _unless_source(text, found)


def _failure(text: str) -> int:
    """Where a line says that something failed; -1 where it does not. In quotes it is said of something else."""
    begun = _BEGINNINGS.match(text)
    if begun is not None:
        return begun.end() - 1
    for literal in _FAILURES:
        at = text.find(literal)
        if at >= 0 and text[at - 1 : at] not in ("'", '"'):
            return at
    return -1


def _by_words(text: str, low: str, *, calm: bool) -> Gravity | None:
    """By words alone. What a line of a low level says in passing decides less, but for the name of what was thrown."""
    if "Error" in text or "Exception" in text:
        found = _THROWN.search(text)
        if found is not None:
            return Gravity("error", found.start())
    if "exit" in low or "return code" in low:
        found = _EXIT.search(text)
        if found is not None:
            return Gravity("error", found.start())
    kinds: tuple[tuple[tuple[str, ...], Weight, Weight], ...] = (
        (_ERROR_HINTS, "error", "warning"), (_WARNING_HINTS, "warning", "warning"), (_DOUBT_HINTS, "warning", "note"),
    )  # fmt: skip
    for hints, weight, calm_weight in kinds:
        for hint in hints:
            at = _word_at(low, hint) if hint in low else -1
            if at >= 0:
                return Gravity(calm_weight if calm else weight, at)
    return None


def _word_at(low: str, hint: str) -> int:
    at = low.find(hint)
    for _ in range(_LOOKS):
        if at < 0 or _WORD.match(low, at) is not None:
            return at
        at = low.find(hint, at + 1)
    return -1


def _unless_source(text: str, found: Gravity) -> Gravity:
    said = text[stamp_end(text) :].lstrip()
    return Gravity("note", found.at) if said.startswith(_SOURCE) else found


def _level(text: str, low: str) -> tuple[Weight | None, int]:
    """The level a line gives itself, `note` for one that is calm; and where."""
    if text[:1].isdigit() or text[:1] in "EWF":
        letter = _LETTER.match(text)
        if letter is not None:
            return _LETTERS.get(letter[letter.lastindex or 0], "note"), letter.start(letter.lastindex or 0)
    for word in text[:_LEVEL_CHARS].split():
        bare = word.strip("[]<>():,;|-")
        level = _LEVELS.get(bare)
        if level is not None and (bare != bare.lower() or word[0] in "[<" or word[-1] == ":"):
            return level, text.index(word)
    if "level" in low or "severity" in low or "lvl" in low:
        keyed = _KEYED.search(text)
        if keyed is not None and keyed[1] in _LEVELS:
            return _LEVELS[keyed[1]], keyed.start(1)
    return None, 0
