"""Parts of pages that are read from the code: the tree, the pipelines, the providers."""

import ast
from pathlib import Path

from limen.agent.toolbox import TOOL_GATES, TOOL_SHAPERS
from limen.builtin.providers import PROVIDERS
from limen.core.provider import Provider
from limen.models.auxiliary import ORDER
from limen.models.gates import MODEL_GATES
from limen.models.recovery import RECOVERY, Recovery
from limen.models.tasks import TASKS
from limen.web.extract import EXTRACT_GATES, EXTRACT_SHAPERS
from limen.web.search import SEARCH_GATES, SEARCH_SHAPERS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "limen"
# From what may import everything down to what may import nothing.
_ORDER = (
    "main.py", "surfaces", "runtime.py", "wiring", "agent", "builtin", "models", "prompt", "web", "reading", "evidence", "store",
    "plugins",
    "config", "net", "core", "kit", "testing", "manual",
)  # fmt: skip
_NO_CODE = {"manual": "What Limen answers from when it is asked about itself."}
_AROUND = {
    "tests": "mirror src/limen; stories/ are whole turns, architecture/ holds the house rules, docs/ these pages",
    "bench": "measurements beside a floor in the same run; answers/ asks real questions of real documents",
    "docs": "gates, architecture, glossary, codes, settings, decisions (adr/), an example to try",
    "scripts": "what make and CI call; docs/ makes the made parts of pages",
    "requirements": "the locks: versions and hashes",
}


def tree() -> str:
    """The source's packages from top to bottom, each with what it says of itself, and the folders around it."""
    missing = {path.name for path in SOURCE.iterdir() if path.is_dir() and not path.name.startswith("__")} - set(_ORDER)
    if missing:
        raise SystemExit(f"scripts/docs/tables.py: give {', '.join(sorted(missing))} a place in the tree")
    inside = [f"  {_shown(name):<13} {_said(name)}" for name in _ORDER if (SOURCE / name).exists()]
    around = [f"{name + '/':<15} {text}" for name, text in _AROUND.items() if (ROOT / name).exists()]
    return "```text\n" + "\n".join(["src/limen/", *inside, *around]) + "\n```\n"


def pipelines() -> str:
    """The orders of gates and shapers, as the code has them."""
    rows = (
        ("a tool's call", "agent/toolbox.py", TOOL_GATES, "`tool.run`", TOOL_SHAPERS),
        ("`web_extract`", "web/extract.py", EXTRACT_GATES, "`provider.extract`", EXTRACT_SHAPERS),
        ("`web_search`", "web/search.py", SEARCH_GATES, "`provider.search`", SEARCH_SHAPERS),
        ("a model's request", "models/gates.py", MODEL_GATES, "`wire.send`", ()),
    )
    lines = [
        f"| {name} | {', '.join(gates)} | {endpoint} | {', '.join(shapers) or '–'} | `{file}` |"
        for name, file, gates, endpoint, shapers in rows
    ]
    return "\n".join(
        ["| pipeline | gates, outermost first | endpoint | shapers | defined in |", "|---|---|---|---|---|", *lines, ""]
    )


def recovery() -> str:
    """The action table: what is done about each class of a model's failure."""
    lines = [
        f"| `{name}` | {_retries(row)} | {'yes' if row.rotate else 'no'} | {_rest(row)} | {row.then} |"
        for name, row in RECOVERY.items()
    ]
    head = "| class | tried again | other keys | what rests, unless the provider names a time | then |"
    return "\n".join([head, "|---|---|---|---|---|", *lines, ""])


def tasks() -> str:
    """The small jobs: what each is for, and what becomes of one that nobody does."""
    lines = [
        f"| `auxiliary.{task.name}` | {task.purpose} | {'passages answer' if task.quotable else 'it is left undone'} |"
        for task in TASKS
    ]
    return "\n".join(["| setting | the job | where nobody does it |", "|---|---|---|", *lines, ""])


def seconds() -> str:
    """Who is asked for a small job, in which order, with the model that each is asked for."""
    small = {provider.name: provider.small_model for provider in PROVIDERS}
    names = [*ORDER, *sorted(name for name, model in small.items() if model and name not in ORDER)]
    lines = [f"{number}. `{name}`" + (f", `{small[name]}`" if small[name] else "") for number, name in enumerate(names, 1)]
    return "\n".join([*lines, ""])


def _retries(row: Recovery) -> str:
    if row.retries == 0:
        return "no"
    often = "as often as `models.max_retries` says" if row.retries is None else f"{row.retries} time, more where nobody else is"
    return f"{often}, first after {row.pause_s:g} s"


def _rest(row: Recovery) -> str:
    if not row.rests:
        return "nothing"
    grows = "" if row.longest_rest_s <= row.rest_s else f", doubling up to {_span(row.longest_rest_s)}"
    return f"the {row.rests}, {_span(row.rest_s)}{grows}"


def _span(seconds: float) -> str:
    return f"{seconds / 3_600:g} h" if seconds >= 3_600 else f"{seconds / 60:g} min" if seconds >= 60 else f"{seconds:g} s"


def providers() -> str:
    """The model providers that are built in."""
    lines = [
        f"| `{one.name}` | {f'`{one.endpoint}`' if one.endpoint else _where(one)} | {_key(one)} | {_default(one)} |"
        for one in PROVIDERS
    ]
    return "\n".join(["| provider | endpoint | key | model without a name |", "|---|---|---|---|", *lines, ""])


def _where(provider: Provider) -> str:
    return "in the program" if provider.wire == "embedded" else f"yours: `providers.{provider.name}.endpoint`"


def _key(provider: Provider) -> str:
    if provider.credential == "oauth:codex":
        return "by logging in"
    return ", else ".join(f"`{name}`" for name in provider.variables) or "none"


def _default(provider: Provider) -> str:
    if provider.default_model:
        return f"`{provider.default_model}`"
    return "what the server has" if provider.lists_models else ""


def _shown(name: str) -> str:
    return name if name.endswith(".py") else f"{name}/"


def _said(name: str) -> str:
    """The first sentence of a module's docstring."""
    if name in _NO_CODE:
        return _NO_CODE[name]
    path = SOURCE / name if name.endswith(".py") else SOURCE / name / "__init__.py"
    first = (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n\n")[0]
    return " ".join(first.split())
