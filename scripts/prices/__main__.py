"""Makes `src/limen/builtin/data/models.json`, what is known of models: python scripts/prices LITELLM.whl GENAI_PRICES.whl

Both are wheels as `pip download --no-deps litellm genai-prices` gets them. LiteLLM's own list says windows, caps and prices; what
OpenRouter offers stands in the other. A model has one line: its window and its cap in tokens, US dollars per million tokens
(input, output, cached input, written to a cache), then the size of a prompt in tokens beyond which the last four hold instead.
What is not known is null, and nulls at the end are left out.
"""

import datetime as dt
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
OUT = ROOT / "src/limen/builtin/data/models.json"
LIST = "litellm/model_prices_and_context_window_backup.json"
# Our providers, by what LiteLLM calls them.
NAMES = {
    "anthropic": "anthropic", "chatgpt": "codex", "deepseek": "deepseek", "gemini": "google", "groq": "groq",
    "minimax": "minimax", "mistral": "mistral", "moonshot": "kimi", "openai": "openai", "together_ai": "together",
    "vercel_ai_gateway": "vercel", "xai": "xai", "xiaomi_mimo": "xiaomi", "zai": "zai",
}  # fmt: skip
# No models for a conversation in text, though listed as such.
OTHER = re.compile(
    r"(^|[-/])(ft:|audio|realtime|search|tts|container|lyria|omni|robotics|deep-research|guard|rank|bge|rerank|embed|learnlm|voxtral|"
    r"computer-use|fim|image|moderation|safeguard|ocr|transcribe)"
)
PRICES = ("input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost", "cache_creation_input_token_cost")
ABOVE = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
Row = list[float | int | None]


def main() -> None:
    litellm, genai = (Path(argument) for argument in sys.argv[1:])
    with zipfile.ZipFile(litellm) as wheel:
        listed = json.loads(wheel.read(LIST))
        as_of = built(wheel)
        (OUT.parent / "models.LICENSE").write_text(licences(wheel, zipfile.ZipFile(genai)))
    models: dict[str, dict[str, Row]] = {name: {} for name in sorted({*NAMES.values(), "openrouter"})}
    for name, entry in listed.items():
        provider = NAMES.get(entry.get("litellm_provider", ""))
        if provider and usable(name, entry, as_of):
            models[provider][name.removeprefix(f"{entry['litellm_provider']}/")] = row_of(entry)
    models["openrouter"] = dict(openrouter(genai, as_of))
    sources = [f"{path.name.split('-py')[0].split('-cp')[0]} ({kind})" for path, kind in ((litellm, LIST), (genai, "OpenRouter"))]
    OUT.write_text(written(as_of, sources, models))
    print(f"{sum(map(len, models.values()))} models, {OUT.stat().st_size:,} bytes, as of {as_of}")


def built(wheel: zipfile.ZipFile) -> str:
    """The day a wheel was built, which its list of parts says."""
    parts = next(name for name in wheel.namelist() if "/sboms/" in name)
    return json.loads(wheel.read(parts))["metadata"]["timestamp"][:10]


def licences(*wheels: zipfile.ZipFile) -> str:
    texts = []
    for wheel in wheels:
        name = next(name for name in wheel.namelist() if name.endswith("/licenses/LICENSE"))
        texts.append(f"{name.split('.dist-info')[0]}\n\n{wheel.read(name).decode().strip()}\n")
    return "\n\n".join(texts)


def usable(name: str, entry: dict, as_of: str) -> bool:
    """Whether an entry is a model for conversations that is still there."""
    window = entry.get("max_input_tokens") or entry.get("max_tokens") or 0
    gone = entry.get("deprecation_date") or "9"
    return entry.get("mode") in ("chat", "responses") and window >= 1_000 and gone >= as_of and not OTHER.search(name)


def row_of(entry: dict) -> Row:
    row: Row = [entry.get("max_input_tokens") or entry["max_tokens"], entry.get("max_output_tokens")]
    prices = [million(entry.get(name)) for name in PRICES]
    if None in prices[:2] or not any(prices[:2]):
        return trimmed(row)  # part of a subscription, or nobody wrote it down
    above = sorted(int(found[1]) for name in entry if (found := ABOVE.fullmatch(name)))
    row += prices
    if above:
        row += [above[0] * 1_000, *(million(entry.get(f"{name}_above_{above[0]}k_tokens")) for name in PRICES)]
    return trimmed(row)


def openrouter(path: Path, as_of: str) -> Iterator[tuple[str, Row]]:
    """OpenRouter's models from the other wheel, which can be imported as it is."""
    sys.path.insert(0, str(path))
    from genai_prices.data import providers  # noqa: PLC0415

    day = dt.datetime.fromisoformat(f"{as_of}T00:00:00+00:00")
    provider = next(one for one in providers if one.id == "openrouter")
    for model in sorted(provider.models, key=lambda model: model.id):
        if not model.context_window or model.deprecated or OTHER.search(model.id):
            continue
        price = model.get_prices(day)
        kinds = (price.input_mtok, price.output_mtok, price.cache_read_mtok, price.cache_write_mtok)
        prices = [base(kind) for kind in kinds]
        starts = sorted({tier.start for kind in kinds for tier in getattr(kind, "tiers", ())})
        row: Row = [model.context_window, None]
        if None not in prices[:2] and any(prices[:2]):
            row += prices
            if starts:
                row += [starts[0], *(above(kind, starts[0]) for kind in kinds)]
        yield model.id, trimmed(row)


def base(kind: object) -> float | None:
    value = getattr(kind, "base", kind)
    return None if value is None else plain(float(value))


def above(kind: object, start: int) -> float | None:
    tier = next((tier for tier in getattr(kind, "tiers", ()) if tier.start == start), None)
    return base(kind) if tier is None else plain(float(tier.price))


def million(per_token: float | None) -> float | None:
    return None if per_token is None else plain(per_token * 1_000_000)


def plain(number: float) -> float | int:
    number = round(number, 6)
    return int(number) if number == int(number) else number


def trimmed(row: Row) -> Row:
    while row[-1] is None:
        row.pop()
    return row


def written(as_of: str, sources: list[str], models: dict[str, dict[str, Row]]) -> str:
    """The file, with a line for each model, so that a change of one is one line."""
    head = {"as_of": as_of, "sources": sources, "licence": "MIT, see models.LICENSE"}
    parts = []
    for provider, rows in models.items():
        lines = [f"{json.dumps(name)}:{json.dumps(row, separators=(',', ':'))}" for name, row in sorted(rows.items())]
        parts.append(f"{json.dumps(provider)}:{{\n" + ",\n".join(lines) + "\n}")
    return json.dumps(head)[:-1] + ',\n"models":{\n' + ",\n".join(parts) + "\n}}\n"


if __name__ == "__main__":
    main()
