"""What the clients of package indexes are told, and what they say: pip, npm and cargo."""

import re
import shutil
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Protocol

import msgspec

from limen.builtin.web.answers.hits import Row, openable
from limen.builtin.web.calling.child import Ended
from limen.builtin.web.calling.refusing import refuse
from limen.builtin.web.domains.fields import (
    CRATE_NAME,
    NPM_NAME,
    PIP_NAME,
    crate_wish,
    npm_wish,
    pip_name,
)
from limen.builtin.web.domains.keywords import keywords
from limen.core.fault import Refusal

# Words that are handed to a client: none can be an option, a path, an address or a shell's affair.
_WORD = re.compile(r"\w[\w.+-]{0,60}")
_MOST_WORDS = 10
_BESIDE = frozenset(
    ["npm", "package", "packages", "cargo", "crate", "crates", "rust", "pip", "pypi", "python", "library", "install"]
)


class PackageClient(Protocol):
    """One client. `settings` are variables that keep it quiet and quick."""

    settings: Mapping[str, str]

    def command(self) -> tuple[str, ...]:
        """The program, and what always stands behind it; empty when it is not installed."""
        ...

    def arguments(self, question: str, limit: int) -> list[str] | Refusal:
        """What it is told, or why the question is none for it."""
        ...

    def rows(self, ended: Ended) -> list[Row] | None:
        """The packages that it lists; None when it failed. Raises DecodeError for what is not of its shape."""
        ...

    def complaint(self, ended: Ended) -> str:
        """Why it failed, in its own words."""
        ...


def _program(name: str) -> tuple[str, ...]:
    path = shutil.which(name)
    return (path,) if path else ()


class _Metadata(msgspec.Struct, frozen=True):
    name: str
    version: str
    summary: str = ""
    requires_python: str = ""
    home_page: str = ""
    project_url: list[str] = []


class _Planned(msgspec.Struct, frozen=True):
    metadata: _Metadata


class _Report(msgspec.Struct, frozen=True):
    """What pip would install (pip.pypa.io/en/stable/reference/installation-report)."""

    install: list[_Planned]


class Pip:
    """Looks a name up by planning its installation without doing it; nothing is built and no code of it runs."""

    settings: Mapping[str, str] = {}
    # Pip says these when it could not ask; it then ends as if there were no such package.
    _UNREACHED = re.compile(
        r"Retrying|Could not fetch URL|Max retries|timed out|SSLError|ProxyError|connection|HTTP error", re.IGNORECASE
    )
    _UNKNOWN = re.compile(r"No matching distribution found|Could not find a version")

    def command(self) -> tuple[str, ...]:
        if find_spec("pip") is None:
            return _program("pip3") or _program("pip")
        return (sys.executable, "-I", "-m", "pip")

    def arguments(self, question: str, limit: int) -> list[str] | Refusal:
        name = pip_name(question) or (question.strip() if PIP_NAME.fullmatch(question.strip()) else "")
        if not name:
            return refuse("search", "unsupported", "pip", "pip finds packages by their names alone.", mend="name the package")
        return [
            "install", "--dry-run", "--quiet", "--report", "-", "--no-deps", "--ignore-installed", "--only-binary", ":all:",
            "--no-input", "--disable-pip-version-check", "--retries", "0", "--timeout", "10", "--", name,
        ]  # fmt: skip

    def rows(self, ended: Ended) -> list[Row] | None:
        if ended.status:
            unknown = self._UNKNOWN.search(ended.said) and not self._UNREACHED.search(ended.said)
            return [] if unknown else None
        return [self._row(planned.metadata) for planned in msgspec.json.decode(ended.out, type=_Report).install]

    def complaint(self, ended: Ended) -> str:
        lines = [line for line in ended.said.splitlines() if line.startswith(("ERROR", "WARNING: Retrying"))]
        return (lines or [""])[0]

    def _row(self, about: _Metadata) -> Row:
        links = dict(link.split(", ", 1) for link in about.project_url if ", " in link)
        named = {label.lower(): url for label, url in links.items()}
        urls = [
            named.get("documentation", ""),
            named.get("homepage", ""),
            about.home_page,
            named.get("source", ""),
            *named.values(),
        ]
        needs = f" Needs Python {about.requires_python}." if about.requires_python else ""
        return Row(_first_open(urls), f"{about.name} {about.version}", f"{about.summary}{needs}")


class _Links(msgspec.Struct, frozen=True):
    npm: str = ""
    homepage: str = ""
    repository: str = ""


class _Found(msgspec.Struct, frozen=True):
    """A package of `npm search`; in `npm view` the links lie beside the rest."""

    name: str
    version: str = ""
    description: str = ""
    date: str | None = None
    links: _Links = _Links()
    homepage: str = ""
    repository: str = msgspec.field(name="repository.url", default="")
    tarball: str = msgspec.field(name="dist.tarball", default="")


