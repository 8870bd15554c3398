"""Private files: whole or not there, readable by nobody else, and never written through a link."""

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limen.kit.atomic import TooLarge, UnsafePath, make_private_dir, read_private, sweep_temporaries, write_private

AS_ROOT = os.geteuid() == 0

WRITER = """
import sys
from pathlib import Path
from limen.kit.atomic import write_private
path = Path(sys.argv[1])
print("ready", flush=True)
while True:
    for letter in "ab":
        write_private(path, letter * 300_000)
"""

SMALL_DISK = """
import resource, signal, sys
from pathlib import Path
from limen.kit.atomic import write_private
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
try:
    write_private(Path(sys.argv[1]), "x" * 50_000)
except OSError as error:
    print(error.errno, error.filename)
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_is_private_in_folders_that_are_private(tmp_path):
    path = tmp_path / "a" / "b" / "file"
    before = os.umask(0)
    try:
        write_private(path, "grüß")
    finally:
        os.umask(before)
    assert path.read_bytes() == "grüß".encode()
    assert mode(path) == 0o600
    assert mode(path.parent) == mode(path.parent.parent) == 0o700


def test_a_narrow_umask_still_leaves_the_owner_a_file_to_read(tmp_path):
    before = os.umask(0o777)
    try:
        write_private(tmp_path / "file", b"x")
    finally:
        os.umask(before)
    assert mode(tmp_path / "file") == 0o600


def test_a_wide_file_becomes_private_when_it_is_replaced(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o666)
    write_private(path, "new")
    assert (path.read_text(), mode(path)) == ("new", 0o600)
    assert names(tmp_path) == ["file"]


@given(st.binary(max_size=5_000))
@settings(max_examples=50)
def test_what_is_written_is_what_is_read(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "file"
    write_private(path, data)
    assert read_private(path, limit_bytes=5_000) == data


def test_a_link_in_the_place_of_the_file_is_refused_and_its_target_untouched(tmp_path):
    target = tmp_path / "target"
    target.write_text("precious")
    (tmp_path / "file").symlink_to(target)
    with pytest.raises(UnsafePath, match="symbolic link"):
        write_private(tmp_path / "file", "x")
    assert target.read_text() == "precious"
    assert (tmp_path / "file").is_symlink()
    assert names(tmp_path) == ["file", "target"]


def test_a_link_to_nothing_is_refused_too(tmp_path):
    (tmp_path / "file").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UnsafePath):
        write_private(tmp_path / "file", "x")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("deeper", ["file", "new/file"])
def test_a_linked_folder_below_the_root_is_refused(tmp_path, deeper):
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "root"
    root.mkdir()
    (root / "pages").symlink_to(outside)
    with pytest.raises(UnsafePath, match="pages"):
        write_private(root / "pages" / deeper, "x", root=root)
    assert names(outside) == []


def test_the_root_itself_may_be_reached_through_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "real")
    write_private(tmp_path / "home" / "pages" / "file", "x", root=tmp_path / "home")
    assert (tmp_path / "real" / "pages" / "file").read_text() == "x"


@pytest.mark.parametrize("path", ["elsewhere/file", "root/../elsewhere/file"])
def test_a_path_outside_its_root_is_refused(tmp_path, path):
    with pytest.raises(UnsafePath):
        write_private(tmp_path / path, "x", root=tmp_path / "root")
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_or_a_pipe_in_the_place_of_the_file_is_refused(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(IsADirectoryError):
        write_private(tmp_path / "folder", "x")
    with pytest.raises(UnsafePath, match="ordinary"):
        write_private(tmp_path / "pipe", "x")
    with pytest.raises(UnsafePath, match="ordinary"):
        read_private(tmp_path / "pipe", limit_bytes=10)
    assert names(tmp_path) == ["folder", "pipe"]


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path):
    (tmp_path / "a").write_text("x")
    with pytest.raises(OSError, match="a") as caught:
        write_private(tmp_path / "a" / "b", "x", root=tmp_path)
    assert caught.value.errno in (errno.ENOTDIR, errno.EEXIST)


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    write_private(path, "the old text")
    done = subprocess.run([sys.executable, "-c", SMALL_DISK, path], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(errno.EFBIG), str(path)]
    assert path.read_text() == "the old text"
    assert names(tmp_path) == ["file"]


def test_a_killed_writer_leaves_a_whole_file(tmp_path):
    path = tmp_path / "file"
    whole = {"a" * 300_000, "b" * 300_000}
    for _ in range(4):
        write_private(path, "a" * 300_000)
        with subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            child.stdout.readline()
            assert all(path.read_text() in whole for _ in range(20))
            child.send_signal(signal.SIGKILL)
            child.wait()
        assert path.read_text() in whole


def test_what_a_killed_writer_left_is_swept_when_it_is_old(tmp_path):
    left = tmp_path / ".limen-tmp-1-abc"
    left.write_text("half")
    (tmp_path / "file").write_text("whole")
    assert sweep_temporaries(tmp_path) == 0
    os.utime(left, (0, 0))
    assert sweep_temporaries(tmp_path) == 1
    assert names(tmp_path) == ["file"]


@pytest.mark.skipif(AS_ROOT, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_says_so(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match="file"):
        write_private(tmp_path / "file", "x")


def test_folders_are_made_private_and_links_in_them_refused(tmp_path):
    make_private_dir(tmp_path / "a" / "b")
    assert mode(tmp_path / "a") == 0o700
    (tmp_path / "a" / "link").symlink_to(tmp_path)
    with pytest.raises(UnsafePath):
        make_private_dir(tmp_path / "a" / "link" / "c", root=tmp_path / "a")


def test_reading_stops_at_its_limit_and_at_links(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_private(path, limit_bytes=5) == b"12345"
    with pytest.raises(TooLarge):
        read_private(path, limit_bytes=4)
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(UnsafePath):
        read_private(tmp_path / "link", limit_bytes=5)
    assert read_private(tmp_path / "link", limit_bytes=5, follow=True) == b"12345"
    with pytest.raises(IsADirectoryError):
        read_private(tmp_path, limit_bytes=5)
    with pytest.raises(FileNotFoundError):
        read_private(tmp_path / "none", limit_bytes=5)


def test_a_long_name_still_has_room_for_its_temporary(tmp_path):
    path = tmp_path / ("n" * 255)
    write_private(path, "x")
    assert path.read_text() == "x"


def test_descriptors_are_not_leaked(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(10):
        write_private(tmp_path / "a" / "b" / "file", "x", root=tmp_path)
        with pytest.raises(UnsafePath):
            write_private(tmp_path / "link" / "file", "x", root=tmp_path)
    assert len(list(Path("/dev/fd").iterdir())) == before
