"""The providers we know, as data. Settings under `providers` change them and add others."""

from limen.core.provider import Provider
from limen.core.route import Price

_FREE = Price(0.0, 0.0, 0.0)

PROVIDERS: tuple[Provider, ...] = (
    Provider("limen", "embedded", default_model="extractive", price=_FREE),
    Provider(
        "llama.cpp",
        "chat_completions",
        endpoint="http://127.0.0.1:8080/v1",
        quirks=frozenset({"alternate"}),
        lists_models=True,
        window_tokens=4_096,  # what llama-server gives a slot unless it is told otherwise; it says the true one
        price=_FREE,
        start="start it: llama-server -m MODEL.gguf --jinja (elsewhere: limen config set providers.llamacpp.endpoint URL)",
    ),
    Provider(
        "ollama",
        "chat_completions",
        endpoint="http://127.0.0.1:11434/v1",
        quirks=frozenset({"alternate", "flat_content"}),
        lists_models=True,
        window_tokens=4_096,  # its documented default; a longer prompt is cut without a word
        price=_FREE,
        start="start it: ollama serve, then ollama pull MODEL (elsewhere: limen config set providers.ollama.endpoint URL)",
    ),
    Provider(
        "openai",
        "chat_completions",
        endpoint="https://api.openai.com/v1",
        credential="env:OPENAI_API_KEY",
        hosts=("api.openai.com",),
        needs_key=True,
        quirks=frozenset({"max_completion_tokens"}),
    ),
    Provider(
        "openrouter",
        "chat_completions",
        endpoint="https://openrouter.ai/api/v1",
        credential="env:OPENROUTER_API_KEY",
        hosts=("openrouter.ai",),
        needs_key=True,
    ),
    Provider("custom", "chat_completions", lists_models=True, start="limen config set providers.custom.endpoint URL"),
)


def provider_table() -> dict[str, Provider]:
    """The providers by name."""
    return {provider.name: provider for provider in PROVIDERS}
