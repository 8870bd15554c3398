"""The paths and URLs that a person names: what each stands for, or why it cannot be added."""

import os
from collections.abc import Sequence
from pathlib import Path

from limen.core.fault import Refusal
from limen.kit.text import clip
from limen.web.library.places import is_url, path_of
from limen.web.library.report import Tally
from limen.web.library.skipped import LARGEST_BYTES, words_of

_NAME_CHARS = 200
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


def roots_of(names: Sequence[str], *, fetches: bool) -> list[str] | Refusal:
    """What the names stand for, each once: URLs without anchors, paths with links followed. One that is none refuses them all."""
    roots: dict[str, None] = {}
    for name in names:
        if is_url(name):
            if not fetches:
                return _no_fetcher(name)
            roots[name.partition("#")[0]] = None
            continue
        found = _located(name)
        if isinstance(found, Refusal):
            return found
        roots[found] = None
    return list(roots)


def _located(name: str) -> str | Refusal:
    path = path_of(name)
    if not path or "\0" in path:
        return _no_such_path(name)
    try:
        found = Path(path).expanduser().resolve(strict=True)
        if found.is_dir():
            with os.scandir(found):
                pass
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
    return str(found)


def nothing_readable(names: Sequence[str], tally: Tally) -> Refusal:
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
        gate or "library", "library.nothing_readable", f"no document could be read from {where} ({why})", _mend(tally), detail
    )


def _mend(tally: Tally) -> str:
    reasons = list(tally.skipped.counts)
    mends = list(dict.fromkeys(problem.mend for problem in tally.problems if problem.mend))
    if mends and not reasons:
        return mends[0]
    if tally.problems or len(reasons) != 1:
        return _KINDS
    if reasons == ["unreadable"]:
        return f"check its permissions: ls -ld {_shown(tally.skipped.names['unreadable'][0])}"
    return _MENDS.get(reasons[0], _KINDS)


def _shown(name: str) -> str:
    """A name as it can be printed; quoted where it would not be seen."""
    plain = clip(name.encode("utf-8", "backslashreplace").decode(), _NAME_CHARS)
    return plain if plain.strip() and plain.isprintable() else repr(plain)


def _no_such_path(name: str) -> Refusal:
    path = path_of(name)
    mend = "check the path" if path.startswith(("/", "~")) else f"looked in {_shown(str(Path.cwd()))}; check the path"
    return Refusal("library", "library.no_such_path", f"there is no file or folder {_shown(path or name)}", mend)


def _unreadable(name: str, why: str, mend: str) -> Refusal:
    return Refusal("library", "library.unreadable", f"{_shown(path_of(name))} cannot be looked at: {why}", mend)


def _no_fetcher(name: str) -> Refusal:
    reason = f"nothing is wired in that could fetch {_shown(name)}"
    return Refusal("library", "library.no_fetcher", reason, "save the page and add the file")
