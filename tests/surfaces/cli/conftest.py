"""Running the command line: in this process with a scripted runtime, or as a process of its own."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from surfaces.cli.scripted_limen import load_here

from limen.kit.log import logger
from limen.main import COMMANDS
from limen.surfaces.cli.app import run

SCRIPTED = Path(__file__).with_name("scripted_limen.py")
ROOT = Path(__file__).parents[3]


class Ran(NamedTuple):
    status: int
    out: str
    err: str


@contextmanager
def in_process(load, capsys, monkeypatch):
    """`limen(*arguments)` in this process, over the runtime that `load` gives."""
    monkeypatch.setenv("COLUMNS", "100")
    handlers, level, propagate = logger.handlers[:], logger.level, logger.propagate

    def call(*arguments: str) -> Ran:
        status = run(COMMANDS, load, list(arguments))
        out, err = capsys.readouterr()
        return Ran(status, out, err)

    yield call
    logger.handlers[:], logger.level, logger.propagate = handlers, level, propagate


@pytest.fixture
def limen(home, capsys, monkeypatch):
    """`limen(*arguments)` in this process, with the scripted runtime."""
    with in_process(load_here, capsys, monkeypatch) as call:
        yield call


def environment(**changes: str) -> dict[str, str]:
    """A process's environment: this one's, with our sources, and without what would change the output."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "PYTHONIOENCODING", "LIMEN_PROFILE")}
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    return {**kept, "PYTHONPATH": paths, "TERM": "xterm-256color", "COLUMNS": "100", "LC_ALL": "C.UTF-8", **changes}


def command(*arguments: str) -> list[str]:
    """A command line that runs `limen` with the scripted runtime."""
    return [sys.executable, "-X", "utf8=0", str(SCRIPTED), *arguments]


@pytest.fixture
def process(home):
    """`process(*arguments)` as a process of its own; bytes in, bytes out."""

    def call(*arguments: str, stdin: bytes = b"", **changes: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            command(*arguments), input=stdin, capture_output=True, env=environment(**changes), timeout=60, check=False
        )

    return call
