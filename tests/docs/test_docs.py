"""What the pages say is so: commands exist, links lead somewhere, made parts are fresh."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from limen.main import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "src" / "limen" / "manual").glob("*.md")])


def name(path):
    return str(path.relative_to(ROOT))


def commands_in(text):
    """Every `limen …` in code, as words."""
    spans = re.findall(r"`(limen [^`]+)`", text.replace("\n", " ")) + re.findall(r"^\$ (limen .+)$", text, re.MULTILINE)
    return [shlex.split(span.partition("  #")[0], comments=True) for span in spans]


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_commands_in_a_page_exist(path):
    for words in commands_in(path.read_text()):
        verbs = [word for word in words[1:] if not word.startswith("-")]
        if verbs:
            assert verbs[0] in COMMANDS, words


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_links_within_the_repository_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text()):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def test_the_table_of_codes_is_fresh():
    made = subprocess.run([sys.executable, ROOT / "scripts" / "errors.py"], capture_output=True, text=True, check=True).stdout
    assert made == (ROOT / "docs" / "errors.md").read_text()


def test_folders_of_the_architecture_page_exist():
    text = (ROOT / "docs" / "architecture.md").read_text()
    rows = re.findall(r"^\| [^|]+ \| `(src/[^`]+)` \| ([^|]+) \|", text, re.MULTILINE)
    assert len(rows) >= 10
    for folder, files in rows:
        assert (ROOT / folder).exists()
        for file in re.findall(r"`([^`]+)`", files):
            assert (ROOT / folder / file).exists(), file


def test_the_readmes_example_is_what_happens(tmp_path):
    readme = (ROOT / "README.md").read_text()
    notes = tmp_path / "notes"
    notes.mkdir()
    sentence = "Steep green tea for two minutes at eighty degrees; black tea takes four minutes in boiling water."
    (notes / "tea.md").write_text(
        f"# Tea\n\n## Steeping\n\n{sentence}\n\n## Storing\n\nKeep tea dry, dark and away from spices.\n"
    )
    (notes / "coffee.md").write_text(
        "# Coffee\n\n## French press\n\nGrind coarsely, pour water just off the boil, and wait four minutes.\n"
    )

    def limen(*arguments):
        command = [sys.executable, "-m", "limen", *arguments, "--home", str(tmp_path / "home")]
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)

    added = limen("library", "add", "notes")
    assert "2 documents added" in added.stdout + added.stderr
    answer = limen("ask", "How long do I steep green tea?").stdout.replace(str(tmp_path), "/tmp")
    shown = readme.partition('$ limen ask "How long do I steep green tea?"\n')[2].partition("```")[0]
    assert answer.strip() == shown.strip()
