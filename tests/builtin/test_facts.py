"""What is known of models: the file that is shipped, and what its reader makes of a line."""

import datetime as dt
import json
from pathlib import Path

import pytest

import limen.builtin
from limen.builtin.facts import ModelFacts
from limen.builtin.providers import provider_table

DATA = Path(limen.builtin.__file__).parent / "data"
FILE = json.loads((DATA / "models.json").read_text())


@pytest.fixture
def facts(tmp_path):
    """Facts from the given lines of one provider."""

    def make(**rows):
        file = tmp_path / "models.json"
        file.write_text(json.dumps({"as_of": "2026-01-02", "models": {"p": rows}}))
        return ModelFacts(file)

    return make


def test_a_whole_line(facts):
    known = facts(m=[1_000_000, 128_000, 2, 10, 0.2, 2.5, 272_000, 4, 15, 0.4, 5])("p", "m")
    assert (known.name, known.window_tokens, known.output_tokens) == ("m", 1_000_000, 128_000)
    price = known.price
    assert (price.input_usd, price.output_usd, price.cached_input_usd, price.cache_write_usd) == (2, 10, 0.2, 2.5)
    assert price.as_of == "2026-01-02"
    assert price.long_tokens == 272_000
    assert (price.long.input_usd, price.long.output_usd, price.long.cached_input_usd, price.long.cache_write_usd) == (
        4,
        15,
        0.4,
        5,
    )


def test_what_is_not_known_is_none(facts):
    known = facts(bare=[8_000], capped=[8_000, 1_000], half=[8_000, None, 1.0], priced=[8_000, None, 1, 2])
    assert known("p", "bare").price is None
    assert known("p", "bare").output_tokens == 8_000
    assert known("p", "capped").output_tokens == 1_000
    assert known("p", "half").price is None
    priced = known("p", "priced").price
    assert (priced.cached_input_usd, priced.cache_write_usd, priced.long) == (None, None, None)
    assert known("p", "other") is None
    assert known("q", "bare") is None


def test_the_file_is_read_when_something_is_asked(tmp_path):
    facts = ModelFacts(tmp_path / "gone.json")
    with pytest.raises(FileNotFoundError):
        facts("p", "m")


def test_the_shipped_file_is_dated_small_and_has_its_licence():
    dt.date.fromisoformat(FILE["as_of"])
    assert (DATA / "models.json").stat().st_size <= 120_000
    licence = (DATA / "models.LICENSE").read_text()
    assert licence.count("MIT License") >= len(FILE["sources"])
    assert "models.json" in FILE["licence"] or "models.LICENSE" in FILE["licence"]


@pytest.mark.parametrize("provider", FILE["models"])
def test_every_shipped_line_makes_sense(provider):
    assert provider in provider_table()
    facts = ModelFacts()
    for model, row in FILE["models"][provider].items():
        known = facts(provider, model)
        assert len(row) in (1, 2, 4, 5, 6, 9, 10, 11), model
        assert 1_000 <= known.window_tokens <= 20_000_000, model
        assert 0 < known.output_tokens <= 20_000_000, model
        price = known.price
        if price is None:
            continue
        assert 0 <= price.input_usd < 1_000, model
        assert 0 < price.input_usd + price.output_usd < 2_000, model
        assert (price.long is None) == (price.long_tokens == 0), model
        assert price.as_of == FILE["as_of"]


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-opus-4-5", 4_096),
        ("claude-opus-4-5-20251101", 4_096),
        ("anthropic/claude-opus-4.6", 4_096),
        ("claude-haiku-4-5-20251001", 4_096),
        ("claude-opus-4-7-20260416", 2_048),
        ("anthropic/claude-3.5-haiku", 2_048),
        ("anthropic/claude-3-haiku", 2_048),
        ("claude-opus-5", 512),
        ("claude-opus-5-20260601", 512),
        ("anthropic/claude-opus-5:batch", 512),
        ("claude-opus-5-5", None),
        ("anthropic/claude-fable-5.1", None),
        ("claude-opus-4-8", None),
        ("claude-opus-4-20250514", None),
        ("claude-sonnet-4-5", None),
        ("gpt-5.2", None),
    ],
)
def test_from_which_length_on_a_prompt_is_kept_is_known_by_model(facts, model, tokens):
    assert facts(**{model: [200_000, 64_000]})("p", model).cache_tokens == tokens
