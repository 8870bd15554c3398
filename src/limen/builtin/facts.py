"""What is known of models, as data with a date: windows, caps and prices. Read when the first model is asked for."""

import re
from functools import cached_property
from pathlib import Path

import msgspec

from limen.core.provider import KnownModel
from limen.core.route import Price

# From which length on Anthropic's cache keeps a prompt, by its documentation of prompt caching, whoever serves the model. Models
# that are not named here begin at 1,024 tokens, as the cache of nearly every vendor does.
_CACHE_TOKENS = (
    (re.compile(r"claude-(?:opus-4[.-][56]|haiku-4[.-]5)(?![0-9])"), 4_096),
    (re.compile(r"claude-(?:opus-4[.-]7|3[.-]5-haiku|3-haiku)(?![0-9])"), 2_048),
    (re.compile(r"claude-(?:opus|fable|mythos)-5(?![0-9]|[.-][0-9](?![0-9]))"), 512),
)
_DATA = Path(__file__).with_name("data") / "models.json"

_Row = list[int | float | None]


class _File(msgspec.Struct, frozen=True):
    as_of: str
    models: dict[str, dict[str, _Row]]


class ModelFacts:
    """The facts in one file, which `scripts/prices` makes and describes. Called with the very names of a provider and a model."""

    def __init__(self, file: Path = _DATA) -> None:
        self._file = file

    def __call__(self, provider: str, model: str) -> KnownModel | None:
        row = self._read.models.get(provider, {}).get(model)
        return None if row is None else _known(model, row, self._read.as_of)

    @property
    def as_of(self) -> str:
        """The day the facts were gathered, as `2026-11-20`."""
        return self._read.as_of

    @cached_property
    def _read(self) -> _File:
        return msgspec.json.decode(self._file.read_bytes(), type=_File)


def _known(model: str, row: _Row, as_of: str) -> KnownModel:
    window, cap, *prices = [*row, *[None] * 11][:11]
    price = _price(prices[:4], as_of)
    long = _price(prices[5:], as_of)
    if price is not None and long is not None and prices[4]:
        price = msgspec.structs.replace(price, long_tokens=int(prices[4]), long=long)
    cache_tokens = next((tokens for named, tokens in _CACHE_TOKENS if named.search(model)), None)
    return KnownModel(model, int(window or 0), int(cap or window or 0), price, cache_tokens)


def _price(numbers: _Row, as_of: str) -> Price | None:
    """The price of four numbers; None where input or output costs nobody knows what."""
    given, answered, cached, written = numbers
    return None if given is None or answered is None else Price(given, answered, cached, written, as_of)
