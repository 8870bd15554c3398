"""What is made from the code says what the code says now."""

import ast
import importlib
import re
import subprocess
import sys

import pytest
from docs.pages import ROOT

from limen.config import keys

SCRIPT = ROOT / "scripts" / "docs"
SOURCE = ROOT / "src" / "limen"
CODE = re.compile(r"([a-z_]+)\.[a-z_]+")


def check(*pages):
    return subprocess.run([sys.executable, SCRIPT, "--check", *pages], capture_output=True, text=True, check=False)


def test_tables_are_fresh():
    pages = (
        "SECURITY.md", "docs/architecture.md", "docs/before-the-first-byte.md", "docs/configuration.md", "docs/errors.md",
        "docs/plug-in-a-model.md", "docs/when-a-provider-fails.md",
    )  # fmt: skip
    done = check(*pages)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_readmes_examples_are_what_happens():
    done = check("README.md")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def made():
    """The modules that make the pages, out of their folder."""
    sys.path.insert(0, str(SCRIPT))
    try:
        yield tuple(importlib.import_module(name) for name in ("codes", "errors", "example"))
    finally:
        sys.path.remove(str(SCRIPT))
        for name in ("codes", "errors", "example"):
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def scanned(made):
    codes, _, _ = made
    return codes.scan()


def test_every_code_is_followed_to_its_literal(scanned):
    assert scanned.unfollowed == []
    assert all(CODE.fullmatch(place.code) for place in scanned.places)


def test_no_literal_that_looks_like_a_code_is_missed(scanned):
    """A code that the scan overlooks would stand in the source all the same."""
    found = {place.code for place in scanned.places}
    areas = {code.partition(".")[0] for code in found}
    areas.discard("limen")  # names of our own modules begin so too
    # Verdicts of the ledger, a file, a note of the store: no errors.
    others = {
        "browse.kept", "compact.cut", "compact.report", "redact.masked", "shelve.cut", "fetch.derived", "cache.hit",
        "cache.stale", "cache.unchanged", "cache.library", "cache.stored", "secrets.exempt", "secrets.parameter_removed",
        "network.not_looked_up", "rescue.rescued", "rescue.rendered", "memo.hit", "policy.dropped", "config.yaml",
        "evidence.retention", "evidence.handed",
    }  # fmt: skip
    missed = set()
    for path in SOURCE.rglob("*.py"):
        if path.is_relative_to(SOURCE / "testing"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                match = CODE.fullmatch(node.value)
                if match and match[1] in areas and node.value not in found | others and keys.find(node.value) is None:
                    missed.add(f"{path.relative_to(SOURCE)}: {node.value}")
    assert missed == set()


def test_every_code_has_a_meaning_and_every_meaning_a_code(made, scanned):
    _, errors, _ = made
    written = errors.meanings()
    found = {place.code for place in scanned.places}
    told = {place.code for place in scanned.places if place.reason} | set(written)
    assert found - told == set(), "add a line to scripts/docs/meanings.toml"
    assert set(written) - found == set(), "no such code any more: take the line out of scripts/docs/meanings.toml"
    assert all(text[0].isupper() or text[0] == "`" for text in written.values())


def test_a_scan_follows_parameters_prefixes_and_constants(made, tmp_path):
    codes, _, _ = made
    package = tmp_path / "limen"
    package.mkdir()
    (package / "one.py").write_text(
        "NAME = 'area.constant'\n"
        "def refuse(code, why):\n    return Refusal('gate', f'area.{code}', why)\n"
        "def other(flag):\n    raise StoreFault('area.yes' if flag else 'area.no', 'it is so')\n"
        "def third():\n    return Refusal('gate', NAME, 'a reason')\n"
        "def fourth(table, key):\n    return Refusal('gate', table[key])\n"
    )
    (package / "two.py").write_text("from limen.one import refuse\ndef use():\n    return refuse('handed', 'because of it')\n")
    scan = codes.scan(package)
    assert {place.code for place in scan.places} == {"area.constant", "area.yes", "area.no", "area.handed"}
    assert next(place for place in scan.places if place.code == "area.handed") == (
        "area.handed", "two.py", "because of it", "Refusal", 3,
    )  # fmt: skip
    assert scan.unfollowed == ["one.py:fourth"]


def test_transcripts_are_alike_but_for_what_differs_from_run_to_run(made):
    _, _, example = made
    one = "turn t_0123456789ab · 12 blocks\ncontext in 917 tokens · 0.3 s\n[1] Tea · line 5\n 1  user  a   30"
    assert example.alike(one, one.replace("0123456789ab", "ba9876543210").replace("917", "925").replace("0.3", "1.2"))
    assert example.alike(one, one.replace("user  a ", "user    a"))
    assert not example.alike(one, one.replace("line 5", "line 6"))
    assert not example.alike(one, one.replace("user", "web"))
