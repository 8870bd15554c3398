"""Prints the table of stable codes, read from the source: `python scripts/errors.py > docs/errors.md`."""

import ast
import re
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "limen"
CODE = re.compile(r"[a-z_]+\.[a-z_]+")
MAKERS = {"Refusal", "ToolFault", "ConfigFault", "StoreFault", "PlugFault", "ModelFault", "Fault", "Notice", "Problem", "TurnEnd"}
HEAD = """# Codes

Each refusal, fault and notice carries a stable code, `area.name`. This table is made from the source by
`python scripts/errors.py`; the texts are those of the first place that raises the code.

| code | what happened | raised in |
|---|---|---|
"""


def text_of(node: ast.expr | None) -> str:
    """A message's literal parts; what is filled in stands as `…`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return ""


def codes_in(path: Path) -> list[tuple[str, str]]:
    """Code and message of every call in a file that makes a refusal, fault or notice."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            literals = [text_of(argument) for argument in [*node.args, *(keyword.value for keyword in node.keywords)]]
            code = next((text for text in literals[:2] if CODE.fullmatch(text)), None)
            if code is None or (name not in MAKERS and not name.startswith("_")):
                continue
            after = literals[literals.index(code) + 1 :]
            found.append((code, next((text for text in after if " " in text), "")))
    return found


def table() -> str:
    """The page."""
    rows: dict[str, tuple[str, set[str]]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        if path.is_relative_to(SOURCE / "testing"):
            continue
        for code, text in codes_in(path):
            known, places = rows.setdefault(code, (text, set()))
            places.add(str(path.relative_to(SOURCE)))
            rows[code] = (known or text, places)
    lines = [
        f"| `{code}` | {text.replace('|', '/').strip()} | {', '.join(f'`{place}`' for place in sorted(places))} |"
        for code, (text, places) in sorted(rows.items())
    ]
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
