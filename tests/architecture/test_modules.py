"""House rules for modules: where imports stand, what a file is called, how large it grows."""

import ast
import re

import pytest
from architecture.source import FILES, functions, name, parsed

from limen.kit.deferred import load

# Only these load lazily; whoever else must, names what it wants to `kit/deferred.py` (docs/adr/0010).
LAZY = {"main.py", "__init__.py", "kit/deferred.py"}
# Who may: what wires, a table of vendors of which a process asks one or two, parsers of files that most runs never open, and
# the library, which is asked more often than added to.
LATE = {
    "runtime.py", "builtin/web/offered.py", "kit/tokens.py", "config/migrate.py", "reading/decode.py", "reading/document.py",
    "web/library/index.py",
}  # fmt: skip
LONGEST_LINES = 400
# Files over that, with the length they may not pass. Entries only shrink or go.
LONG_FILES: dict[str, int] = {}
MOST_PARAMETERS = 8
# Constructors over that, `self` included, as `file:Class`, with their number. Entries only shrink or go.
WIDE_CONSTRUCTORS: dict[str, int] = {}
HIDING_NAMES = {"util", "utils", "helper", "helpers", "common", "misc", "base", "manager", "handler", "mixin", "facade"}


@pytest.mark.parametrize("path", FILES, ids=name)
def test_imports_stand_at_the_top(path):
    inner = [
        node.lineno
        for function in functions(path)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
        or (isinstance(node, ast.Call) and ast.unparse(node.func) in ("__import__", "import_module", "importlib.import_module"))
    ]
    assert name(path) in LAZY or inner == []


@pytest.mark.parametrize("path", FILES, ids=name)
def test_only_few_load_by_name_and_the_names_are_there(path):
    named = [
        node.args[0].value
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "load"
        and node.args
        and isinstance(node.args[0], ast.Constant)
    ]
    deferring = "limen.kit.deferred" in path.read_text()
    assert not deferring or name(path) in LATE or name(path).startswith("wiring/")
    for dotted in named if deferring else ():
        assert load(dotted) is not None


@pytest.mark.parametrize("path", FILES, ids=name)
def test_imports_are_absolute(path):
    relative = [node.lineno for node in ast.walk(parsed(path)) if isinstance(node, ast.ImportFrom) and node.level]
    assert relative == []


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_module_is_named_for_what_it_defines(path):
    words = {word for part in name(path).removesuffix(".py").split("/") for word in part.split("_")}
    assert words & HIDING_NAMES == set()


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_module_says_what_it_is(path):
    if parsed(path).body:
        said = ast.get_docstring(parsed(path))
        assert said
        assert said[0].isupper() or said[0] in "`'\"", said
        assert said.partition("\n\n")[0].rstrip().endswith((".", ":", "`", "?")), said


@pytest.mark.parametrize("path", FILES, ids=name)
def test_files_stay_short(path):
    lines = path.read_text().count("\n")
    allowed = LONG_FILES.get(name(path))
    assert lines <= (LONGEST_LINES if allowed is None else allowed)
    assert allowed is None or lines > LONGEST_LINES, "it has become short: take it off the list"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_constructors_stay_narrow(path):
    for owner in ast.walk(parsed(path)):
        if isinstance(owner, ast.ClassDef):
            for node in owner.body:
                if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                    taken = len([*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs])
                    allowed = WIDE_CONSTRUCTORS.get(f"{name(path)}:{owner.name}")
                    assert taken <= (MOST_PARAMETERS if allowed is None else allowed), owner.name
                    assert allowed is None or taken > MOST_PARAMETERS, "it has become narrow: take it off the list"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_nothing_is_global_that_changes(path):
    changed = [node.lineno for node in ast.walk(parsed(path)) if isinstance(node, ast.Global)]
    assert changed == []


@pytest.mark.parametrize("path", FILES, ids=name)
def test_no_statement_numbers_its_places(path):
    """Python from 3.12 on gives a sequence to nameless places alone; a value that is used twice has a name."""
    texts = (node.value for node in ast.walk(parsed(path)) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    assert [text for text in texts if re.search(r"\bSELECT\b|\bWHERE\b|\bVALUES\b", text) and re.search(r"\?\d", text)] == []
