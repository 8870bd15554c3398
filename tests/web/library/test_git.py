"""What Git ignores, as Git itself says, and the commit that is checked out."""

import shutil
import subprocess
from pathlib import Path

import pytest
from web.library.inline_reader import open_index

from limen.web.library.git import Ignored, commit_of
from limen.web.library.walk import walk

FILES = [
    "a.md", "x.log", "important.log", "build/y.md", "docs/build/z.md", "docs/q.md", "docs/deep/tmp1.md", "docs/tmp2.md",
    "abc.txt",
    "c.txt", "keep/b.txt", "sub/own.md", "sub/deep/own.md", "sub/k.md", "foo bar.md", "dir/only.md", "file/dir.md", "#odd.md",
    "!odd.md", "x/y/z/deep.md", "range5.md", "range9.md", "star*.md", "q?.md", "one/mid/two.md", "one/mid/mid/two.md",
    "un/re/in.md",
]  # fmt: skip
TOP = rf"""
# a comment
*.log
!important.log
/build/
docs/**/tmp?.md
[ab]*.txt
foo\ bar.md
dir/
\#odd.md
\!odd.md
x/**
range[0-6].md
star\*.md
one/**/two.md
un/*
!un/re
trailing.md{"   "}
[
"""


def written(top: Path) -> None:
    for name in FILES:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(f"The file {name} has some words.")
    (top / ".gitignore").write_text(TOP)
    (top / "sub" / ".gitignore").write_text("/own.md\n")


def git(top: Path, *arguments: str) -> str:
    config = ["-c", "user.name=t", "-c", "user.email=t@x.test", "-c", "core.excludesFile="]
    done = subprocess.run(["git", *config, *arguments], cwd=top, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed: apt-get install git")
def test_what_git_ignores_is_left_out(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", ".")
    written(tmp_path)
    (tmp_path / ".git" / "info" / "exclude").write_text("a.md\n")
    theirs = {name for name in git(tmp_path, "ls-files", "-zco", "--exclude-standard").split("\0") if name}
    found = walk(tmp_path)
    ours = {str(Path(file.path).relative_to(tmp_path)) for file in found.files}
    assert ours == {name for name in theirs if not name.rpartition("/")[2].startswith(".") and not name.endswith(".log")} | {
        name for name in theirs if name.endswith(".log")
    }
    assert found.skipped.counts["ignored"] > 10


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed: apt-get install git")
def test_the_commit(tmp_path: Path) -> None:
    assert commit_of(str(tmp_path)) == ""
    git(tmp_path, "init", "-q", "-b", "main", ".")
    assert commit_of(str(tmp_path)) == ""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("words")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    commit = git(tmp_path, "rev-parse", "HEAD").strip()
    assert commit_of(str(tmp_path)) == commit_of(str(tmp_path / "docs")) == f"{commit[:12]} (main)"
    git(tmp_path, "pack-refs", "--all")
    assert commit_of(str(tmp_path)) == f"{commit[:12]} (main)"
    git(tmp_path, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    assert commit_of(str(tmp_path / "side")) == f"{commit[:12]} (side)"
    git(tmp_path, "checkout", "-q", "--detach")
    assert commit_of(str(tmp_path)) == commit[:12]


def test_what_a_person_names_is_read_even_where_git_ignores_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("/out/\n*.tmp.md\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "docs").mkdir()
    for name in ("out/a.md", "docs/b.md", "docs/c.tmp.md"):
        (tmp_path / name).write_text("words")
    assert [Path(file.path).name for file in walk(tmp_path).files] == ["b.md"]
    assert [Path(file.path).name for file in walk(tmp_path / "docs").files] == ["b.md"]
    assert [Path(file.path).name for file in walk(tmp_path / "out").files] == ["a.md"]
    assert [Path(file.path).name for file in walk(tmp_path / "docs" / "c.tmp.md").files] == ["c.tmp.md"]


def test_a_repository_within_goes_by_its_own_rules(tmp_path: Path) -> None:
    for name, ignored in (("one", "a.md"), ("two", "b.md")):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / ".gitignore").write_text(f"{ignored}\n")
        for file in ("a.md", "b.md"):
            (tmp_path / name / file).write_text("words")
    assert [file.path.removeprefix(str(tmp_path)) for file in walk(tmp_path).files] == ["/one/b.md", "/two/a.md"]


def test_hostile_rules_end(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*a*a*a*a*a*a*a*a*b\n" + "**/" * 500 + "x\n[z-a]\n[[:x:]]\n[\n\\\n!\n/\n" + "[" * 500)
    rules = Ignored.at(str(tmp_path))
    assert not rules.holds(str(tmp_path / ("a" * 200)), is_folder=False)
    (tmp_path / ".gitignore").write_bytes(b"\xff\xfe\0\n*.md")
    assert Ignored.at(str(tmp_path)).holds(str(tmp_path / "a.md"), is_folder=False)


@pytest.mark.anyio
async def test_a_checkout_is_a_source_with_its_commit(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git" / "refs" / "heads").mkdir(parents=True)
    (tmp_path / "repo" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "repo" / ".git" / "refs" / "heads" / "main").write_text("0123456789abcdef" * 2 + "01234567\n")
    (tmp_path / "repo" / "a.md").write_text("# A\n\nSome words about the repository, which are long enough.")
    async with open_index(tmp_path / "limen.db") as index:
        await index.add([str(tmp_path / "repo")])
        (source,) = await index.sources()
        assert source.note == "commit 0123456789ab (main)"
        for remote in ("git@host.test:a/b.git", "https://host.test/a/b.git", "ssh://git@host.test/b", "git://host.test/b.git"):
            report = await index.add([remote])
            assert report.refusal is not None
            assert report.refusal.code == "library.git_remote"
            assert report.refusal.mend == f"git clone --depth 1 {remote} b && limen library add b"