class _Problem(msgspec.Struct, frozen=True):
    code: str = ""
    summary: str = ""


class _Failed(msgspec.Struct, frozen=True):
    error: _Problem


class Npm:
    """Looks a name up (`npm view`), or searches by words (`npm search`)."""

    settings: Mapping[str, str] = {
        "npm_config_update_notifier": "false", "npm_config_fetch_retries": "0", "npm_config_logs_max": "0",
        "npm_config_ignore_scripts": "true", "npm_config_color": "false", "npm_config_progress": "false",
    }  # fmt: skip
    _FIELDS = ("name", "version", "description", "homepage", "repository.url", "dist.tarball")

    def command(self) -> tuple[str, ...]:
        return _program("npm")

    def arguments(self, question: str, limit: int) -> list[str] | Refusal:
        wish = npm_wish(question)
        if wish is not None and wish.exactly and NPM_NAME.fullmatch(wish.text):
            return ["view", "--json", "--", wish.text, *self._FIELDS]
        words = _words(wish.text if wish is not None else question)
        return words if isinstance(words, Refusal) else ["search", "--json", f"--searchlimit={limit}", "--", *words]

    def rows(self, ended: Ended) -> list[Row] | None:
        if ended.status or not ended.out.strip():
            # npm says E404 of a package that is not there, and as well of an index that has no search.
            return [] if self._problem(ended).code == "E404" and "/search?" not in self._problem(ended).summary else None
        found = msgspec.json.decode(ended.out, type=list[_Found] | _Found)
        return [self._row(one) for one in (found if isinstance(found, list) else [found])]

    def complaint(self, ended: Ended) -> str:
        return self._problem(ended).summary or next(iter(ended.said.splitlines()), "")

    def _problem(self, ended: Ended) -> _Problem:
        try:
            return msgspec.json.decode(ended.out, type=_Failed).error
        except (msgspec.DecodeError, RecursionError):
            return _Problem()

    def _row(self, one: _Found) -> Row:
        urls = [one.links.npm, one.links.homepage, one.homepage, _web(one.links.repository), _web(one.repository), one.tarball]
        return Row(_first_open(urls), f"{one.name} {one.version}".strip(), one.description, one.date)


class Cargo:
    """Searches crates by words (`cargo search`); each is shown where its documentation is."""

    settings: Mapping[str, str] = {"CARGO_NET_RETRY": "0", "CARGO_TERM_COLOR": "never", "CARGO_TERM_PROGRESS_WHEN": "never"}
    _LINE = re.compile(r'([A-Za-z0-9_-]{1,64}) = "([^"\s]{1,60})"\s*(?:#\s*(.*))?')

    def command(self) -> tuple[str, ...]:
        return _program("cargo")

    def arguments(self, question: str, limit: int) -> list[str] | Refusal:
        wish = crate_wish(question)
        if wish is not None and wish.exactly and CRATE_NAME.fullmatch(wish.text):
            return ["search", "--limit", str(limit), "--", wish.text]
        words = _words(wish.text if wish is not None else question)
        return words if isinstance(words, Refusal) else ["search", "--limit", str(limit), "--", *words]

    def rows(self, ended: Ended) -> list[Row] | None:
        if ended.status:
            return None
        lines = ended.out.decode("utf-8", "replace").splitlines()
        matches = [match for line in lines if (match := self._LINE.fullmatch(line.strip()))]
        if lines and not matches and not any(line.startswith(("note:", "...")) for line in lines):
            raise msgspec.DecodeError("no line names a crate")
        return [
            Row(f"https://docs.rs/{match[1]}/{match[2].partition('+')[0]}", f"{match[1]} {match[2]}", match[3])
            for match in matches
        ]

    def complaint(self, ended: Ended) -> str:
        lines = [line for line in ended.said.splitlines() if line.startswith("error")]
        return (lines or [""])[0]


CLIENTS: Mapping[str, PackageClient] = {"pip": Pip(), "npm": Npm(), "cargo": Cargo()}


def _words(text: str) -> list[str] | Refusal:
    words = [word for word in keywords(text, _BESIDE) if _WORD.fullmatch(word)][:_MOST_WORDS]
    return words or refuse("search", "request", "package index", "The question has no words that a package index takes.")


def _first_open(urls: list[str]) -> str | None:
    return next((url for url in urls if url and openable(url) is not None), None)


def _web(repository: str) -> str:
    """Where a repository is seen, of an address that a version control system takes."""
    plain = re.sub(r"^git\+", "", repository.strip())
    plain = re.sub(r"^(?:ssh://)?git@([\w.-]+)[:/]", r"https://\1/", plain)
    return re.sub(r"^git://", "https://", plain).removesuffix(".git")
