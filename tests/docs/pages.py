"""The pages that people read, and what stands in code in them."""

import importlib
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
MANUAL = ROOT / "src" / "limen" / "manual"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *MANUAL.glob("*.md"), *(ROOT / "changelog.d").glob("*.md")])


@contextmanager
def scripts(*names: str) -> Iterator[dict[str, ModuleType]]:
    """Modules of scripts/docs by name, loaded out of their folder for the length of a block."""
    folder = str(ROOT / "scripts" / "docs")
    sys.path.insert(0, folder)
    try:
        yield {name: importlib.import_module(name) for name in names}
    finally:
        sys.path.remove(folder)
        for name in names:
            sys.modules.pop(name, None)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def spans(text: str) -> list[str]:
    """Code within sentences, each on one line."""
    sentences = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", sentences)]


def typed(text: str) -> list[str]:
    """Lines of console blocks that a person types, without the prompt."""
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.split("\n") if line.startswith("$ ")]


def commands(text: str) -> list[list[str]]:
    """Every `limen …`, in sentences and in blocks, as words, without the rest of a pipe."""
    lines = [line for line in (*spans(text), *typed(text)) if re.match(r"(?:echo .* \| |[A-Z_]+=\S+ )?limen( |$)", line)]
    return [_of_limen(shlex.split(line[line.index("limen") :], comments=True)) for line in lines]


def _of_limen(words: list[str]) -> list[str]:
    return words[: next((n for n, word in enumerate(words) if word in ("|", ">")), len(words))]
