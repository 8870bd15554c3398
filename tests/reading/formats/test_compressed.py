"""A compressed file is read by what is in it; what grows beyond reason is refused."""

import bz2
import gzip
import lzma

import pytest

from limen.core.fault import ToolFault
from limen.reading import read
from limen.reading.formats.compressed import inner_url


@pytest.mark.parametrize(("pack", "ending"), [(gzip.compress, ".gz"), (bz2.compress, ".bz2"), (lzma.compress, ".xz")])
def test_it_is_read_as_what_its_inner_name_says(pack, ending):
    page = read(pack(b"# Title\n\n- a"), f"https://e.example/notes.md{ending}?x=1", "application/octet-stream")
    assert (page.text, page.media_type) == ("# Title\n\n- a", "text/markdown")


def test_packed_twice_is_unpacked_and_no_more():
    twice = gzip.compress(lzma.compress(b"words"))
    assert read(twice).text == "words"
    with pytest.raises(ToolFault) as caught:
        read(gzip.compress(twice))
    assert caught.value.code == "reading.unsupported"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_bomb_is_refused(pack):
    with pytest.raises(ToolFault) as caught:
        read(pack(b"\0" * 120_000_000))
    assert caught.value.code == "reading.too_large"
    assert caught.value.mend


def test_a_bomb_in_a_packed_file_is_refused():
    with pytest.raises(ToolFault) as caught:
        read(gzip.compress(gzip.compress(b"a" * 120_000_000)))
    assert caught.value.code == "reading.too_large"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_what_is_cut_off_is_damaged(pack):
    with pytest.raises(ToolFault) as caught:
        read(pack(bytes(range(256)) * 40)[:-20])
    assert caught.value.code == "reading.damaged"


@pytest.mark.parametrize(
    ("data", "url", "mend"),
    [
        (b"\x28\xb5\x2f\xfd\x00", "", "zstd -d FILE.zst && limen library add FILE"),
        (b"\x28\xb5\x2f\xfd\x00", "a.tzst", "zstd -d a.tzst && limen library add UNPACKED"),
        (
            b"\x8b\x02\x80x",
            "https://e.example/a.json.br?x",
            "curl -fL -o a.json.br 'https://e.example/a.json.br?x' && brotli -d a.json.br && limen library add a.json",
        ),
        (b"\x1f\x9d\x90", "file:///old%20logs/a.z", "uncompress '/old logs/a.z' && limen library add '/old logs/a'"),
    ],
)
def test_what_nothing_here_unpacks_names_the_commands_that_do(data, url, mend):
    with pytest.raises(ToolFault) as caught:
        read(data, url)
    assert caught.value.code == "reading.unsupported"
    assert caught.value.mend == mend


@pytest.mark.parametrize(
    ("url", "inner"),
    [
        ("https://e.example/a.json.gz?v=1.gz", "https://e.example/a.json?v=1.gz"),
        ("https://e.example/a.json", "https://e.example/a.json"),
        ("page.1.gz", "page.1"),
        ("http://[", "http://["),
    ],
)
def test_the_inner_address_lacks_the_ending(url, inner):
    assert inner_url(url) == inner
