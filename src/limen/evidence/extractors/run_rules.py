"""How the output of a test runner is described: rules for its lines, tried in order, and the places they hold in."""

from collections.abc import Mapping
from functools import cached_property
from typing import Literal

import msgspec
import re2

from limen.evidence.findings import Weight

Act = Literal[
    "opens", "listed", "named", "detail", "place", "frame", "aside", "told", "warning", "passed", "skipped", "summary", "moves"
]  # fmt: skip
"""What a line is. `opens`: the header of a failure. `listed`: names a failing test, and is quoted where nothing else of it was.
`named`: names one in passing, and is quoted if no header follows. `detail`, `place`, `frame`: belong to the open failure, and are
quoted up to a number of each. `aside`: told by its number. `told`: worth a quote of its own, such as a crash. `moves`: a heading
of the runner."""

Named = Mapping[str, str]


class Rule(msgspec.Struct, frozen=True, dict=True):
    """One kind of line: `shape` is an RE2 pattern that matches from the line's begin on, asked only in one of the states `at`
    (words, `-` for that at the begin; none: everywhere). `to` is the state afterwards. `then` lines that follow belong to it,
    whatever they say, until another rule takes one (but for an `aside` without `what`). `what` names the lines where they are
    counted.

    Groups of the shape: `name` of a test, `short` for one told in passing without the whole of its name, `counts` for the
    headline, `reason` of a skip, `kind` of a warning, `n` a number of them; others are a reading's own.
    """

    act: Act
    shape: str
    at: str = ""
    to: str | None = None
    then: int = 0
    what: str = ""
    weight: Weight = "failure"

    @cached_property
    def _pattern(self) -> "re2._Regexp[str]":
        return re2.compile(self.shape)

    @cached_property
    def _groups(self) -> tuple[tuple[str, int], ...]:
        return tuple(self._pattern.groupindex.items())

    def named(self, line: bytes) -> Named:
        """The groups that take part in a line of this kind, by their names."""
        found = self._pattern.match(line) if self._groups else None
        if found is None:
            return {}
        spans = ((name, *found.span(group)) for name, group in self._groups)
        return {name: line[start:end].decode() for name, start, end in spans if start >= 0}

    def holds_in(self, state: str) -> bool:
        return not self.at or (state or "-") in self.at.split()


# Memory for the automaton of one state's rules together.
_SET_BYTES = 64 << 20


class RulesOfState:
    """Rules that hold at once. One pass over a line tells which of them take it."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self._rules = rules
        options = re2.Options()
        options.max_mem = _SET_BYTES
        options.never_capture = True
        self._set = re2.Set.MatchSet(options)
        for rule in rules:
            self._set.Add(rule.shape)
        self._set.Compile()

    def taking(self, line: bytes) -> list[Rule]:
        """The rules whose shape the line has, in their order."""
        found = self._set.Match(line) if self._rules else None
        return [self._rules[index] for index in sorted(found)] if found else []


class Grammar(msgspec.Struct, frozen=True, dict=True):
    """A runner: its rules, the programs (with verbs) that run it, and `signs`: a pattern that only its output has in a line.
    `certain` is one that leaves no doubt, though the lines are of another form as well.

    `deepest_last`: the decisive frame of a traceback is the last one, as in Python. `thrown`: so many lines of a failure that say
    what was thrown weigh more than the others.
    """

    name: str
    rules: tuple[Rule, ...]
    signs: str
    certain: str = ""
    programs: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    deepest_last: bool = False
    thrown: int = 2
    sureness: float = 0.9

    @cached_property
    def _by_state(self) -> "dict[str, RulesOfState]":
        return {}

    def rules_in(self, state: str) -> "RulesOfState":
        """The rules that hold in a state, found by one look at a line for all of them."""
        found = self._by_state.get(state)
        if found is None:
            found = self._by_state[state] = RulesOfState(tuple(rule for rule in self.rules if rule.holds_in(state)))
        return found
