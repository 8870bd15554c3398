"""`limen explain`: every row of the table of addresses, what opens the ones that can be opened, and how it reads."""

import json
import os
import shlex
from pathlib import Path

import pytest
from surfaces.cli.conftest import in_process

from limen.main import load
from limen.surfaces.cli.faults import DONE, FAILED, REFUSED, USAGE
from limen.web.extract import EXTRACT_GATES

TABLE = Path(__file__).parents[2] / "net/ssrf.jsonl"
ROWS = {row["id"]: row for row in map(json.loads, TABLE.read_text().splitlines())}
PUBLIC = "93.184.216.34"
OPENABLE = [row for row in ROWS.values() if row["expected"] == "needs-config"]


@pytest.fixture
def limen(home, capsys, monkeypatch):
    for name in [name for name in os.environ if name.startswith("LIMEN_") or name.endswith("_API_KEY")]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LIMEN_HOME", str(home))
    with in_process(load, capsys, monkeypatch) as call:
        yield call


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def batch(tmp_path, *rows):
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return str(file)


def decisive(explained):
    return next(row for row in explained["gates"] if row["decides"])


def test_every_row_of_the_table_has_its_verdict(limen):
    ran = limen("explain", "--batch", str(TABLE))
    assert ran.status == DONE
    explained = {one["id"]: one for one in lines(ran.out)}
    assert explained.keys() == ROWS.keys()
    for name, row in ROWS.items():
        one = explained[name]
        assert one["url"] == row["url"]
        assert one["verdict"] == ("allow" if row["expected"] == "allow" else "refuse"), name
        assert [gate["gate"] for gate in one["gates"]] == list(EXTRACT_GATES)
        if one["verdict"] == "refuse":
            assert decisive(one)["gate"] == "network"
            assert decisive(one)["code"] == "network.scheme" or row["expected"] != "block-scheme"


@pytest.mark.parametrize("row", OPENABLE, ids=[row["id"] for row in OPENABLE])
def test_what_a_setting_may_open_is_opened_by_the_command_it_names(limen, tmp_path, row):
    if "env" in row:  # only a proxy that Limen is told of may find what has no address here
        limen("config", "set", "security.proxy", "http://proxy.corp.example:3128")
    file = batch(tmp_path, row)
    (one,) = lines(limen("explain", "--batch", file).out)
    assert one["verdict"] == "refuse"
    command = shlex.split(decisive(one)["mend"].partition(": ")[2])
    assert command[:3] == ["limen", "config", "set"]
    assert limen(*command[1:]).status == DONE
    (one,) = lines(limen("explain", "--batch", file).out)
    assert one["verdict"] == "allow"
    assert limen("config", "check").status == DONE


def test_an_address_in_brackets_is_opened_by_its_command_too(limen):
    explained = json.loads(limen("explain", "--json", "http://[fd00::7]:8443/").out)
    command = shlex.split(decisive(explained)["mend"].partition(": ")[2])
    assert command[-1] == "[fd00::7]:8443"
    assert limen(*command[1:]).status == DONE
    assert limen("explain", "http://[fd00::7]:8443/").status == DONE
    assert limen("explain", "http://[fd00::7]:8444/").status == REFUSED


def test_variables_change_what_they_change_in_a_process_and_nothing_else(limen, tmp_path, monkeypatch):
    before = dict(os.environ)
    base = {"url": "http://10.0.0.1/"}
    proxies = dict.fromkeys(("HTTP_PROXY", "https_proxy", "ALL_PROXY"), "http://proxy.example:3128")
    found = lines(
        limen(
            "explain", "--batch",
            batch(
                tmp_path,
                base,
                {**base, "env": {**proxies, "NO_PROXY": "*"}},
                {**base, "env": {"LIMEN_SECURITY_ALLOW_PRIVATE_HOSTS": "10.0.0.1"}},
                {"url": "http://1.1.1.1/", "env": {"EXA_API_KEY": "made-up"}},
                base,
            ),
        ).out
    )  # fmt: skip
    assert [one["verdict"] for one in found] == ["refuse", "refuse", "allow", "allow", "refuse"]
    assert found[0] == found[1] == found[4]
    assert [found[0]["provider"], found[3]["provider"]] == ["local", "exa"]
    assert dict(os.environ) == before


