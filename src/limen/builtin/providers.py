"""The providers we know, as data. Settings under `providers` change them and add others.

Their order is that in which a key in the environment suggests one, and in which a small job looks for a model: gateways to many
models first, then makers by what a small job needs, the rest by name; at last what runs on one's own machine.
"""

import msgspec

from limen.core.prompt_cache import PromptCache
from limen.core.provider import Provider
from limen.core.route import Price, WireName

_FREE = Price(0.0, 0.0, 0.0)
# These keep the last request until another comes, whatever its length.
_KEPT = PromptCache(least_tokens=1, kept_s=0.0)


def _hosted(
    name: str, endpoint: str, *variables: str, quirks: str = "", model: str = "", wire: WireName = "chat_completions"
) -> Provider:
    """A provider that wants a key, which goes to the endpoint's very host. The first variable that is set holds it.

    `quirks` are names with blanks between them; `model` is meant where a route names only the provider, and a key in the
    environment suggests no provider without one.
    """
    host = endpoint.removeprefix("https://").partition("/")[0]
    return Provider(
        name, wire, endpoint, variables, hosts=(host,), needs_key=True, quirks=frozenset(quirks.split()), default_model=model
    )


def _own(name: str, endpoint: str, start: str, *, quirks: str = "", window_tokens: int = 4_096) -> Provider:
    """A server on one's own machine, which names its models itself and wants no key."""
    elsewhere = f"elsewhere: limen config set providers.{name.replace('.', '')}.endpoint URL"
    return Provider(
        name, "chat_completions", endpoint, quirks=frozenset(quirks.split()), lists_models=True, window_tokens=window_tokens,
        price=_FREE, cache=_KEPT, start=f"start it: {start} ({elsewhere})",
    )  # fmt: skip


_GATEWAYS = (
    _hosted("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", quirks="cache_marks", model="openrouter/auto"),
    _hosted("nous", "https://inference-api.nousresearch.com/v1", "NOUS_API_KEY", model="Hermes-4-405B"),
)

_OTHERWISE = (
    Provider(
        "custom",
        "chat_completions",
        quirks=frozenset({"alternate"}),
        lists_models=True,
        start="limen config set providers.custom.endpoint URL",
    ),
    Provider(
        "codex",
        "codex_responses",
        "https://chatgpt.com/backend-api/codex",
        credential="oauth:codex",
        hosts=("chatgpt.com",),
        needs_key=True,
        quirks=frozenset({"instructions", "no_output_limit", "account_header", "cache_key"}),
        default_model="gpt-6.1-sol",
        start="sign in: limen credentials add codex",
    ),
)

_MAKERS = (
    _hosted(
        "zai",
        "https://api.z.ai/api/paas/v4",
        "GLM_API_KEY",
        "ZAI_API_KEY",
        "Z_AI_API_KEY",
        quirks="replay_reasoning",
        model="glm-5.3",
    ),
    _hosted(
        "kimi",
        "https://api.moonshot.ai/v1",
        "KIMI_API_KEY",
        "MOONSHOT_API_KEY",
        quirks="replay_reasoning",
        model="kimi-k3",
    ),
    # Beside Anthropic's protocol it speaks Chat Completions at /v1, where thoughts stand among the answer's own words.
    _hosted("minimax", "https://api.minimax.io/anthropic/v1", "MINIMAX_API_KEY", model="MiniMax-M3"),
    _hosted(
        "xiaomi",
        "https://api.xiaomimimo.com/v1",
        "XIAOMI_API_KEY",
        "MIMO_API_KEY",
        quirks="replay_reasoning max_completion_tokens",
        model="mimo-v2.6-pro",
    ),
    # No model: many have this key only to download models with.
    _hosted("huggingface", "https://router.huggingface.co/v1", "HF_TOKEN"),
    _hosted(
        "anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", model="claude-sonnet-5-5", wire="anthropic_messages"
    ),
)

_BY_NAME = (
    # Everybody's resource has an address of its own, and only there the key goes: anybody may have one beside it.
    Provider(
        "azure",
        "chat_completions",
        variables=("AZURE_OPENAI_API_KEY",),
        needs_key=True,
        quirks=frozenset({"api_key_header", "max_completion_tokens"}),
        start="limen config set providers.azure.endpoint https://RESOURCE.openai.azure.com/openai/v1",
    ),
    _hosted("deepseek", "https://api.deepseek.com", "DEEPSEEK_API_KEY", quirks="replay_reasoning", model="deepseek-flash"),
    _hosted(
        "google",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        quirks="thought_signatures",
        model="gemini-flash-latest",
    ),
    _hosted("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", model="openai/gpt-oss-120b"),
    _hosted(
        "mistral",
        "https://api.mistral.ai/v1",
        "MISTRAL_API_KEY",
        quirks="no_stream_options short_ids",
        model="mistral-large-latest",
    ),
    _hosted(
        "openai", "https://api.openai.com/v1", "OPENAI_API_KEY", quirks="max_completion_tokens cache_key", model="gpt-6.1-terra"
    ),
    _hosted("together", "https://api.together.xyz/v1", "TOGETHER_API_KEY", model="openai/gpt-oss-120b"),
    _hosted("vercel", "https://ai-gateway.vercel.sh/v1", "AI_GATEWAY_API_KEY", model="anthropic/claude-sonnet-4.5"),
    _hosted("xai", "https://api.x.ai/v1", "XAI_API_KEY", model="grok-4.7"),
)

# A window of 4,096 is what llama-server gives a slot unless it is told otherwise, and Ollama's documented default, beyond which
# it cuts a prompt without a word. Where the server says the true one, that holds.
_OWN = (
    _own("llama.cpp", "http://127.0.0.1:8080/v1", "llama-server -m MODEL.gguf --jinja", quirks="alternate"),
    _own("ollama", "http://127.0.0.1:11434/v1", "ollama serve, then ollama pull MODEL", quirks="alternate flat_content"),
    _own("lmstudio", "http://127.0.0.1:1234/v1", "lms server start", quirks="alternate"),
    _own("vllm", "http://127.0.0.1:8000/v1", "vllm serve MODEL", quirks="alternate"),
    Provider("limen", "embedded", default_model="extractive", price=_FREE),
)

# What each is asked for a small job, such as a title: a model that is quick and costs little.
_SMALL = {
    "openrouter": "openai/gpt-oss-20b",
    "nous": "Hermes-4-70B",
    "codex": "gpt-6-luna",
    "zai": "glm-5.3-flash",
    "kimi": "kimi-k2.6",
    "minimax": "MiniMax-M2.5-lightning",
    "xiaomi": "mimo-v2.6-flash",
    "huggingface": "openai/gpt-oss-20b",
    "anthropic": "claude-haiku-5-5",
    "deepseek": "deepseek-flash",
    "google": "gemini-flash-lite-latest",
    "groq": "openai/gpt-oss-20b",
    "mistral": "mistral-small-latest",
    "openai": "gpt-6-luna",
    "together": "openai/gpt-oss-120b",
    "vercel": "openai/gpt-4.1-nano",
    "xai": "grok-4.20-0309-non-reasoning",
}

PROVIDERS: tuple[Provider, ...] = tuple(
    msgspec.structs.replace(provider, small_model=_SMALL.get(provider.name, ""))
    for provider in (*_GATEWAYS, *_OTHERWISE, *_MAKERS, *_BY_NAME, *_OWN)
)


def provider_table() -> dict[str, Provider]:
    """The providers by name."""
    return {provider.name: provider for provider in PROVIDERS}
