"""Bringing a settings file of an older shape to today's, with a backup and a report; a newer one is refused."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from limen.config.file import read_text
from limen.config.parsed import Parsed
from limen.config.paths import Home
from limen.config.problem import Problem
from limen.config.schema import VERSION
from limen.core.fault import ConfigFault
from limen.kit.atomic import write_private
from limen.kit.deferred import load
from limen.kit.filelock import FileLock

# A file without `version` has the first shape there was.
_UNNUMBERED = 1


class Stepped(msgspec.Struct, frozen=True):
    """A file's text one version on, and a line for a person on each thing that changed."""

    text: str
    changes: tuple[str, ...] = ()


# By the version a step starts from. A step edits text, so that comments live on; it sets `version` itself.
Steps = Mapping[int, Callable[[str], Stepped]]
STEPS: Steps = {1: lambda text: _step("to_version_2", text)}


class Migration(msgspec.Struct, frozen=True):
    """A file as this version reads it, and the report where it had to be changed for that."""

    parsed: Parsed
    problems: tuple[Problem, ...] = ()


def migrate(text: str, home: Home, steps: Steps = STEPS, version: int = VERSION) -> Migration:
    """`text`, the settings file of `home`, in the shape of `version`; an older file is rewritten, its backup beside it.

    Raises ConfigFault `config.newer`, `config.bad_version` or `config.unreadable`. Where the file cannot be written, the
    migrated text holds for this process and a warning says so.
    """
    if not text.strip():
        return Migration(Parsed())  # most homes have no settings: then the parser, which is slow to load, stays where it is
    file = str(home.config_file)
    parsed = _parse(text, file)
    if version_of(parsed, file, steps, version) == version:
        return Migration(parsed)
    if "version" not in parsed.values and _says_nothing_old(text, steps, version):
        return Migration(parsed)
    try:
        with FileLock(home.config_lock):
            return _rewrite(read_text(home.config_file) or "", home, steps, version)
    except OSError as error:
        stepped = _climb(text, file, steps, version)
        reason = f"the settings file has an older shape and could not be rewritten: {error}"
        problem = Problem("warning", "config.not_migrated", reason, f"make {file} writable", file)
        return Migration(_parse(stepped.text, file), (problem,))


def version_of(parsed: Parsed, file: str, steps: Steps = STEPS, version: int = VERSION) -> int:
    """The version a file says it has. Raises ConfigFault where this program cannot read that version."""
    said = parsed.values.get("version", _UNNUMBERED)
    place = f"{file}:{parsed.lines.get(('version',), 1)}"
    if isinstance(said, bool) or not isinstance(said, int):
        raise ConfigFault("config.bad_version", f"{place}: `version` must be a whole number", f"version: {version}", place=place)
    if said > version:
        reason = f"{place}: this file has version {said}, and this Limen reads versions up to {version}"
        raise ConfigFault("config.newer", reason, "update Limen, or use another home: limen --home DIR …", place=place)
    if any(number not in steps for number in range(said, version)):
        raise ConfigFault("config.bad_version", f"{place}: there never was a version {said}", f"version: {version}", place=place)
    return said


def _rewrite(text: str, home: Home, steps: Steps, version: int) -> Migration:
    file = str(home.config_file)
    parsed = _parse(text, file)
    old = version_of(parsed, file, steps, version)
    if old == version:  # another process was quicker
        return Migration(parsed)
    stepped = _climb(text, file, steps, version)
    backup = _backup_path(home.config_file, old)
    write_private(backup, text)
    write_private(home.config_file, stepped.text)
    changes = "; ".join(stepped.changes) or "nothing but its number"
    said = f"the settings file was brought from version {old} to {version} ({changes}); the old one is {backup}"
    return Migration(_parse(stepped.text, file), (Problem("notice", "config.migrated", said, f"cat '{backup}'", file),))


def _climb(text: str, file: str, steps: Steps, version: int) -> Stepped:
    changes: list[str] = []
    while (number := version_of(_parse(text, file), file, steps, version)) != version:
        stepped = steps[number](text)
        if version_of(_parse(stepped.text, file), file, steps, version) <= number:
            raise AssertionError(f"the step from version {number} did not raise it")
        text = stepped.text
        changes.extend(stepped.changes)
    return Stepped(text, tuple(changes))


def _says_nothing_old(text: str, steps: Steps, version: int) -> bool:
    """Whether no step changes anything but the number. A file that somebody wrote without one is then right as it is."""
    return not any(steps[number](text).changes for number in range(_UNNUMBERED, version))


def _step(name: str, text: str) -> Stepped:
    """A step of `limen.config.steps`, which needs the parser."""
    stepped: Stepped = load(f"limen.config.steps:{name}")(text)
    return stepped


def _parse(text: str, file: str) -> Parsed:
    """The file's values."""
    parsed: Parsed = load("limen.config.parse:parse")(text, file)
    return parsed


def _backup_path(file: Path, version: int) -> Path:
    """A name beside the file that nothing has yet."""
    number = 1
    while True:
        path = file.with_name(f"{file.name}.v{version}.bak" + (f".{number}" if number > 1 else ""))
        if not path.exists() and not path.is_symlink():
            return path
        number += 1
