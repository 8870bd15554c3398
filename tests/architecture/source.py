"""The source as the architecture's tests look at it."""

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "limen"
FILES = sorted(SOURCE.rglob("*.py"))


def name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in ast.walk(parsed(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def tracked() -> list[Path]:
    """Files under version control, and new ones that are not ignored."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / line for line in listed.splitlines() if (ROOT / line).is_file()]
