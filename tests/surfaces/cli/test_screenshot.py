"""`limen screenshot`, over the real runtime: what is written where, and what is said when nothing is."""

import json
import subprocess
import sys

import pytest
from reading.made_pdf import made_pdf
from surfaces.cli.conftest import environment, in_process

from limen.main import load

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def limen(home, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.pdf").write_bytes(made_pdf("Hello", "two"))
    with in_process(load, capsys, monkeypatch) as call:
        yield call


def test_a_page_of_a_pdf_becomes_a_private_file(limen, tmp_path):
    ran = limen("screenshot", "a.pdf", "--page", "2", "-o", "out.png")
    out = tmp_path / "out.png"
    assert (ran.status, ran.out) == (0, "")
    assert "out.png: page 2 of 2 · 1224 × 1584 pixels" in ran.err
    assert out.read_bytes().startswith(PNG)
    assert out.stat().st_mode & 0o077 == 0


def test_a_file_in_its_place_is_replaced_and_that_is_said(limen, tmp_path):
    (tmp_path / "out.png").write_text("old")
    ran = limen("screenshot", "a.pdf", "-o", "out.png", "--json")
    told = json.loads(ran.out)
    assert told["replaced"] is True
    assert (told["page"], told["pages"], told["width"], told["height"]) == (1, 2, 1224, 1584)
    assert told["url"] == (tmp_path / "a.pdf").as_uri()
    assert told["size_bytes"] == len((tmp_path / "out.png").read_bytes())


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["a.pdf", "--page", "7", "-o", "out.png"], 1, "screenshot.no_page"),
        (["none.pdf", "-o", "out.png"], 1, "files.missing"),
        (["a.pdf", "-o", "nowhere/out.png"], 2, "There is no folder nowhere"),
        (["a.pdf", "-o", "."], 2, "is a folder"),
        (["a.pdf", "--json", "-o", "-"], 2, "both write to standard output"),
        (["a.pdf"], 2, "--output"),
        (["a.pdf", "--page", "0", "-o", "out.png"], 2, "--page"),
        (["http://127.0.0.1:1/a.pdf", "-o", "out.png"], 3, "network."),
    ],
)
def test_what_cannot_be_done_is_said_and_leaves_no_file(limen, tmp_path, arguments, status, said):
    ran = limen("screenshot", *arguments)
    assert ran.status == status
    assert said in ran.err
    assert not (tmp_path / "out.png").exists()


def test_a_file_that_cannot_be_written_is_said_and_the_old_one_stays(limen, tmp_path):
    (tmp_path / "real.png").write_text("old")
    (tmp_path / "out.png").symlink_to("real.png")
    ran = limen("screenshot", "a.pdf", "-o", "out.png")
    assert ran.status == 1
    assert "screenshot.unwritable" in ran.err
    assert (tmp_path / "real.png").read_text() == "old"


def test_a_pipe_gets_the_picture_and_nothing_else(home, tmp_path):
    pdf = tmp_path / "a.pdf"
    pdf.write_bytes(made_pdf("Hello"))
    command = [sys.executable, "-m", "limen", "screenshot", str(pdf), "-o", "-"]
    done = subprocess.run(command, capture_output=True, env=environment(LIMEN_HOME=str(home)), check=True)
    assert done.stdout.startswith(PNG)
    assert done.stdout.endswith(b"IEND\xaeB`\x82")
    assert done.stderr == b""


def test_a_pipe_that_closes_early_is_no_bug(home, tmp_path):
    pdf = tmp_path / "a.pdf"
    pdf.write_bytes(made_pdf("Hello"))
    command = f"{sys.executable} -m limen screenshot {pdf} -o - | head -c 4 >/dev/null"
    done = subprocess.run(command, shell=True, capture_output=True, env=environment(LIMEN_HOME=str(home)), check=True)
    assert b"limen.bug" not in done.stderr
