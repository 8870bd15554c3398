"""Credentials found and masked in linear time. One table for refusing, masking and reporting."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from limen.kit.secret.named import NAMED
from limen.kit.secret.rule import Rule, RuleSet
from limen.kit.secret.shapes import FORMATS
from limen.kit.secret.view import View, decoded_views, views
from limen.kit.spans import Found, merge, replace_spans

# The vendored rules (MIT, licence beside them); `scripts/secret_rules` makes the file from its source.
_VENDORED = Path(__file__).parent / "secret" / "gitleaks.json"


class _Vendored(msgspec.Struct, frozen=True):
    rules: tuple[Rule, ...]


def vendored_rules() -> tuple[Rule, ...]:
    """The vendored rules: formats, and values that a vendor's name introduces."""
    return msgspec.json.decode(_VENDORED.read_bytes(), type=_Vendored).rules


class SecretTable:
    """Finds credentials. `in_text` also judges a value by the name before it, which addresses do by their parameters."""

    def __init__(self, more: Sequence[Rule] = ()) -> None:
        self._more = tuple(more)

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
        return _found(text, self._formats, views)

    def in_text(self, text: str) -> list[Found]:
        """Credentials of known formats and values that a credential's name introduces."""
        return _found(text, self._all, _all_views)


def _all_views(text: str) -> Iterator[View]:
    return chain(views(text), decoded_views(text))


def _found(text: str, rules: RuleSet, ways: Callable[[str], Iterator[View]]) -> list[Found]:
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()  # a lone surrogate is no character; what stands for it is as long
    return merge(view.located(found) for view in ways(text) for found in rules.find(view.text))


# Brackets that occur in no configuration or source file, so that a mask cannot be taken for the file's own text.
MASK = "⟦masked {rule}⟧"


class Masked(NamedTuple):
    """A text with its credentials masked, and how many were."""

    text: str
    masked: int


def mask(text: str, table: SecretTable) -> Masked:
    """Mask every credential in running text. Nothing else changes."""
    found = table.in_text(text)
    return Masked(replace_spans(text, found, MASK) if found else text, len(found))
