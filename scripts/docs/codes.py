"""The stable codes, found in the source: every call that makes a refusal, a fault or a notice is traced to its code's literal."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, get_args

from limen.core.fault import ModelFaultKind

SOURCE = Path(__file__).parents[2] / "src" / "limen"


class Maker(NamedTuple):
    """A call's place for a code: by position, by name, what stands before it, and what is made there in the end."""

    position: int
    name: str
    kind: str
    prefix: str = ""


# Position of the code among the arguments of what makes, prints or logs one. Functions that hand a parameter on are found.
_MAKERS = {
    "Refusal": 1, "Shell": 0, "Fault": 0, "ConfigFault": 0, "ToolFault": 0, "StoreFault": 0, "PlugFault": 0, "Notice": 0,
    "Problem": 1, "TurnEnd": 1, "Finding": 4, "failed_open": 0, "tell": 1,
}  # fmt: skip
_MODEL_FAULT = Maker(0, "kind", "ModelFault", "model.")
_NAMED = re.compile(r"`([a-z_]+\.[a-z_]+)`")


class Place(NamedTuple):
    """Where a code is made and as what (`Refusal`, `failed_open` …), and the reason given there, `…` for what is filled in."""

    code: str
    file: str
    reason: str
    kind: str
    line: int


class Scan(NamedTuple):
    """All places, and the calls whose code is computed in a way that cannot be followed, as `file:function`."""

    places: list[Place]
    unfollowed: list[str]


def scan(source: Path = SOURCE) -> Scan:
    """Every code of the package but for its test doubles."""
    trees = {
        path.relative_to(source).as_posix(): ast.parse(path.read_text())
        for path in sorted(source.rglob("*.py"))
        if not path.is_relative_to(source / "testing")
    }
    makers = _all_makers(trees)
    places: list[Place] = []
    unfollowed: set[str] = set()
    for file, tree in trees.items():
        for functions, call, maker in _calls(tree, makers[file]):
            codes = [maker.prefix + code for code in _literals(_argument(call, maker), (*functions, tree)) if code]
            at = (maker.kind, call.lineno)
            places += [Place(code, file, _reason(call, code.removeprefix(maker.prefix)), *at) for code in codes]
            if not codes and not _hands_on(call, maker, functions):
                told = _told(maker, functions)
                places += [Place(code, file, "", *at) for code in told]
                unfollowed |= set() if told else {f"{file}:{functions[-1].name if functions else ''}"}
    return Scan(places, sorted(unfollowed))


def _told(maker: Maker, functions: "tuple[Function, ...]") -> list[str]:
    """Codes that are computed: each kind of a model's failure, or what the function's docstring names."""
    if maker == _MODEL_FAULT or maker.prefix == _MODEL_FAULT.prefix:
        return model_codes()
    return _NAMED.findall(ast.get_docstring(functions[-1]) or "") if functions else []


def model_codes() -> list[str]:
    """The codes of model failures, one for each kind."""
    return [f"model.{kind}" for kind in get_args(ModelFaultKind)]


Function = ast.FunctionDef | ast.AsyncFunctionDef


def _all_makers(trees: dict[str, ast.Module]) -> dict[str, dict[str, Maker]]:
    """For each file what makes codes there: the classes, and functions that take a code and hand it on, until none is new."""
    base = {name: Maker(position, "code", name) for name, position in _MAKERS.items()}
    base["ModelFault"] = _MODEL_FAULT
    own: dict[str, dict[str, Maker]] = {file: {} for file in trees}
    while True:
        makers = {file: {**base, **_imported(tree, own), **own[file]} for file, tree in trees.items()}
        found = {file: _passing_on(tree, makers[file]) for file, tree in trees.items()}
        if found == own:
            return makers
        own = found


def _imported(tree: ast.Module, own: dict[str, dict[str, Maker]]) -> dict[str, Maker]:
    found: dict[str, Maker] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("limen."):
            theirs = own.get((node.module or "").removeprefix("limen.").replace(".", "/") + ".py", {})
            found |= {name.asname or name.name: theirs[name.name] for name in node.names if name.name in theirs}
    return found


def _passing_on(tree: ast.Module, makers: dict[str, Maker]) -> dict[str, Maker]:
    found: dict[str, Maker] = {}
    for functions, call, maker in _calls(tree, makers):
        handed = _handed(_argument(call, maker), functions)
        if handed is not None:
            function, prefix, name = handed
            names = _parameters(function)
            offset = 1 if names[0] in ("self", "cls") else 0
            found[function.name] = Maker(names.index(name) - offset, name, maker.kind, maker.prefix + prefix)
    return found


def _calls(tree: ast.Module, makers: dict[str, Maker]) -> Iterator[tuple[tuple[Function, ...], ast.Call, Maker]]:
    """Every call of a maker, with the functions it stands in, outermost first."""

    def visit(node: ast.AST, inside: tuple[Function, ...]) -> Iterator[tuple[tuple[Function, ...], ast.Call, Maker]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call):
                name = getattr(child.func, "id", getattr(child.func, "attr", ""))
                if name in makers:
                    yield inside, child, makers[name]
            yield from visit(child, (*inside, child) if isinstance(child, Function) else inside)

    return visit(tree, ())


def _argument(call: ast.Call, maker: Maker) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == maker.name:
            return keyword.value
    return call.args[maker.position] if 0 <= maker.position < len(call.args) else None


def _parameters(function: Function) -> list[str]:
    return [one.arg for one in (*function.args.args, *function.args.kwonlyargs)]


def _handed(node: ast.expr | None, functions: tuple[Function, ...]) -> tuple[Function, str, str] | None:
    """The function, the prefix and the parameter of it that a code is made from."""
    prefix, name = "", ""
    match node:
        case ast.Name(id=name):
            pass
        case ast.JoinedStr(values=[ast.Constant(value=str() as prefix), ast.FormattedValue(value=ast.Name(id=name))]):
            pass
    owner = next((function for function in reversed(functions) if name in _parameters(function)), None)
    return (owner, prefix, name) if owner is not None else None


def _hands_on(call: ast.Call, maker: Maker, functions: tuple[Function, ...]) -> bool:
    """Whether the code was made elsewhere: nothing given, a parameter, or a field of another refusal, fault or problem."""
    node = _argument(call, maker)
    first = node.values[0] if isinstance(node, ast.BoolOp) else node
    return (
        first is None
        or _handed(first, functions) is not None
        or (isinstance(first, ast.Attribute) and first.attr in ("code", "kind"))
        or (isinstance(first, ast.Constant) and not first.value)
    )


def _literals(node: ast.expr | None, scopes: tuple[ast.AST, ...]) -> Iterator[str]:
    match node:
        case ast.Constant(value=str() as code):
            yield code
        case ast.IfExp(body=body, orelse=other):
            yield from _literals(body, scopes)
            yield from _literals(other, scopes)
        case ast.BoolOp(values=values):
            for value in values:
                yield from _literals(value, scopes)
        case ast.Name(id=name):
            for inner in (inner for scope in scopes for inner in ast.walk(scope)):
                if isinstance(inner, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in inner.targets):
                    yield from _literals(inner.value, scopes[:-1])


def _reason(call: ast.Call, code: str) -> str:
    """The first argument behind the code that reads like a sentence."""
    texts = [_text(argument) for argument in (*call.args, *(keyword.value for keyword in call.keywords))]
    behind = texts[texts.index(code) + 1 :] if code in texts else texts
    return next((text for text in behind if " " in text.strip()), "")


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return ""
