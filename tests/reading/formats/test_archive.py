"""Archives are told by what is in them, and nothing is unpacked for it."""

import io
import tarfile

import pytest
from reading.formats.office.made_office import zipped

from limen.core.fault import ToolFault
from limen.reading import read


def tarred(mode="w", **files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), 1_700_000_000
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def test_a_zip_tells_its_files_and_that_it_is_one():
    page = read(
        zipped({"../../etc/passwd": "x" * 1_000, "a\x1b[31m.txt": "y", "d/": "", "d/b.txt": "z"}), "https://e.example/a.zip"
    )
    assert page.is_file
    assert page.title == "a.zip"
    assert "- Files: 3\n- Unpacked: 1,002 bytes" in page.text
    assert "| `../../etc/passwd` | 1,000 |" in page.text
    assert "\x1b" not in page.text
    assert page.shell.mend == "Save it: curl -fL -o a.zip https://e.example/a.zip"


def test_of_many_files_the_first_are_listed():
    page = read(zipped({f"f{n}": "" for n in range(65_535)}))
    assert "- Files: 65,535" in page.text
    assert page.text.count("| `f") == 200


def test_an_encrypted_zip_is_told_of_all_the_same():
    data = bytearray(zipped({"a.txt": "x", "b.txt": "y"}))
    data[data.rfind(b"PK\x01\x02") + 8] |= 1
    assert "- Encrypted: 1 of 2 files" in read(bytes(data)).text


def test_a_zip_that_was_cut_off_is_damaged():
    with pytest.raises(ToolFault) as caught:
        read(zipped({"a.txt": "x" * 100})[:-40], "a.zip")
    assert caught.value.code == "reading.damaged"


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_a_tar_tells_its_files_however_it_is_packed(mode):
    page = read(tarred(mode, **{"d/a.txt": b"12345", "b": b""}), "https://e.example/a.tar.gz")
    assert (page.is_file, page.media_type) == (True, "application/x-tar")
    assert "- Files: 2" in page.text
    assert "| `d/a.txt` | 5 | 2023-11-14 |" in page.text


def test_a_tar_too_long_to_look_through_says_so():
    page = read(tarred("w:gz", a=b"\0" * 70_000_000, b=b"x"))
    assert "Looked through: not all of it" in page.text
    assert "| `a` | 70,000,000 |" in page.text


def test_archives_without_a_list_at_hand_name_the_program_that_has_it():
    page = read(b"7z\xbc\xaf\x27\x1c" + bytes(100), "a.7z")
    assert "7z l FILE" in page.text


def test_a_file_without_a_name_does_no_harm():
    page = read(zipped({"a.txt": "x"}).replace(b"a.txt", b"\x00.txt"))
    assert page.media_type == "application/zip"
    assert "- Files: 1" in page.text
