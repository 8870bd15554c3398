"""Which files are documents, which are left out, and why."""

import os
from pathlib import Path

import pytest

from limen.web.library.load import LeftOut, Loaded, load
from limen.web.library.walk import LARGEST_BYTES, Candidate, walk


def put(root: Path, name: str, text: str = "Some words.") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def names(root: Path) -> list[str]:
    return [os.path.relpath(file.path, root) for file in walk(root).files]


def test_documents_of_all_kinds_are_found_in_order(tmp_path: Path) -> None:
    for name in ("b.md", "a.HTML", "deep/er/c.rst", "d.txt", "e.json", "f.htm"):
        put(tmp_path, name)
    assert names(tmp_path) == ["a.HTML", "b.md", "d.txt", "deep/er/c.rst", "e.json", "f.htm"]
    assert {file.media_type for file in walk(tmp_path).files} == {
        "text/html", "text/markdown", "text/x-rst", "text/plain", "application/json",
    }  # fmt: skip


def test_names_in_capitals_are_for_people_to_read(tmp_path: Path) -> None:
    for name in ("README", "NEWS.Debian", "COPYING", "sub/copyright", "Makefile", "README.bin", "A", "core", "LOCK.db"):
        put(tmp_path, name)
    assert names(tmp_path) == ["COPYING", "NEWS.Debian", "README", "sub/copyright"]
    assert {file.media_type for file in walk(tmp_path).files} == {""}


def test_what_is_no_document_is_counted_by_reason(tmp_path: Path) -> None:
    for name in (".git/config.txt", ".hidden.md", "node_modules/x/readme.md", "env/pyvenv.cfg", "env/lib/a.txt", "a.so", "b.png"):
        put(tmp_path, name)
    put(tmp_path, "empty.md", "")
    os.truncate(put(tmp_path, "huge.txt"), LARGEST_BYTES + 1)
    os.mkfifo(tmp_path / "pipe.txt")
    found = walk(tmp_path)
    assert found.files == ()
    assert found.skipped.counts == {"hidden": 2, "folder": 2, "unsupported": 2, "empty": 1, "too_large": 1, "not_a_file": 1}


def test_links_are_not_followed_out_of_the_tree_or_in_circles(tmp_path: Path) -> None:
    outside = put(tmp_path, "outside/secret.md")
    root = tmp_path / "docs"
    put(root, "a.md")
    (root / "out.md").symlink_to(outside)
    (root / "outdir").symlink_to(outside.parent)
    (root / "nowhere.md").symlink_to(tmp_path / "gone.md")
    (root / "again.md").symlink_to(root / "a.md")
    (root / "circle").symlink_to(root)
    (root / "self.md").symlink_to(root / "self.md")
    found = walk(root)
    assert [file.path for file in found.files] == [str(root / "a.md")]
    assert found.skipped.counts == {"link_outside": 2, "broken_link": 2, "link": 2}


def test_a_link_to_a_sibling_folder_with_the_same_beginning_leaves_the_tree(tmp_path: Path) -> None:
    other = put(tmp_path, "docs-private/a.md")
    root = tmp_path / "docs"
    put(root, "b.md")
    (root / "a.md").symlink_to(other)
    assert names(root) == ["b.md"]


def test_a_file_that_only_a_link_shows_is_read_through_it(tmp_path: Path) -> None:
    put(tmp_path, "..data/settings.md")
    (tmp_path / "settings.md").symlink_to(tmp_path / "..data" / "settings.md")
    assert names(tmp_path) == ["settings.md"]


def test_the_source_of_a_page_that_is_there_is_left_out(tmp_path: Path) -> None:
    for name in ("a.html", "a.txt", "sub/b.html", "_sources/sub/b.rst.txt", "_sources/only.rst.txt", "c.md"):
        put(tmp_path, name)
    found = walk(tmp_path)
    assert [os.path.relpath(file.path, tmp_path) for file in found.files] == [
        "_sources/only.rst.txt", "a.html", "a.txt", "c.md", "sub/b.html",
    ]  # fmt: skip
    assert found.skipped.counts == {"source_of_page": 1}


def test_a_named_file_is_taken_whatever_its_name_ends_in(tmp_path: Path) -> None:
    found = walk(put(tmp_path, "main.xyz", "print(1)"))
    assert [(file.path, file.media_type) for file in found.files] == [(str(tmp_path / "main.xyz"), "")]


def test_a_name_that_is_not_unicode_is_said(tmp_path: Path) -> None:
    try:
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md"))).write_text("words")
    except OSError:
        pytest.skip("this file system takes Unicode names only")
    put(tmp_path, "ok.md")
    found = walk(tmp_path)
    assert names(tmp_path) == ["ok.md"]
    assert found.skipped.counts == {"name_not_unicode": 1}
    (name,) = found.skipped.names["name_not_unicode"]
    assert name.endswith(r"caf\udce9.md")


def test_a_folder_that_is_gone_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        walk(tmp_path / "gone")


def candidate(path: Path, media_type: str = "text/plain") -> Candidate:
    return Candidate(str(path), (0, 0), media_type)


def test_loading_says_why_there_is_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "was-a-file.txt"
    folder.mkdir()
    fifo = tmp_path / "pipe.txt"
    os.mkfifo(fifo)
    blank = put(tmp_path, "blank.txt", " \n\t ")
    huge = put(tmp_path, "huge.txt")
    os.truncate(huge, LARGEST_BYTES + 1)
    through_file = put(tmp_path, "file.txt") / "below.txt"
    reasons = [load(candidate(path)) for path in (folder, fifo, blank, huge, tmp_path / "gone.txt", through_file)]
    assert reasons == [
        LeftOut("not_a_file", stale=True),
        LeftOut("not_a_file", stale=True),
        LeftOut("empty", stale=True),
        LeftOut("too_large", stale=True),
        LeftOut("vanished", stale=True),
        LeftOut("vanished", stale=True),
    ]


def test_a_file_that_holds_more_than_its_size_says_is_read_to_its_end() -> None:
    endless = Path("/proc/self/status")  # as a file that grows while it is read: its size is said to be 0
    if not endless.exists():
        pytest.skip("this system has no /proc")
    loaded = load(candidate(endless))
    assert isinstance(loaded, Loaded)
    assert loaded.data.startswith(b"Name:")
    assert loaded.data.endswith(b"\n")


def test_the_digest_follows_content_and_kind(tmp_path: Path) -> None:
    one, same, other = put(tmp_path, "a.txt", "x"), put(tmp_path, "b.txt", "x"), put(tmp_path, "c.txt", "y")
    digests = [load(candidate(path)).digest for path in (one, same, other)]
    assert digests[0] == digests[1] != digests[2]
    assert load(candidate(one, "text/markdown")).digest != digests[0]


def test_a_folder_made_from_its_sources_counts_each_page_once(tmp_path: Path) -> None:
    for number in range(12):
        put(tmp_path, f"page{number}.html")
        put(tmp_path, f"page{number}.txt")
    found = walk(tmp_path)
    assert {Path(file.path).suffix for file in found.files} == {".html"}
    assert found.skipped.counts == {"source_of_page": 12}
