"""Shared block-lists: changed files hold from the next call, broken ones cost nothing but themselves."""

import os

from limen.web.gates.block_files import WatchedBlockList
from limen.web.gates.policy import Rule


def test_a_changed_file_holds_from_the_next_call(tmp_path):
    path = tmp_path / "list.txt"
    blocked = WatchedBlockList([Rule("config.example", "config")], [path])
    assert blocked.match("a.example") is None
    path.write_text("# ours\na.example  # why\n")
    assert blocked.match("x.a.example").source == str(path)
    path.write_text("b.example\n")
    os.utime(path, ns=(1, 1))
    assert blocked.match("a.example") is None
    assert blocked.match("b.example") is not None
    path.unlink()
    assert blocked.match("b.example") is None
    assert blocked.match("config.example").source == "config"


def test_a_missing_file_and_a_bad_line_cost_only_themselves(tmp_path, caplog):
    good, folder, bad = tmp_path / "good.txt", tmp_path / "folder", tmp_path / "bad.txt"
    good.write_text("a.example\nhttps:///\n*.glob.example\n")
    folder.mkdir()
    bad.write_bytes(b"\xef\xbb\xbfbom.example\n\xff\xfe\nlatin.example\n")
    blocked = WatchedBlockList((), [tmp_path / "missing.txt", folder, good, bad])
    for host in ("a.example", "x.glob.example", "bom.example", "latin.example"):
        assert blocked.match(host) is not None, host
    assert blocked.match("glob.example") is None
    blocked.match("a.example")
    assert sum("missing.txt" in record.getMessage() for record in caplog.records) == 1
