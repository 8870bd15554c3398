"""The README's examples: real commands on docs/example, at a terminal of 110 columns, and what they print."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal
from terminal import at_terminal

from limen.core.exchange import Usage
from limen.testing.model_server import Answer, model_server
from limen.testing.scripted_model import Reply

ROOT = Path(__file__).parents[2]
_NOTES = "docs/example"
# As long as a folder that `mkdtemp` makes below /tmp, so that tables are as wide as there.
_SHOWN_ROOT = "/home/you/src/limen"
_SUMS = re.compile(r"^(?:context in|prompt |turn |[ \d]*\d  \w).*$", re.MULTILINE)

_FIRST = (
    ("library", "add", _NOTES),
    ("ask", "Who approves a trip abroad?"),
)
_CROSSING = (
    ("ask", "How do I change the printer's settings?"),
    ("ledger", "--last"),
    ("extract", "https://example.org/report?access_token=tulip4711"),
)
_FALLEN_BACK = (
    ("fallback", "add", "mistral/mistral-large-latest"),
    ("ask", "What does limen mean in Latin?"),
)
_KEYS = {"OPENAI_API_KEY": "sk-" + "a1" * 12, "MISTRAL_API_KEY": "b2" * 14}


def first_answer() -> str:
    """Documents in, a cited answer out."""
    with _newcomer() as run:
        return _block(run(*words) for words in _FIRST)


def crossing() -> str:
    """An answer with a masked secret, what entered the context for it, and an address that is refused."""
    with _newcomer() as run:
        run("library", "add", _NOTES)
        return _block(run(*words) for words in _CROSSING)


def fallen_back() -> str:
    """A question to a provider that is out of credit, and another that answers: two servers of ours in their places."""
    no_credit = Answer.of(402, {"error": {"message": "Insufficient credits", "code": 402}})
    answer = Reply("It means threshold.", usage=Usage(input_tokens=700, output_tokens=5))
    with (
        _newcomer(_KEYS) as run,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(model_server(then=no_credit)) as openai,
        portal.wrap_async_context_manager(model_server(then=answer)) as mistral,
    ):
        run("config", "set", "providers.openai.endpoint", openai.url)
        run("config", "set", "providers.mistral.endpoint", mistral.url)
        run("model", "set", "openai/gpt-6.1-terra")
        return _block(run(*words) for words in _FALLEN_BACK)


def alike(one: str, other: str) -> bool:
    """Whether two transcripts are the same but for times, identifiers, counts of tokens and widths of columns."""
    return _plain(one) == _plain(other)


def _plain(text: str) -> str:
    text = re.sub(r"t_[0-9a-f]{6,12}", "t_#", text)
    text = re.sub(r"about [\d,]+ tokens", "about # tokens", text)
    text = _SUMS.sub(lambda match: re.sub(r"\d[\d,.]*", "#", match[0]), text)
    return re.sub(r"[ ─━]+", " ", text)


def _block(said: Iterator[str]) -> str:
    return "```console\n" + "\n".join(said) + "```\n"


@contextmanager
def _newcomer(variables: Mapping[str, str] | None = None) -> Iterator["_Run"]:
    """A folder with the notes, a home and `variables` of its own, thrown away afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="limen-", dir="/tmp"))
    try:
        shutil.copytree(ROOT / _NOTES, folder / _NOTES)
        yield _Run(folder, variables or {})
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Run:
    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        self._folder = folder
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("LIMEN_", "COLUMNS", "LINES"))}
        own = {"LIMEN_HOME": str(folder / "home"), "LIMEN_WEB_KEYLESS_FALLBACK": "false", **variables}
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
