"""The language under the macros (groff(7)): definitions, strings, registers, conditions. It gives the lines that remain."""

import operator
import re
from collections import deque
from collections.abc import Callable, Iterator

from limen.reading.formats.manual.text import delimited_at, name_at

# What a page may make of itself: lines run through, their characters.
_MOST_LINES = 400_000
_MOST_CHARS = 40_000_000
_LINE_CHARS = 20_000
# Macros of its own that it calls: one that calls itself would go on for as long as lines may.
_MOST_CALLS = 10_000
_COMMENT = re.compile(r'(?<!\\)((?:\\\\)*)\\["#].*')
_REQUEST = re.compile(r"[.'][ \t]*([^\s\\]*)[ \t]*")
_REGISTER = re.compile(r"\\n[-+]?(?:\[[^\]\n]*\]|\(..|[^\[(])")
# An expression ends at a blank, but for those in its brackets.
_EXPRESSION = re.compile(r"(?:[^\s()]|\([^()]*+\)|[()])*+")
_INNERMOST = re.compile(r"\(([^()]*+)\)")
_STEP = re.compile(r"(<=|>=|==|<\?|>\?|[-+*/%<>=&:])\s*([-+!]*)(\d{1,12}(?:\.\d*)?|\.\d+)[icpPmnvuszf]?\s*")
_DEEPEST = 20
_STRINGS = {
    "R": "\\(rg", "S": "", "Tm": "\\(tm", "lq": "\\(lq", "rq": "\\(rq", "Aq": "\\(aq", "--": "\\(em", "PI": "\\(*p",
    "L\"": "\\(lq", "R\"": "\\(rq", "C+": "C++", "C'": "", "C`": "", "q": '"', "Px": "POSIX", "Ba": "|", "Ai": "ANSI",
    "Ne": "\\(!=", "Le": "\\(<=", "Ge": "\\(>=", "Lt": "<", "Gt": ">", "Pm": "\\(+-", "If": "\\(if", "Na": "NaN", "Lq": "\\(lq",
    "Rq": "\\(rq", "q.": "", "HF": "", "^": "^", "<=": "\\(<=", ">=": "\\(>=", "Am": "&", "Pi": "\\(*p",
}  # fmt: skip
# As nroff would have them: a text terminal by groff.
_REGISTERS = {
    ".g": "1",
    ".x": "1",
    ".y": "22",
    ".t": "1",
    ".l": "78",
    ".k": "0",
    ".H": "24",
    ".V": "40",
    ".s": "10",
    ".f": "1",
    ".u": "1",
}
# Requests that are done here, and leave no line.
_DEFINING = frozenset({"de", "de1", "dei", "am", "am1", "ig"})


