"""Makes the made parts of the documentation from the code: `python scripts/docs`.

    python scripts/docs [PAGE...]           write what has changed
    python scripts/docs --check [PAGE...]   write nothing; status 1 where a page is stale

A made part stands between `<!-- made: NAME -->` and `<!-- /made -->`; docs/errors.md and docs/configuration.md are made whole,
of docs/check-it-yourself.md what its commands print.
"""

import difflib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import asked
import errors
import example
import session
import tables
import threshold

from limen.config.document import page as settings_page

ROOT = Path(__file__).parents[2]
Maker = Callable[[], str]
WHOLE = ""
PAGES: Mapping[str, Mapping[str, Maker]] = {
    "README.md": {
        "first-answer": example.first_answer,
        "fallen-back": example.fallen_back,
        "crossing": example.crossing,
        "tree": tables.tree,
    },
    "SECURITY.md": {"providers": tables.providers, "vendors": asked.vendors},
    "docs/architecture.md": {"pipelines": tables.pipelines},
    "docs/before-the-first-byte.md": {**threshold.PARTS, **asked.PARTS},
    "docs/check-it-yourself.md": {WHOLE: session.page},
    "docs/configuration.md": {WHOLE: settings_page},
    "docs/errors.md": {WHOLE: errors.page},
    "docs/when-a-provider-fails.md": {"recovery": tables.recovery, "tasks": tables.tasks, "seconds": tables.seconds},
    "docs/plug-in-a-model.md": {"providers": tables.providers},
}
# Of these parts times, identifiers and counts differ from run to run.
_TRANSCRIPTS = frozenset({"first-answer", "fallen-back", "crossing"})


def renewed(text: str, parts: Mapping[str, Maker]) -> str:
    """`text` with its made parts made anew; a transcript that says the same stays as it is."""
    for name, make in parts.items():
        if name == WHOLE:
            return make()
        before, opening, rest = text.partition(f"<!-- made: {name} -->\n")
        old, closing, after = rest.partition("<!-- /made -->")
        if not opening or not closing:
            raise SystemExit(f"there is no `<!-- made: {name} -->` … `<!-- /made -->`")
        new = make()
        kept = old if name in _TRANSCRIPTS and example.alike(old, new) else new
        text = before + opening + kept + closing + after
    return text


def main(arguments: list[str]) -> int:
    """Renew or check the pages that are named, all of them where none is."""
    check = "--check" in arguments
    names = [name for name in arguments if name != "--check"] or list(PAGES)
    stale = 0
    for name in names:
        path = ROOT / name
        old = path.read_text() if path.exists() else ""
        new = renewed(old, PAGES[name])
        if old == new:
            continue
        stale += 1
        if check:
            lines = difflib.unified_diff(old.splitlines(), new.splitlines(), name, "as the code has it", lineterm="")
            print(*lines, f"{name} is stale: python scripts/docs", sep="\n")
        else:
            path.write_text(new)
            print(f"{name} written")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
