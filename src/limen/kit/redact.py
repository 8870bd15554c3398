"""Credentials found and masked in linear time. One table for refusing, masking and reporting."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from limen.kit.secret.echo import Echoes
from limen.kit.secret.named import NAMED
from limen.kit.secret.rule import Rule, RuleSet
from limen.kit.secret.shapes import FORMATS
from limen.kit.secret.view import Ways
from limen.kit.spans import MASK, Found, merge, replace_spans

# The vendored rules (MIT, licence beside them); `scripts/secret_rules` makes the file from its source.
_VENDORED = Path(__file__).parent / "secret" / "gitleaks.json"
# What a key is called that a person configured. Shorter ones are not looked for, nor words such as `lm-studio`, which servers at
# home take for a key: masking those would tear holes into every text about them.
_CONFIGURED = "configured-key"
_LEAST_CHARS = 8
_NO_WORD_CHARS = 16
# A log-in renews its token every hour or so; those of a week and more ago open nothing.
_MOST_KNOWN = 200


class _Vendored(msgspec.Struct, frozen=True):
    rules: tuple[Rule, ...]


def vendored_rules() -> tuple[Rule, ...]:
    """The vendored rules: formats, and values that a vendor's name introduces."""
    return msgspec.json.decode(_VENDORED.read_bytes(), type=_Vendored).rules


class SecretTable:
    """Finds credentials. `in_text` also judges a value by the name before it, which addresses do by their parameters."""

    def __init__(self, more: Sequence[Rule] = ()) -> None:
        self._more = tuple(more)
        self._known: tuple[str, ...] = ()
        self.known = Echoes()

    def know(self, secret: str) -> None:
        """Find this very text as well, wherever it stands, whatever its shape, and in the forms of `Echoes`; unless it may be a
        word of a language. The latest 200 are remembered."""
        may_be_word = len(secret) < _NO_WORD_CHARS and not any(char.isdigit() for char in secret)
        if len(secret) >= _LEAST_CHARS and not may_be_word and secret not in self._known:
            self._known = (*self._known, secret)[-_MOST_KNOWN:]
            self.known = Echoes(self._known, _CONFIGURED)

    @cached_property
    def _format_rules(self) -> tuple[Rule, ...]:
        return (*FORMATS, *vendored_rules(), *self._more)

    @cached_property
    def _formats(self) -> RuleSet:
        return RuleSet(self._format_rules)

    @cached_property
    def _all(self) -> RuleSet:
        return RuleSet((*self._format_rules, *NAMED))

    def in_value(self, text: str) -> list[Found]:
        """Credentials of known formats, wherever they stand."""
        return _found(text, self._formats, self.known, decoded=False)

    def in_text(self, text: str, about: list[Rule] | None = None) -> list[Found]:
        """Credentials of known formats and values that a credential's name introduces. `about` is what the parts before this one
        say of values in it, such as that a Kubernetes secret has begun, and is added to."""
        return _found(text, self._all, self.known, decoded=True, about=about)


def _found(text: str, rules: RuleSet, known: Echoes, *, decoded: bool, about: list[Rule] | None = None) -> list[Found]:
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()  # a lone surrogate is no character; what stands for it is as long
    ways = Ways(text, decoded=decoded)
    return merge(chain(rules.find(text, ways, about), _known_in(text, ways, known)))


def _known_in(text: str, ways: Ways, known: Echoes) -> Iterator[Found]:
    for view in ways.of(text) if known else ():
        yield from map(view.located, known.find(view.text))


class Masked(NamedTuple):
    """A text with its credentials masked, and how many were."""

    text: str
    masked: int


def mask(text: str, table: SecretTable) -> Masked:
    """Mask every credential in running text. Nothing else changes."""
    found = table.in_text(text)
    return Masked(replace_spans(text, found, MASK) if found else text, len(found))
