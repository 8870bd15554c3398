"""docs/errors.md: every stable code, what it means, and where it is made."""

import tomllib
from collections import defaultdict
from pathlib import Path

from codes import Place, scan

MEANINGS = Path(__file__).with_name("meanings.toml")
_HEAD = """# Codes

<!-- Made by `python scripts/docs` from the source and `scripts/docs/meanings.toml`. -->

Each refusal, fault and notice carries a stable code, `area.name`, a reason and a mend. `limen` prints them as
`✗ reason [code]` and `→ mend`; with `--json` they stand in `error`. A code keeps its meaning for ever; new ones are added.
Those marked *Logged* end nothing: Limen goes on and says so in its log (`-v`).

Exit statuses: 0 done, 1 failed, 2 wrong usage, 3 refused by a gate, 130 interrupted, 141 nobody read the output to its end.
"""


def meanings() -> dict[str, str]:
    """The written meanings by code."""
    areas = tomllib.loads(MEANINGS.read_text())
    return {f"{area}.{name}": text for area, names in areas.items() for name, text in names.items()}


def page() -> str:
    """The whole page: a table for each area."""
    written = meanings()
    areas: dict[str, dict[str, list[Place]]] = defaultdict(lambda: defaultdict(list))
    for place in scan().places:
        areas[place.code.partition(".")[0]][place.code].append(place)
    sections = [_section(area, codes, written) for area, codes in sorted(areas.items())]
    return _HEAD + "".join(sections)


def _section(area: str, codes: dict[str, list[Place]], written: dict[str, str]) -> str:
    rows = [
        f"| `{code}` | {_meaning(written.get(code, ''), places)} | {', '.join(_files(places))} |"
        for code, places in sorted(codes.items())
    ]
    return f"\n## {area}\n\n| code | what it means | made in |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def _meaning(written: str, places: list[Place]) -> str:
    own = next((place.reason for place in places if place.reason), "")
    return (written or own).replace("|", "\\|").strip()


def _files(places: list[Place]) -> list[str]:
    return [f"`{file}`" for file in sorted({place.file for place in places})]
