"""What is different from the run of the same command before: failing tests by name, problems of a build by file."""

from collections.abc import Mapping

from limen.evidence.extractors.diagnostics import diagnostic
from limen.evidence.report import Report

_FEW = 5
_NAME_CHARS = 100
_MESSAGE_CHARS = 60
# More are not compared.
_MOST_PROBLEMS = 2_000


def since(now: Report, text: str, then: Report, text_then: str, then_id: str) -> str:
    """One line about an output beside an earlier one of the same command; empty where neither tells of anything that failed.

    What is no longer named is not said to pass or to be mended: it may not have run.
    """
    if now.names or then.names:
        return _said("failed", {name: name for name in now.names}, {name: name for name in then.names}, then_id)
    mine, theirs = problems(text), problems(text_then)
    return _said("errors", mine, theirs, then_id) if mine or theirs else ""


def problems(text: str) -> dict[str, str]:
    """The errors that compilers and linters name in an output, as `file:line code`, by what stays when lines move."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        one = diagnostic(line)
        if one is None or one.severity != "error" or not one.file:  # a step that failed is no problem of its own
            continue
        about = one.code or one.message[:_MESSAGE_CHARS]
        place = one.file if one.line is None else f"{one.file}:{one.line}"
        found.setdefault(f"{one.file} {one.code} {one.message}", f"{place} {about}")
        if len(found) == _MOST_PROBLEMS:
            break
    return found


def _said(what: str, now: Mapping[str, str], then: Mapping[str, str], then_id: str) -> str:
    new, gone = [now[key] for key in now if key not in then], [then[key] for key in then if key not in now]
    return (
        f"since {then_id}, the last kept run of this command: {len(now):,} {what}, {len(new):,} of them new{_some(new)}; "
        f"{len(gone):,} no longer named{_some(gone)}"
    )


def _some(names: list[str]) -> str:
    """A few names, of which the ends tell most."""
    if not names:
        return ""
    shown = ", ".join(name if len(name) <= _NAME_CHARS else "…" + name[1 - _NAME_CHARS :] for name in names[:_FEW])
    return f": {shown}" + (", …" if len(names) > _FEW else "")
