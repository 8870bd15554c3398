"""What a part of the code can say: the codes that are made in the functions and classes reached from it."""

import ast
from collections.abc import Container, Iterator, Mapping
from functools import cache
from pathlib import Path

from codes import SOURCE, Place, scan

_PACKAGE = "limen."
# How gates of every kind are called, and what is said when a call ends in the middle: no gate's own word.
_OF_ALL = ("web/call.py", "core/waiting.py")
_Definition = tuple[str, str]  # file, name
# Reads a host, and says of what is none nothing at all.
_SAYS_NOTHING: _Definition = ("net/host.py", "spelled")


def refusals(*starts: str) -> tuple[str, ...]:
    """Codes of the refusals reached from `file.py:name`, in alphabetical order."""
    return _codes(starts, frozenset({"Refusal"}))


def logged(*starts: str) -> tuple[str, ...]:
    """Codes of what is logged and gone on from."""
    return _codes(starts, frozenset({"failed_open"}))


def docstring(place: str) -> str:
    """The docstring of `file.py` or of `file.py:name`, its paragraphs unfolded. Raises KeyError where there is no such thing."""
    file, _, name = place.partition(":")
    node = _definitions(file)[name] if name else _tree(file)
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        raise KeyError(place)
    paragraphs = (ast.get_docstring(node) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _codes(starts: tuple[str, ...], kinds: Container[str]) -> tuple[str, ...]:
    ranges: dict[str, list[range]] = {}
    for file, name in _reached(starts):
        node = _definitions(file)[name]
        ranges.setdefault(file, []).append(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    found = {
        place.code
        for place in _places()
        if place.kind in kinds and any(place.line in lines for lines in ranges.get(place.file, ()))
    }
    return tuple(sorted(found))


def _reached(starts: tuple[str, ...]) -> set[_Definition]:
    """Every definition that a name in a reached definition stands for, imports followed."""
    waiting = [_found(*start.split(":")) for start in starts]
    reached: set[_Definition] = set()
    while waiting:
        file, name = waiting.pop()
        if (file, name) in reached or file in _OF_ALL or (file, name) == _SAYS_NOTHING:
            continue
        reached.add((file, name))
        names = {node.id for node in ast.walk(_definitions(file)[name]) if isinstance(node, ast.Name)}
        waiting += [place for one in names if (place := _meant(file, one)) is not None]
    return reached


def _found(file: str, name: str) -> _Definition:
    if name not in _definitions(file):
        raise SystemExit(f"scripts/docs: there is no {name} in src/limen/{file}")
    return file, name


def _meant(file: str, name: str) -> _Definition | None:
    """The definition of ours that a name stands for in a file."""
    if name in _definitions(file):
        return file, name
    origin = _imports(file).get(name)
    if origin is None or origin[1] not in _definitions(origin[0]):
        return None
    return origin


@cache
def _places() -> tuple[Place, ...]:
    return tuple(scan().places)


@cache
def _tree(file: str) -> ast.Module:
    return ast.parse((SOURCE / file).read_text())


@cache
def _definitions(file: str) -> Mapping[str, ast.stmt]:
    """Functions, classes, their methods (`Class.method`) and constants of a module by name."""
    return {name: found for node in _tree(file).body for name, found in _defined(node)}


def _defined(node: ast.stmt) -> Iterator[tuple[str, ast.stmt]]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, node
        case ast.ClassDef(name=name, body=body):
            yield name, node
            yield from ((f"{name}.{method}", found) for inner in body for method, found in _defined(inner))
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            yield name, node


@cache
def _imports(file: str) -> Mapping[str, _Definition]:
    found: dict[str, _Definition] = {}
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_PACKAGE):
            there = f"{(node.module or '').removeprefix(_PACKAGE).replace('.', '/')}.py"
            if Path(SOURCE / there).is_file():
                found |= {alias.asname or alias.name: (there, alias.name) for alias in node.names}
    return found
