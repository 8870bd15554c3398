"""Questions from standard input: pieces, sizes, devices."""

import os

import click
import pytest

from limen.core.fault import Fault
from limen.surfaces.cli.question import Input, checked, decoded

pytestmark = pytest.mark.anyio


@pytest.fixture
def opened():
    """Descriptors of files, closed in the end."""
    descriptors = []

    def call(path):
        descriptors.append(os.open(path, os.O_RDONLY))
        return descriptors[-1]

    yield call
    for descriptor in descriptors:
        os.close(descriptor)


async def lines(source: Input, limit: int = 10):
    return [line if isinstance(line, bytes) else line.code async for line in source.lines(limit)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"one", [b"one"]),
        (b"one\ntwo\n", [b"one", b"two"]),
        (b"\n\n", [b"", b""]),
        (b"x" * 11, ["ask.too_long"]),
        (b"x" * 11 + b"\nok\n", ["ask.too_long", b"ok"]),
        (b"ok\n" + b"x" * 300_000 + b"\nok", [b"ok", "ask.too_long", b"ok"]),
        (b"x" * 10 + b"\n", [b"x" * 10]),
    ],
)
async def test_lines(data, expected, tmp_path, opened):
    path = tmp_path / "input"
    path.write_bytes(data)
    assert await lines(Input(opened(path))) == expected


async def test_a_device_that_cannot_be_waited_for(opened):
    assert await Input(opened("/dev/null")).whole(10) == b""
    with pytest.raises(Fault, match=r"ask\.too_long"):
        await Input(opened("/dev/zero")).whole(10)


async def test_a_pipe_in_pieces():
    reader, writer = os.pipe()
    source = Input(reader)
    os.write(writer, b"on")
    os.write(writer, b"e\ntw")
    os.close(writer)
    assert await lines(source) == [b"one", b"tw"]
    os.close(reader)


def test_what_is_no_text():
    assert decoded(b"\xef\xbb\xbfa") == "a"
    for data in (b"\xff", b"a\0b"):
        with pytest.raises(Fault, match=r"ask\.binary"):
            decoded(data)


def test_what_is_no_question():
    assert checked(" caf\udce9 ") == "caf\ufffd"
    with pytest.raises(click.UsageError):
        checked("\n\t")