class Roff:
    """Runs a page's requests. `known` are the macros that the reader of its lines understands, whatever a page makes of them."""

    def __init__(self, known: frozenset[str]) -> None:
        self._known = known
        self._strings = dict(_STRINGS)
        self._registers = dict(_REGISTERS)
        self._macros: dict[str, list[str]] = {}
        self._pending: deque[str] = deque()
        self._answers: list[bool] = []
        self._chars = self._calls = 0

    def register(self, name: str) -> str:
        """A number register's value; 0 where it was never set."""
        return self._registers.get(name, "0")

    def lines(self, source: str) -> Iterator[str]:
        """The lines that are left to format, conditions decided, strings and macros of the page's own put in."""
        self._pending.extend(_joined(source))
        for _ in range(_MOST_LINES):
            if not self._pending or self._chars > _MOST_CHARS:
                return
            line = self._pending.popleft()[:_LINE_CHARS]
            self._chars += len(line)
            yield from self._take(line)

    def _take(self, line: str) -> Iterator[str]:
        if line[:1] not in {".", "'"}:
            yield self.with_strings(_uncommented(line).replace("\\}", ""))
            return
        found = _REQUEST.match(line)
        name = found.group(1) if found else ""
        rest = line[found.end() :] if found else ""
        if name in _DEFINING:
            self._define(name, rest)
        elif name in {"if", "ie", "el"}:
            self._condition(name, rest)
        elif not self._do(name, self.with_strings(_uncommented(rest).replace("\\}", ""))):
            plain = self.with_strings(_uncommented(line).replace("\\}", ""))
            if plain.strip(".' \t"):
                yield plain

    def _define(self, name: str, rest: str) -> None:
        words = _uncommented(rest).split()
        end = words[1] if name != "ig" and len(words) > 1 else words[0] if name == "ig" and words else "."
        body: list[str] = []
        while self._pending:
            line = self._pending.popleft()
            if line.startswith(".") and line[1:].strip().split(" ", 1)[0] == end:
                break
            body.append(line.replace("\\\\", "\\"))
        if name != "ig" and words and words[0] not in self._known:
            if name.startswith("de"):
                self._macros[words[0]] = []
            self._macros.setdefault(words[0], []).extend(body)

    def _do(self, name: str, rest: str) -> bool:
        """Do a request that changes what is known; whether it was one."""
        word, _, value = rest.strip().partition(" ")
        if name in {"ds", "ds1", "as"}:
            value = value.lstrip(" ").removeprefix('"')
            held = self._strings.get(word, "") if name == "as" else ""
            if len(held) + len(value) < _LINE_CHARS:
                self._strings[word] = held + value
        elif name == "nr":
            self._set_register(word, value)
        elif name in {"rm", "rr"}:
            for gone in rest.split():
                self._macros.pop(gone, None)
        elif name in {"rn", "als"}:
            new, old = (word, value.strip()) if name == "als" else (value.strip(), word)
            if old in self._macros:
                self._macros[new] = self._macros[old]
        elif name in self._macros and name not in self._known:
            self._call(self._macros[name], arguments_of(rest))
        else:
            return False
        return True

    def _set_register(self, word: str, value: str) -> None:
        value = value.strip()
        number = self._expression(value.lstrip("+-"))[0]
        if value[:1] in {"+", "-"}:
            number = _int(self.register(word)) + (number if value[0] == "+" else -number)
        self._registers[word] = str(int(max(min(number, 1e9), -1e9)))

    def _call(self, body: list[str], arguments: list[str]) -> None:
        """Put a macro's lines before those that are left."""
        given = {str(n): argument for n, argument in enumerate(arguments[:9], 1)}
        given |= {"*": " ".join(arguments), "@": " ".join(f'"{argument}"' for argument in arguments)}
        self._calls += 1
        count, size, lines = str(len(arguments)), self._chars, list[str]()
        for line in body if self._calls <= _MOST_CALLS else ():
            line = line[:_LINE_CHARS].replace("\\n(.$", count).replace("\\n[.$]", count)
            lines.append(_ARGUMENT.sub(lambda found: given.get(found[1] or found[2] or found[3], ""), line)[:_LINE_CHARS])
            size += len(lines[-1])
            if size > _MOST_CHARS:
                self._chars = size
                return
        self._pending.extendleft(reversed(lines))

    def _condition(self, name: str, rest: str) -> None:
        if name == "el":
            holds = not self._answers.pop() if self._answers else False
        else:
            holds, rest = self._holds(rest)
            if name == "ie":
                self._answers.append(holds)
        rest = rest.lstrip(" \t")
        if holds:
            rest = rest.removeprefix("\\{").lstrip(" \t")
            if rest.strip() and rest.strip() != "\\":
                self._pending.appendleft(rest)
            return
        open_blocks = _balance(rest)
        while open_blocks > 0 and self._pending:
            open_blocks += _balance(self._pending.popleft())

    def _holds(self, rest: str) -> tuple[bool, str]:
        """Whether a condition holds, and what comes after it."""
        rest = rest.lstrip(" \t")
        denied = False
        while rest.startswith("!"):
            denied, rest = not denied, rest[1:].lstrip(" \t")
        first = rest[:1]
        if first in {"n", "t", "o", "e", "v"} and not rest[1:2].isalnum():
            return (first in {"n", "o"}) != denied, rest[1:]
        if first in {"d", "r", "c", "m", "F", "S"}:
            name, _, after = rest[1:].lstrip(" \t").partition(" ")
            there = {
                "d": name in self._strings or name in self._macros or name in self._known,
                "r": name in self._registers,
                "c": True,
            }
            return there.get(first, False) != denied, after
        if rest.startswith(("\\n", "\\w")) or first.isdigit() or first in {"(", "-", "+", "."}:
            value, after = self._expression(rest)
            return (value > 0) != denied, after
        if not first:
            return denied, ""
        one, at = delimited_at(rest, 0)
        other, end = delimited_at(rest, at - 1) if at <= len(rest) else ("", len(rest))
        return (self._valued(one) == self._valued(other)) != denied, rest[end:]

    def _valued(self, text: str) -> str:
        """The text with its strings and registers put in."""
        return _REGISTER.sub(lambda found: self.register(name_at(found.group(), 2)[0]), self.with_strings(text))

    def _expression(self, text: str) -> tuple[float, str]:
        """A numeric expression up to the first blank outside its brackets, and what comes after it."""
        text = _REGISTER.sub(lambda found: self.register(name_at(found.group().replace("+", "", 1), 2)[0]), text)
        while (at := text.find("\\w")) >= 0 and at + 2 < len(text):
            said, end = delimited_at(text, at + 2)
            text = f"{text[:at]}{len(said)}{text[end:]}"
        found = _EXPRESSION.match(text)
        if found is None:
            return 0.0, text
        told = found.group()
        for _ in range(_DEEPEST):
            told, count = _INNERMOST.subn(lambda inner: f"{_applied(inner[1]):.6f}", told)
            if not count:
                break
        return _applied(told), text[found.end() :]

    def with_strings(self, text: str) -> str:
        """The text with its strings put in, a few levels deep."""
        for _ in range(4):
            if "\\*" not in text:
                break
            text = self._with_strings(text)
        return text

    def _with_strings(self, text: str) -> str:
        pieces, at, size = [], 0, 0
        while (stop := text.find("\\", at)) >= 0 and stop + 1 < len(text) and size < _LINE_CHARS:
            if text[stop + 1] == "*":
                name, end = name_at(text, stop + 2)
                value = self._strings.get(name.split(" ", 1)[0], "")
                pieces += [text[at:stop], value]
                size += stop - at + len(value)
                at = end
            else:
                pieces.append(text[at : stop + 2])
                at = stop + 2
        return "".join(pieces) + text[at:]


