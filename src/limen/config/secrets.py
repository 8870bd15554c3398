"""Keys and passwords: from the environment, then from the secrets file. They are never shown, only handed out by name."""

import re
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from limen.config.file import read_text
from limen.config.paths import Home
from limen.config.problem import Problem
from limen.core.fault import ConfigFault
from limen.kit.atomic import UnsafePath, write_private
from limen.kit.filelock import FileLock, LockBusy

# How long another process may take with the file, in seconds.
WAIT_S = 10.0
_LINE = re.compile(r"(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?P<value>.*)", re.DOTALL)
_DOUBLE = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"\s*(?:#.*)?')
_SINGLE = re.compile(r"'(?P<text>[^']*)'\s*(?:#.*)?")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class Secrets:
    """Secrets by name. Its repr and problems hold names and line numbers, never a value."""

    __slots__ = ("_env", "_file", "problems")

    def __init__(self, env: Mapping[str, str], file: Mapping[str, str] | None = None, problems: tuple[Problem, ...] = ()) -> None:
        self._env = env
        self._file = dict(file or {})
        self.problems = problems

    @classmethod
    def load(cls, home: Home, env: Mapping[str, str]) -> "Secrets":
        """The secrets of a home. A file that cannot be read is an error among `problems`, and the environment alone speaks."""
        path = home.secrets_file
        try:
            text = read_text(path)
        except ConfigFault as fault:
            return cls(env, {}, (Problem("error", "secrets.unreadable", fault.reason, fault.mend, fault.place),))
        if text is None:
            return cls(env)
        values, problems = parse_secrets(text, str(path))
        return cls(env, values, (*_exposed(path), *problems))

    def get(self, name: str) -> str | None:
        """The secret, None where it is missing or empty."""
        return self._env.get(name) or self._file.get(name) or None

    def source(self, name: str) -> str | None:
        """Where `get` takes it from: `environment`, `secrets file`, or None."""
        if self._env.get(name):
            return "environment"
        return "secrets file" if self._file.get(name) else None

    def __repr__(self) -> str:
        return f"<Secrets: {len(self._file)} in the secrets file>"

    def __reduce__(self) -> str:
        raise TypeError("secrets are not copied into files or other processes")


def parse_secrets(text: str, file: str) -> tuple[dict[str, str], list[Problem]]:
    """`NAME=value` lines: `export`, quotes and `#` comments as a shell has them, without substitution."""
    values: dict[str, str] = {}
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _LINE.fullmatch(stripped)
        value = _unquoted(match["value"]) if match is not None else None
        if match is None or value is None:
            place = f"{file}:{number}"
            problems.append(Problem("warning", "secrets.bad_line", f"{place} is not `NAME=value`", "correct that line", place))
        else:
            values[match["name"]] = value
    return values, problems


def store_secret(home: Home, name: str, secret: str, *, wait_s: float = WAIT_S) -> None:
    """Put a secret into the secrets file under `name`, in place of an earlier one; every other line stays as it is.

    Raises ConfigFault `config.busy`, `config.not_written`, and what reading the file raises. The file is then as it was.
    """
    _rewrite(home, lambda text: _with_line(text, name, f"{name}={_quoted(secret)}"), wait_s)


def add_secret(home: Home, names: Iterable[str], secret: str, env: Mapping[str, str], *, wait_s: float = WAIT_S) -> str | None:
    """Put a secret under the first of `names` that neither the environment nor the file has; that name, None where all are taken.

    The name is found while nobody else may write, so that two who add at once lose neither. Raises as `store_secret` does.
    """
    chosen: str | None = None

    def added(text: str) -> str:
        nonlocal chosen
        written, _ = parse_secrets(text, "")
        chosen = next((name for name in names if not (env.get(name) or written.get(name))), None)
        return text if chosen is None else _with_line(text, chosen, f"{chosen}={_quoted(secret)}")

    _rewrite(home, added, wait_s)
    return chosen


def forget_secret(home: Home, name: str, *, wait_s: float = WAIT_S) -> bool:
    """Take the lines of `name` out of the secrets file; whether there were any. Raises as `store_secret` does."""
    return _rewrite(home, lambda text: _with_line(text, name, None), wait_s)


def _rewrite(home: Home, edit: Callable[[str], str], wait_s: float) -> bool:
    path = home.secrets_file
    home.ensure()
    try:
        with FileLock(home.config_lock, wait_s):
            before = read_text(path) or ""
            after = edit(before)
            if after != before:
                write_private(path, after)
    except LockBusy as error:
        raise ConfigFault("config.busy", f"another process is changing {path}", "try again", place=str(path)) from error
    except UnsafePath as error:
        raise ConfigFault("config.not_written", f"{path} {error.why}", f"edit what {path} points to", place=str(path)) from error
    except OSError as error:
        reason = f"{path} could not be written: {error.strerror}; it is as it was"
        raise ConfigFault("config.not_written", reason, f"make room and {home.path} writable", place=str(path)) from error
    return after != before


def _with_line(text: str, name: str, line: str | None) -> str:
    """`text` with `line` in the place of the first line that sets `name`, and no other such line; at the end where none did."""
    kept: list[str] = []
    for written in text.splitlines(keepends=True):
        match = _LINE.fullmatch(written.strip())
        if match is None or match["name"] != name or written.lstrip().startswith("#"):
            kept.append(written)
        elif line is not None:
            kept.append(f"{line}\n")
            line = None
    if line is not None:
        if kept and not kept[-1].endswith(("\n", "\r")):
            kept[-1] += "\n"
        kept.append(f"{line}\n")
    return "".join(kept)


def _quoted(secret: str) -> str:
    """A secret as `parse_secrets` and a shell read it back. It must be one line."""
    if re.fullmatch(r"[A-Za-z0-9._~+/=:@%,-]+", secret):
        return secret
    if "'" not in secret:
        return f"'{secret}'"
    return '"' + re.sub(r'(["\\$`])', r"\\\1", secret) + '"'


def _unquoted(text: str) -> str | None:
    """A value without its quotes and trailing comment; None where a quote does not close."""
    if text.startswith('"'):
        match = _DOUBLE.fullmatch(text)
        return None if match is None else re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), match["text"])
    if text.startswith("'"):
        match = _SINGLE.fullmatch(text)
        return None if match is None else match["text"]
    return re.split(r"(?:^|\s+)#", text, maxsplit=1)[0].strip()


def _exposed(path: Path) -> list[Problem]:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return []  # it has just been read, so it has only now gone away
    if not mode & (stat.S_IRWXG | stat.S_IRWXO):
        return []
    return [
        Problem("warning", "secrets.exposed", f"others can get at {path} (mode {mode:04o})", f"chmod 600 '{path}'", str(path))
    ]