def test_a_line_that_cannot_be_used_keeps_its_place_and_costs_itself_alone(limen, tmp_path):
    ran = limen(
        "explain",
        "--batch",
        batch(tmp_path, {"url": "http://10.0.0.1/", "id": 7}, "{", "", '{"id": "x"}', {"url": "http://1.1.1.1/"}),
    )
    first, broken, lacking, last = lines(ran.out)
    assert (first["id"], first["verdict"], last["verdict"]) == (7, "refuse", "allow")
    assert (broken["line"], broken["error"]["code"]) == (2, "cli.bad_line")
    assert (lacking["line"], "url" in lacking["error"]["reason"]) == (4, True)
    assert ran.status == FAILED


def test_more_lines_than_are_asked_at_once_come_in_their_order(limen, tmp_path):
    rows = [{"url": f"http://10.0.0.{n}/", "id": n} for n in range(50)]
    assert [one["id"] for one in lines(limen("explain", "--batch", batch(tmp_path, *rows)).out)] == list(range(50))


def test_a_person_sees_a_gate_a_line_and_what_would_open_it(limen):
    ran = limen("explain", "http://10.0.0.1:8080/?token=abc")
    assert ran.status == REFUSED
    head, *rest = ran.out.splitlines()
    assert head == "http://10.0.0.1:8080/?token=abc  refuse"
    assert [line.split()[0] for line in rest[1:7]] == list(EXTRACT_GATES[1:])
    assert rest[0].startswith("▸ secrets")
    assert "limen config set security.allow_private_hosts --add 10.0.0.1:8080" in ran.out
    assert "abc" not in "".join(rest)


def test_the_exit_status_says_whether_all_would_be_read(limen):
    suppose = ("--resolves-to", PUBLIC)
    assert limen("explain", "https://a.example/", *suppose).status == DONE
    assert limen("explain", "https://a.example/", "http://10.0.0.1/", *suppose).status == REFUSED
    assert limen("explain", "https://a.example/", *suppose, "--then", "10.0.0.1").status == REFUSED
    assert limen("explain", "https://a.example/", *suppose, "--redirects-to", "http://10.0.0.1/").status == REFUSED
    assert limen("explain", "https://a.example/", "--resolves-to", "").status == REFUSED
    assert limen("explain", "https://a.example/", *suppose, "--provider", "locl").status == REFUSED
    limen("config", "set", "web.permissions", "domain:a.example=ask")
    assert limen("explain", "https://a.example/", *suppose).status == REFUSED


@pytest.mark.parametrize("arguments", [(), ("http://a.example/", "--batch", "-"), ("http://a.example/", "--then", "1.1.1.1")])
def test_wrong_usage_is_said(limen, arguments):
    assert limen("explain", *arguments).status == USAGE


def test_a_file_that_cannot_be_read_is_named(limen):
    ran = limen("explain", "--batch", "/no/such.jsonl")
    assert (ran.status, "/no/such.jsonl" in ran.err) == (FAILED, True)


def test_several_addresses_as_json_are_a_line_each(limen):
    out = limen("explain", "--json", "http://10.0.0.1/", "http://1.1.1.1/").out
    assert [one["verdict"] for one in lines(out)] == ["refuse", "allow"]


def test_what_is_wrong_with_the_settings_is_said_and_they_open_nothing(limen, home):
    home.mkdir()
    (home / "config.yaml").write_text("security: {allow_private_hosts: 10.0.0.1}\n")
    ran = limen("explain", "http://10.0.0.1/")
    assert (ran.status, "config.bad_value" in ran.err) == (REFUSED, True)


def test_no_store_is_made(limen, home):
    limen("explain", "http://10.0.0.1/")
    assert not home.exists()
