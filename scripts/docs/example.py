"""The README's examples: real commands on docs/example, at a terminal of 110 columns, and what they print."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from terminal import at_terminal

ROOT = Path(__file__).parents[2]
_NOTES = "docs/example"
# As long as a folder that `mkdtemp` makes below /tmp, so that tables are as wide as there.
_SHOWN_ROOT = "/home/you/src/limen"
_SUMS = re.compile(r"^(?:context in|turn |[ \d]*\d  \w).*$", re.MULTILINE)

_FIRST = (
    ("library", "add", _NOTES),
    ("ask", "Who approves a trip abroad?"),
)
_CROSSING = (
    ("ask", "How do I change the printer's settings?"),
    ("ledger", "--last"),
    ("extract", "https://example.org/report?access_token=tulip4711"),
)


def first_answer() -> str:
    """Documents in, a cited answer out."""
    with _newcomer() as run:
        return _block(run(*words) for words in _FIRST)


def crossing() -> str:
    """An answer with a masked secret, what entered the context for it, and an address that is refused."""
    with _newcomer() as run:
        run("library", "add", _NOTES)
        return _block(run(*words) for words in _CROSSING)


def alike(one: str, other: str) -> bool:
    """Whether two transcripts are the same but for times, identifiers, counts of tokens and widths of columns."""
    return _plain(one) == _plain(other)


def _plain(text: str) -> str:
    text = re.sub(r"t_[0-9a-f]{6,12}", "t_#", text)
    text = _SUMS.sub(lambda match: re.sub(r"\d[\d,.]*", "#", match[0]), text)
    return re.sub(r"[ ─━]+", " ", text)


def _block(said: Iterator[str]) -> str:
    return "```console\n" + "\n".join(said) + "```\n"


@contextmanager
def _newcomer() -> Iterator["_Run"]:
    """A folder with the notes and a home of its own, thrown away afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="limen-", dir="/tmp"))
    try:
        shutil.copytree(ROOT / _NOTES, folder / _NOTES)
        yield _Run(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Run:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("LIMEN_", "COLUMNS", "LINES"))}
        own = {"LIMEN_HOME": str(folder / "home"), "LIMEN_WEB_KEYLESS_FALLBACK": "false"}
        environment = {**keep, **own, "NO_COLOR": "1", "TERM": "xterm"}
        self._surroundings: dict[str, Any] = {"cwd": folder, "env": environment}

    def __call__(self, *words: str) -> str:
        typed = " ".join(f'"{word}"' if set(word) & set(" ?'") else word for word in words)
        said = self._said([sys.executable, "-m", "limen", *words], pipe=words[0] == "library")
        root = str(self._folder.resolve())
        return f"$ limen {typed}\n{said.replace(root, _SHOWN_ROOT).rstrip().lstrip(chr(10))}\n"

    def _said(self, command: list[str], *, pipe: bool) -> str:
        """Both streams of a command; at a terminal, but for one that draws a bar there."""
        if pipe:
            made = subprocess.run(command, capture_output=True, text=True, check=True, **self._surroundings)  # noqa: S603
            return made.stdout + made.stderr
        return at_terminal(command, **self._surroundings)
