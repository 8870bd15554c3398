"""Rules that find credentials, and a set of them that reads a text once before it asks any single rule."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

import msgspec
import re2

from limen.kit.secret.stretch import stretches
from limen.kit.secret.value import entropy_bits, is_stand_in
from limen.kit.secret.view import Ways
from limen.kit.spans import Found


class Rule(msgspec.Struct, frozen=True, dict=True):
    """A credential's shape.

    `shape` is an RE2 pattern whose first group that took part is the secret (the whole match without groups). It is asked only
    about texts in which one of `keywords` (small RE2 patterns, in lower case) occurs, and `within`,
    where given, must match somewhere too, with one of the keywords in it. Where `unless` matches what a match has before its
    secret, it is none. `entropy` is the least Shannon entropy a character in bits; `accepts` judges the value further.
    """

    name: str
    shape: str
    keywords: tuple[str, ...]
    entropy: float = 0.0
    within: str = ""
    unless: str = ""
    accepts: Callable[[str], bool] | None = None

    @cached_property
    def _pattern(self) -> "re2._Regexp[str]":
        return _compiled(self.shape)

    @cached_property
    def _within(self) -> "re2._Regexp[str]":
        return _compiled(self.within)

    @cached_property
    def _unless(self) -> "re2._Regexp[str]":
        return _compiled(self.unless)

    def find(self, text: str, *, at_home: bool = False) -> Iterator[Found]:
        """Every value in `text` of this shape. `at_home` says that `within` has matched before."""
        if not (at_home or self.is_at_home(text)):
            return
        for match in self._pattern.finditer(text):
            start, end = _secret_span(match)
            if self._is_secret(text[start:end]) and not (self.unless and self._unless.search(text[match.start() : start])):
                yield Found(self.name, start, end)

    def is_at_home(self, text: str) -> bool:
        """Whether `within` matches in a text, where there is one."""
        return not self.within or self._within.search(text) is not None

    def _is_secret(self, value: str) -> bool:
        if is_stand_in(value) or (self.entropy and entropy_bits(value) < self.entropy):
            return False
        return self.accepts is None or self.accepts(value)


def _secret_span(match: "re2._Match[str]") -> tuple[int, int]:
    taken = next((group for group in range(1, match.re.groups + 1) if match.start(group) >= 0), 0)
    return match.start(taken), match.end(taken)


class RuleSet:
    """Rules behind one linear pass over the text, which says whose keywords occur. A rule is compiled when first asked."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        keywords = sorted({keyword for rule in rules for keyword in rule.keywords})
        self._rules = tuple(rules)
        self._by_keyword = [tuple(at for at, rule in enumerate(rules) if keyword in rule.keywords) for keyword in keywords]
        self._keywords = _keyword_set(keywords)

    def find(self, text: str, ways: Ways, about: "list[Rule] | None" = None) -> Iterator[Found]:
        """Every finding of every rule in any of the ways to look at the text, in no order; findings may overlap.

        A long text is read in stretches, but for rules that look about in it where they find what they look for. Those are added
        to `about`: they find their values in what follows the text too.
        """
        about = [] if about is None else about
        before = tuple(about)
        for start, stretch in stretches(text):
            for view in ways.of(stretch):
                for rule in self._asked(view.text):
                    if rule.within:
                        if rule not in about and rule.is_at_home(view.text):
                            about.append(rule)
                        continue
                    for found in map(view.located, rule.find(view.text)):
                        yield Found(found.rule, start + found.start, start + found.end)
        for view in ways.of(text) if about else ():
            for rule in about:
                yield from map(view.located, rule.find(view.text, at_home=rule in before))

    def _asked(self, text: str) -> Iterable[Rule]:
        """The rules whose keywords occur, in the table's order: of two that find the same, the first names it."""
        present = self._keywords.Match(text) or ()
        return [self._rules[at] for at in sorted({at for index in present for at in self._by_keyword[index]})]


# RE2 keeps an automaton's states in this much memory at most, and starts them anew when they are full.
_STATES_BYTES = 32 << 20


def _compiled(shape: str) -> "re2._Regexp[str]":
    options = re2.Options()
    options.max_mem = _STATES_BYTES
    options.log_errors = False
    return re2.compile(shape, options)


def _keyword_set(keywords: Sequence[str]) -> "re2.Set":
    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = _STATES_BYTES
    options.log_errors = False
    words = re2.Set.SearchSet(options)
    for keyword in keywords:
        words.Add(keyword)
    words.Compile()
    return words
