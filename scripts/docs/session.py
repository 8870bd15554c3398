"""docs/check-it-yourself.md: its commands are run as they stand, in one shell, and what they print is put below them."""

import re
from collections.abc import Iterator
from pathlib import Path

from stage import stage
from terminal import at_terminal

PAGE = Path(__file__).parents[2] / "docs" / "check-it-yourself.md"
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_PROMPT = "$ "
_SHOWN_HOME = "/home/you"
# Between what two commands say: a character that nothing prints.
_MARK = "\x1e"
_AGES = re.compile(r"\d[\d,.]* (s|ms|minutes) ago|kept \d[\d,]* s")


def page() -> str:
    """The page as it would be after its commands were run again; blocks that say the same stay as they are."""
    old = PAGE.read_text()
    said = iter(run(commands(old)))
    return _BLOCK.sub(lambda block: _renewed(block[0], said), old)


def commands(text: str) -> list[str]:
    """What is typed, in order."""
    return [command for block in _BLOCK.findall(text) for command in _typed(block)]


def run(typed: list[str]) -> list[str]:
    """What each command prints, all in one shell in a home of their own."""
    with stage() as here:
        script = here.home.parent / "typed.sh"
        script.write_text("".join(f"{command}\nprintf '\\036'\n" for command in typed))
        said = at_terminal(["bash", "--noprofile", "--norc", script], here.home, here.env)
    answers = said.replace(str(here.home), _SHOWN_HOME).split(_MARK)
    if len(answers) != len(typed) + 1:
        raise SystemExit(f"{PAGE.name}: of {len(typed)} commands {len(answers) - 1} were run:\n{said}")
    if any(line.startswith("```") for line in said.split("\n")):
        raise SystemExit(f"{PAGE.name}: what is printed would end the block that it stands in:\n{said}")
    return [answer.strip("\n") for answer in answers[:-1]]


def alike(one: str, other: str) -> bool:
    """Whether two answers are the same but for ages."""
    return _AGES.sub("#", one) == _AGES.sub("#", other)


def _typed(block: str) -> list[str]:
    return [line.removeprefix(_PROMPT) for line in block.split("\n") if line.startswith(_PROMPT)]


def _renewed(block: str, said: Iterator[str]) -> str:
    parts = [part for command in _typed(block) for part in (f"{_PROMPT}{command}", next(said)) if part]
    new = "\n".join(["```console", *parts, "```"])
    return block if alike(block, new) else new
