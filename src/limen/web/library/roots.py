"""The paths and URLs that a person names: what each stands for, or why it cannot be added."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

import msgspec

from limen.core.fault import Refusal
from limen.kit.text import clip
from limen.net.url import SafeUrl, parse
from limen.store.library import LibrarySource
from limen.web.library.crawl.addresses import page_key
from limen.web.library.crawl.lists import looks_listed
from limen.web.library.export import is_export
from limen.web.library.places import is_url, path_of
from limen.web.library.report import Tally, drawing
from limen.web.library.skipped import LARGEST_BYTES, words_of

_NAME_CHARS = 200
# Sources that are one document or what lies in a folder, and are not known by other spellings.
_ONE = ("page", "path", "export")
_REMOTE = re.compile(r"(?:git|ssh|git\+ssh)://\S+|[\w.-]+@[\w.-]+:\S+|https?://\S+\.git/?")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_KINDS = "add HTML, PDF, Markdown, text, reStructuredText or JSON files"
# How to mend it where one reason alone is in the way.
_MENDS = {
    "too_large": f"split it: a document may have {LARGEST_BYTES // 1_000_000} MB",
    "empty": "put something in it first",
    "name_not_unicode": "rename it to a name in UTF-8",
    "not_a_file": "name a file or a folder",
    "no_text": "there is nothing in it that a question could be answered from",
    "vanished": "try again once it is back",
}


class Wishes(msgspec.Struct, frozen=True):
    """How a person wants addresses to be read: by their links, and within which limits; 0 leaves one to the settings."""

    crawl: bool = False
    most_pages: int = 0
    most_depth: int = 0


def sources_of(names: Sequence[str], wishes: Wishes, *, fetches: bool) -> list[LibrarySource] | Refusal:
    """What the names stand for, each once: URLs without anchors, paths with links followed. One that is none refuses them all."""
    sources: dict[str, LibrarySource] = {}
    for name in names:
        if _is_remote(name):
            return _git_remote(name)
        found = _addressed(name, wishes) if is_url(name) else _located(name)
        if isinstance(found, Refusal):
            return found
        if is_url(name) and not fetches:
            return _no_fetcher(name)
        sources[found.root] = found
    return list(sources.values())


def _is_remote(name: str) -> bool:
    return _REMOTE.fullmatch(name) is not None and not Path(name).exists()


def _addressed(name: str, wishes: Wishes) -> LibrarySource:
    scheme, _, rest = name.partition("#")[0].partition("://")
    root = f"{scheme.lower()}://{rest}"
    kind = "list" if looks_listed(root) else "site" if wishes.crawl else "page"
    return LibrarySource(root, kind, wishes.most_pages, wishes.most_depth)


def known_as(source: LibrarySource, known: Sequence[LibrarySource]) -> LibrarySource:
    """The source as the library has it already, so that adding it again goes on with it; with what is newly wished."""
    url = parse(source.root) if is_url(source.root) else None
    key = page_key(url) if isinstance(url, SafeUrl) else source.root
    for one in known:
        other = parse(one.root) if is_url(one.root) else None
        # Files and pages by themselves are called as they are; another spelling of a site is the same site.
        same = one.root == source.root or (isinstance(other, SafeUrl) and one.kind not in _ONE and page_key(other) == key)
        if same:
            wider = source.kind == "site" or (one.kind == "path" and source.kind == "export")
            kind = source.kind if wider and one.kind != source.kind else one.kind
            pages, depth = source.most_pages or one.most_pages, source.most_depth or one.most_depth
            again = msgspec.structs.replace(one, kind=kind, most_pages=pages, most_depth=depth)
            # More is wished of it than there was: what waits is looked at.
            return msgspec.structs.replace(again, finished=again == one and one.finished) if kind not in _ONE else again
    return source


def _located(name: str) -> LibrarySource | Refusal:
    path = path_of(name)
    if not path or "\0" in path:
        return _no_such_path(name)
    try:
        found = Path(path).expanduser().resolve(strict=True)
        if found.is_dir():
            with os.scandir(found):
                pass
        exported = is_export(found)
    except (FileNotFoundError, NotADirectoryError):
        return _no_such_path(name)
    except RuntimeError:  # raised for links in a circle, and for a `~user` that is nobody
        return _unreadable(name, "its links lead in a circle, or its user is nobody", "name the file itself")
    except OSError as error:
        return _unreadable(name, error.strerror or str(error), f"check its permissions: ls -ld {_shown(path)}")
    try:
        str(found).encode()
    except UnicodeEncodeError:
        reason = f"{_shown(str(found))} is no name in UTF-8"
        return Refusal("library", "library.name_not_unicode", reason, "rename it, or the folder above whose name it is")
    return LibrarySource(str(found), "export" if exported else "path")


def nothing_readable(names: Sequence[str], tally: Tally, library: str) -> Refusal:
    """The refusal that says why not one document came of `names`: a gate's own where there was one address and nothing else."""
    alone = not tally.skipped.counts and not tally.missing
    if alone and tally.failed == 1 and tally.problems[0].gate:
        return tally.problems[0].refusal
    parts = [f"{count:,} {words_of(reason)}" for reason, count in tally.skipped.counts.most_common()]
    if tally.problems:
        parts.append(f"{tally.failed:,} failed, the first: {tally.problems[0].reason} [{tally.problems[0].code}]")
    if tally.missing:
        parts.append(f"out of reach: {', '.join(_shown(root) for root in tally.missing)}")
    why = "; ".join(parts) or "there is nothing in it"
    where = ", ".join(_shown(name) for name in names)
    detail = {"skipped": dict(sorted(tally.skipped.counts.items())), "failed": tally.failed}
    kinds = {(problem.gate, problem.code) for problem in tally.problems}
    gate = tally.problems[0].gate if alone and len(kinds) == 1 else ""
    return Refusal(
        gate or "library",
        "library.nothing_readable",
        f"no document could be read from {where} ({why})",
        _mend(tally, library),
        detail,
    )


