"""Which programs a shell command runs, as far as its words tell."""

import re

_BETWEEN = re.compile(r"&&|\|\||[;|&\n()]")
_ASSIGNS = re.compile(r"[A-Za-z_]\w*=")
# Programs that run the one which is named after them, with the words that belong to themselves.
_WRAPPERS = frozenset(
    ("sudo", "time", "timeout", "nice", "nohup", "env", "exec", "command", "xargs", "stdbuf", "npx", "bunx", "pnpx", "uvx")
)
# Programs that run another by a verb of theirs, and are otherwise themselves.
_RUNNERS = frozenset(("uv", "poetry", "pipx", "pdm", "hatch", "pnpm", "yarn", "bundle"))
_RUNS = re.compile(r"python[\d.]*|py|node|bun|deno")


def programs(command: str) -> list[tuple[str, tuple[str, ...]]]:
    """The programs of a command line in order, each by its bare name with the words after it."""
    found = []
    for part in _BETWEEN.split(command[:4000]):
        words = _bare(part.split())
        if words:
            found.append((words[0].strip("\"'").rsplit("/", 1)[-1].removesuffix(".exe"), tuple(words[1:])))
    return found


def _bare(words: list[str]) -> list[str]:
    wrapped = False
    while words:
        name = words[0].rsplit("/", 1)[-1]
        if name in _WRAPPERS or _ASSIGNS.match(words[0]) or (wrapped and (name[:1] == "-" or name[:1].isdigit())):
            wrapped = True
            words = words[1:]
        elif name in _RUNNERS and words[1:2] in (["run"], ["exec"], ["dlx"]) and words[2:]:
            wrapped = True
            words = words[2:]
        elif _RUNS.fullmatch(name) and words[1:2] == ["-m"]:
            words = words[2:]
        else:
            break
    return words


def runs(command: str, names: frozenset[str], verbs: frozenset[str] = frozenset()) -> bool:
    """Whether a command runs one of these programs, with one of the verbs as a word where verbs are given."""
    return any(name in names and (not verbs or not verbs.isdisjoint(words)) for name, words in programs(command))
