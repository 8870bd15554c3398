"""The table of providers: that it holds together, and what stands in it for those who depend on it."""

import pytest

from limen.builtin.facts import ModelFacts
from limen.builtin.providers import PROVIDERS, provider_table
from limen.models import quirks
from limen.models.wire_choice import wire_at
from limen.net.url import SafeUrl, parse

# Whose models change by themselves, or are in no list that we have.
_UNLISTED = {"openrouter", "nous", "limen"}


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_a_provider_holds_together(provider):
    assert provider.quirks <= quirks.ALL
    assert not provider.endpoint.endswith("/")
    assert all(name.isupper() and name.isidentifier() for name in provider.variables)
    assert not (provider.variables and provider.credential)
    wants_key = bool(provider.variables or provider.credential)
    assert provider.needs_key == wants_key
    if provider.endpoint:
        parsed = parse(provider.endpoint)
        assert isinstance(parsed, SafeUrl)
        assert (parsed.scheme == "https") == wants_key
        assert provider.hosts == ((parsed.host,) if wants_key else ())


def test_no_name_and_no_variable_stands_for_two():
    names = ["".join(char for char in provider.name if char.isalnum()) for provider in PROVIDERS]
    assert len(set(names)) == len(names)
    variables = [name for provider in PROVIDERS for name in provider.variables]
    assert len(set(variables)) == len(variables)


def test_the_order_is_that_of_small_jobs():
    order = [provider.name for provider in PROVIDERS]
    first = ["openrouter", "nous", "custom", "codex", "zai", "kimi", "minimax", "xiaomi", "huggingface", "anthropic"]
    assert order[: len(first)] == first
    others = order[len(first) : order.index("llama.cpp")]
    assert others == sorted(others)
    assert set(others) == {"azure", "deepseek", "google", "groq", "mistral", "openai", "together", "vercel", "xai"}
    assert order[-1] == "limen"


def test_keys_have_the_hosts_they_belong_to():
    table = provider_table()
    assert table["openrouter"].hosts == ("openrouter.ai",)
    assert table["vercel"].hosts == ("ai-gateway.vercel.sh",)
    assert table["openai"].hosts == ("api.openai.com",)
    assert table["azure"].hosts == ()
    assert table["codex"].credential == "oauth:codex"


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("openrouter", "chat_completions"), ("anthropic", "anthropic_messages"), ("codex", "codex_responses"),
        ("minimax", "anthropic_messages"), ("azure", "chat_completions"), ("limen", "embedded"),
    ],
)  # fmt: skip
def test_wires(name, wire):
    provider = provider_table()[name]
    assert wire_at(provider.endpoint, provider.wire) == wire


def test_a_model_that_is_meant_without_a_name_is_one_that_is_known():
    facts = ModelFacts()
    for provider in PROVIDERS:
        if provider.default_model and provider.name not in _UNLISTED:
            assert facts(provider.name, provider.default_model) is not None, provider.name


def test_a_key_for_downloads_chooses_no_model():
    assert provider_table()["huggingface"].default_model == ""