_ARGUMENT = re.compile(r"\\\$(?:\[([^\]\n]*)\]|\((..)|([\d*@]))")
_WORD = re.compile(r'"((?:[^"]|"")*)"?|((?:\\[ ]|[^\s"])(?:\\[ ]|[^\s])*)')


def arguments_of(rest: str) -> list[str]:
    """A macro's arguments: divided by blanks, or quoted; two quotes within a pair mean one."""
    return [found.group(1).replace('""', '"') if found.group(1) is not None else found.group(2) for found in _WORD.finditer(rest)]


def _joined(source: str) -> Iterator[str]:
    """The lines of a source, those that end in a backslash with the next one."""
    held = ""
    for line in source.split("\n"):
        if line.endswith("\\") and not line.endswith("\\\\") and len(held) < _LINE_CHARS:
            held += line[:-1]
            continue
        yield held + line
        held = ""
    if held:
        yield held


def _uncommented(line: str) -> str:
    if '\\"' not in line and "\\#" not in line:
        return line
    return _COMMENT.sub(r"\1", line)


def _balance(line: str) -> int:
    return line.count("\\{") - line.count("\\}")


_APPLIED: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
    "/": lambda one, other: one / other if other else 0.0, "%": lambda one, other: one % other if other else 0.0,
    "<": operator.lt, ">": operator.gt, "=": operator.eq, "==": operator.eq, "<=": operator.le, ">=": operator.ge,
    "&": lambda one, other: float(one > 0 and other > 0), ":": lambda one, other: float(one > 0 or other > 0),
    "<?": min, ">?": max,
}  # fmt: skip


def _applied(told: str) -> float:
    """An expression without brackets, from left to right, without precedence, as roff has it."""
    value = 0.0
    for found in _STEP.finditer(f"+{told}"):
        operand = -float(found[3]) if found[2].count("-") % 2 else float(found[3])
        value = max(min(float(_APPLIED[found[1]](value, operand)), 1e12), -1e12)
    return value


def _int(text: str) -> int:
    digits = text.lstrip("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 12 and text.count("-") <= 1 else 0