def _mend(tally: Tally, library: str) -> str:
    reasons = list(tally.skipped.counts)
    mends = list(dict.fromkeys(problem.mend for problem in tally.problems if problem.mend))
    if mends and not reasons:
        return mends[0]
    if tally.problems or len(reasons) != 1:
        return _KINDS
    if reasons == ["unreadable"]:
        return f"check its permissions: ls -ld {_shown(tally.skipped.names['unreadable'][0])}"
    if reasons == ["needs_browser"]:
        return drawing(tally.skipped.names["needs_browser"], library)
    return _MENDS.get(reasons[0], _KINDS)


def _shown(name: str) -> str:
    """A name as it can be printed; quoted where it would not be seen."""
    plain = clip(name.encode("utf-8", "backslashreplace").decode(), _NAME_CHARS)
    return plain if plain.strip() and plain.isprintable() else repr(plain)


def _no_such_path(name: str) -> Refusal:
    path = path_of(name)
    mend = "check the path" if path.startswith(("/", "~")) else f"looked in {_shown(str(Path.cwd()))}; check the path"
    if _SCHEME.match(name) and not name.startswith("file:"):
        mend = "only http and https addresses are fetched: save it and add the file"
    return Refusal("library", "library.no_such_path", f"there is no file or folder {_shown(path or name)}", mend)


def _unreadable(name: str, why: str, mend: str) -> Refusal:
    return Refusal("library", "library.unreadable", f"{_shown(path_of(name))} cannot be looked at: {why}", mend)


def _git_remote(name: str) -> Refusal:
    reason = f"{_shown(name)} is a Git repository on another machine, which is not cloned from here"
    folder = name.rstrip("/").removesuffix(".git").rpartition("/")[2].rpartition(":")[2] or "checkout"
    mend = f"git clone --depth 1 {quote(name)} {quote(folder)} && limen library add {quote(folder)}"
    return Refusal("library", "library.git_remote", reason, mend)


def _no_fetcher(name: str) -> Refusal:
    reason = f"nothing is wired in that could fetch {_shown(name)}"
    return Refusal("library", "library.no_fetcher", reason, "save the page and add the file")
