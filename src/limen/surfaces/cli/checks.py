"""What a doctor looks at: each check says what it found, and how to mend what is not well."""

import os
import shutil
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from limen import __version__
from limen.config.check import check as check_config
from limen.config.load import load
from limen.config.paths import Home
from limen.config.secrets import Secrets
from limen.core.fault import Fault
from limen.core.route import Route
from limen.models.resolve import Wishes

if TYPE_CHECKING:
    from limen.runtime import Runtime

State = Literal["ok", "warn", "broken"]

_FEW_FREE_BYTES = 200_000_000
_WIDER = stat.S_IRWXG | stat.S_IRWXO


class Finding(msgspec.Struct, frozen=True):
    """One thing that was looked at. `mend` is a command, or empty where all is well."""

    check: str
    state: State
    text: str
    mend: str = ""
    code: str = ""

    @classmethod
    def of_fault(cls, check: str, fault: Fault) -> "Finding":
        return cls(check, "broken", fault.reason, fault.mend, fault.code)


def program() -> Finding:
    """The program itself."""
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("program", "ok", f"limen {__version__} on Python {version}, {sys.platform}")


def home_folder(home: Home, *, fix: bool) -> list[Finding]:
    """The folder that holds all state: there, ours alone, writable, on a disk with room. `fix` narrows modes."""
    folder = home.path
    try:
        home.ensure()
    except Fault as fault:
        return [Finding.of_fault("home", fault)]
    findings = [_private(path, fix=fix) for path in _kept_in(home) if stat.S_IMODE(path.stat().st_mode) & _WIDER]
    free = shutil.disk_usage(folder).free
    if free < _FEW_FREE_BYTES:
        findings.append(
            Finding("disk", "warn", f"{free // 1_000_000:,} MB are free at {folder}", "limen evidence purge", "home.disk")
        )
    state: State = "ok" if not any(finding.state == "warn" for finding in findings) else "warn"
    return [Finding("home", state, str(folder)), *findings]


def _kept_in(home: Home) -> list[Path]:
    files = (home.config_file, home.secrets_file, home.database, home.history_file)
    return [path for path in (home.path, *files) if path.exists() and not path.is_symlink()]


def _private(path: Path, *, fix: bool) -> Finding:
    mode = 0o700 if path.is_dir() else 0o600
    if not fix:
        return Finding("home", "warn", f"others on this machine may read {path}", "limen doctor --fix", "home.mode")
    try:
        path.chmod(mode)
    except OSError as error:
        return Finding(
            "home", "broken", f"{path} cannot be made private: {error.strerror}", f"chmod {mode:o} '{path}'", "home.mode"
        )
    return Finding("home", "ok", f"{path} is private now")


def settings(home: Home, env: Mapping[str, str]) -> list[Finding]:
    """The configuration and the secrets file: every problem, or one line that there is none."""
    try:
        problems = check_config(load(home, env), Secrets.load(home, env))
    except Fault as fault:
        return [Finding.of_fault("settings", fault)]
    findings = [
        Finding(
            "settings",
            "broken" if problem.level == "error" else "warn",
            f"{problem.place}: {problem.text}" if problem.place and problem.place not in problem.text else problem.text,
            problem.mend,
            problem.code,
        )
        for problem in problems
        if problem.level != "notice"
    ]
    exists = home.config_file.exists()
    return findings or [Finding("settings", "ok", str(home.config_file) if exists else "the defaults hold")]


async def stored(runtime: "Runtime") -> list[Finding]:
    """The database: it opens and answers."""
    try:
        sessions = await runtime.sessions.list(1_000_000)
    except Fault as fault:
        return [Finding.of_fault("store", fault)]
    return [Finding("store", "ok", f"{len(sessions):,} conversations")]


async def documents(runtime: "Runtime") -> list[Finding]:
    """The private index: something is in it."""
    try:
        found = await runtime.library.list()
    except Fault as fault:
        return [Finding.of_fault("library", fault)]
    if found:
        return [Finding("library", "ok", f"{len(found):,} documents")]
    return [Finding("library", "warn", "no documents yet; questions are answered from the manual", "limen library add PATH")]


async def route(runtime: "Runtime", *, online: bool) -> list[Finding]:
    """The model that would answer: its route is known and its key is there. Only `online` asks its server."""
    models, wishes = (
        runtime.models,
        Wishes(variable=os.environ.get("LIMEN_MODEL", ""), configured=runtime.loaded.config.model.route),
    )
    try:
        chosen = models.routes.resolve(wishes)
        if (missing := _missing_key(runtime, chosen)) is not None:
            return [missing]
        if chosen.wire == "embedded":
            return [Finding("model", "ok", f"{chosen.name} · quotes what was read, writes nothing itself")]
        if not online:
            return [Finding("model", "ok", f"{chosen.name} · {chosen.endpoint} · not asked", "limen doctor --online")]
        offers = await models.directory.offers(chosen)
    except Fault as fault:
        return [Finding.of_fault("model", fault)]
    names = {offer.name for offer in offers}
    if chosen.model and names and chosen.model not in names:
        text = f"{chosen.endpoint} answers, but does not list {chosen.model}"
        return [Finding("model", "warn", text, "limen model list", "model.not_listed")]
    return [Finding("model", "ok", f"{chosen.name} · {chosen.endpoint} answers")]


def _missing_key(runtime: "Runtime", chosen: Route) -> Finding | None:
    if chosen.credential is None or not runtime.models.routes.provider(chosen.provider).needs_key:
        return None
    name = chosen.credential.removeprefix("env:")
    if Secrets.load(runtime.home, os.environ).get(name):
        return None
    mend = f"add the line {name}=… to {runtime.home.secrets_file}"
    return Finding("model", "broken", f"{chosen.name} needs a key, and there is none in {name}", mend, "model.auth")
