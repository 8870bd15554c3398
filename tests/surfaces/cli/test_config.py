"""`limen config`: settings read, changed, checked and explained from the shell."""

import json
import os

import pytest

from limen.config.keys import ANY, KEYS
from limen.surfaces.cli.faults import DONE, FAILED, USAGE


@pytest.fixture
def file(home):
    home.mkdir(mode=0o700)
    return home / "config.yaml"


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch):
    for name in [name for name in os.environ if name.startswith("LIMEN_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def limen(limen, home, _no_settings_from_outside, monkeypatch):
    monkeypatch.setenv("LIMEN_HOME", str(home))
    return limen


def test_a_setting_goes_round(limen, home):
    ran = limen("config", "set", "web.max_urls", "8")
    assert (ran.status, ran.out) == (DONE, "")
    assert "web.max_urls = 8" in ran.err
    assert (home / "config.yaml").read_text() == "version: 1\nweb:\n  max_urls: 8\n"
    assert limen("config", "get", "web.max_urls").out == "8\n"
    assert limen("config", "unset", "web.max_urls").status == DONE
    assert limen("config", "get", "web.max_urls").out == "5\n"


def test_reading_makes_no_home(limen, home):
    for arguments in (["get", "web.mode"], ["list"], ["check"], ["path"], ["schema"], ["explain", "web.mode"]):
        assert limen("config", *arguments).status == DONE
    assert not home.exists()


def test_comments_stay(limen, file):
    file.write_text("# mine\nweb:\n  mode: live # all\n\n# next\nsecurity: {}\n")
    limen("config", "set", "web.max_urls", "8")
    assert file.read_text() == "# mine\nweb:\n  mode: live # all\n  max_urls: 8\n\n# next\nsecurity: {}\n"


@pytest.mark.parametrize(
    ("arguments", "code", "mend"),
    [
        (["modle", "x"], "config.unknown_key", "`model`"),
        (["gateway.discord.foo=1"], "config.unknown_key", "limen config schema"),
        (["web.mode", "on"], "config.bad_value", "limen config explain web.mode"),
        (["web", "x"], "config.unknown_key", ""),
    ],
)
def test_a_mistake_is_refused_with_code_and_mend(limen, home, arguments, code, mend):
    ran = limen("config", "set", *arguments)
    assert (ran.status, ran.out) == (FAILED, "")
    assert f"[{code}]" in ran.err
    assert mend in ran.err
    assert not (home / "config.yaml").exists()


def test_a_mistake_is_one_json_document_too(limen):
    ran = limen("config", "get", "modle", "--json")
    assert ran.status == FAILED
    assert json.loads(ran.out)["error"]["code"] == "config.unknown_key"


@pytest.mark.parametrize("arguments", [["set", "web.max_urls"], ["set"], ["get"], ["fly"], ["get", "a", "b"]])
def test_wrong_usage(limen, arguments):
    assert limen("config", *arguments).status == USAGE


def test_a_negative_or_empty_value_is_a_value(limen):
    assert "[config.bad_value]" in limen("config", "set", "web.max_urls", "--", "-1").err
    assert limen("config", "set", "web.backend", "").status == DONE
    assert limen("config", "set", "web.backend=").status == DONE


def test_a_setting_that_does_not_take_hold_is_said(limen, file, monkeypatch):
    monkeypatch.setenv("LIMEN_WEB_MAX_URLS", "3")
    ran = limen("config", "set", "web.max_urls", "8")
    assert ran.status == DONE
    assert "LIMEN_WEB_MAX_URLS overrides" in ran.err
    assert json.loads(limen("config", "set", "web.max_urls", "9", "--json").out) == {
        "key": "web.max_urls", "value": 9, "changed": True, "file": str(file), "effective": 3, "source": "environment",
    }  # fmt: skip


def test_a_setting_in_a_section_with_a_mistake_is_said_to_be_in_vain(limen, file):
    file.write_text("reader: {max_bytes: lots}\n")
    ran = limen("config", "set", "reader.max_redirects", "3")
    assert "reader.max_bytes" in ran.err
    assert "default values" in ran.err
    assert limen("config", "unset", "reader.max_bytes").status == DONE
    assert limen("config", "get", "reader.max_redirects").out == "3\n"


def test_explain_tells_who_set_it_and_what_that_overrides(limen, file, monkeypatch):
    file.write_text("web:\n  search_backend: exa\n")
    monkeypatch.setenv("LIMEN_WEB_SEARCH_BACKEND", "brave")
    ran = limen("config", "explain", "web.search_backend")
    assert ran.status == DONE
    assert ran.out.splitlines()[:4] == [
        "web.search_backend = brave",
        "  set by     environment (LIMEN_WEB_SEARCH_BACKEND)",
        f"  overrides  file: exa ({file}:2)",
        "  overrides  default: ",
    ]
    told = json.loads(limen("config", "explain", "web.search_backend", "--json").out)
    assert (told["value"], told["source"], told["overridden"][0]["place"]) == ("brave", "environment", f"{file}:2")
    assert told["description"]


def test_explain_of_a_section_says_what_to_ask(limen):
    ran = limen("config", "explain", "web")
    assert ran.status == FAILED
    assert "limen config get web" in ran.err


def test_get_gives_a_section(limen):
    assert json.loads(limen("config", "get", "security", "--json").out) == {
        "allow_private_hosts": [], "fake_ip_ranges": [], "proxy": "",
        "website_blocklist": {"enabled": False, "domains": [], "shared_files": []},
    }  # fmt: skip
    assert "ui.color = auto\n" in limen("config", "get", "ui").out
    assert limen("config", "get", "plugins").status == DONE


def test_list_shows_every_setting_and_who_set_it(limen, file):
    file.write_text("web: {mode: cached}\nproviders: {own: {model: m}}\nmodle: x\n")
    ran = limen("config", "list", "--json")
    rows = {row["key"]: row for row in json.loads(ran.out)}
    assert rows.keys() == {name for name in KEYS if ANY not in name and name != "plugins"} | {"providers.own.model"}
    assert (rows["web.mode"]["value"], rows["web.mode"]["source"], rows["ui.color"]["source"]) == ("cached", "file", "default")
    assert "`modle`" in ran.err
    assert [row["key"] for row in json.loads(limen("config", "list", "--changed", "--json").out)] == [
        "web.mode",
        "providers.own.model",
    ]


def test_list_hides_what_a_plugin_calls_a_secret(limen, file):
    value = "hunter" + "2"
    file.write_text(f"plugins: {{p: {{api_key: {value}, nested: {{password: {value}, name: shown}}}}}}\n")
    for arguments in (["list"], ["list", "--json"]):
        ran = limen("config", *arguments)
        assert value not in ran.out + ran.err
        assert "shown" in ran.out


def test_check_is_quiet_about_what_is_right(limen, file):
    ran = limen("config", "check")
    assert (ran.status, ran.out) == (DONE, "")
    file.write_text("web: {mode: cached}\n")
    assert "nothing is wrong" in limen("config", "check").err
    assert json.loads(limen("config", "check", "--json").out) == {"ok": True, "file": str(file), "problems": []}


def test_check_warns_of_a_misspelt_key_with_the_nearest(limen, file):
    file.write_text("modle: x\n")
    ran = limen("config", "check")
    assert ran.status == DONE
    assert f"{file}:1" in ran.out
    assert "`model`" in ran.out


def test_check_fails_where_security_is_not_what_was_meant(limen, file):
    file.write_text("security: {allow_private_hosts: 10.0.0.1}\n")
    ran = limen("config", "check")
    assert ran.status == FAILED
    assert "opens nothing" in ran.out
    report = json.loads(limen("config", "check", "--json").out)
    assert report["ok"] is False
    assert report["problems"][0]["key"] == "security.allow_private_hosts"


@pytest.mark.parametrize(
    "command", [["get", "web.mode"], ["list"], ["check"], ["explain", "web.mode"], ["set", "web.mode", "off"]]
)
def test_a_file_that_cannot_be_parsed_names_file_line_and_mend(limen, file, command):
    file.write_text("web:\n\tmode: off\n")
    ran = limen("config", *command)
    assert (ran.status, ran.out) == (FAILED, "")
    assert "[config.unreadable]" in ran.err
    assert f"{file}, line 2" in ran.err.replace("\n", "")
    assert "replace the tab by spaces" in ran.err


def test_path_and_schema_work_even_then(limen, file):
    file.write_text("web: [\n")
    assert limen("config", "path").out == f"{file}\n"
    assert json.loads(limen("config", "path", "--json").out)["exists"] is True
    assert "web.max_urls" in limen("config", "schema").out
    schema = json.loads(limen("config", "schema", "--json").out)
    assert schema["$defs"]["Web"]["properties"]["max_urls"]["maximum"] == 50


def test_a_profile_has_settings_of_its_own(limen, home):
    limen("config", "set", "web.max_urls", "9", "--profile", "work")
    assert (home / "profiles" / "work" / "config.yaml").exists()
    assert limen("config", "get", "web.max_urls").out == "5\n"
    assert limen("config", "get", "web.max_urls", "--profile", "work").out == "9\n"
    ran = limen("config", "path", "--profile", "../x")
    assert (ran.status, "[home.bad_profile]" in ran.err) == (FAILED, True)


def test_quiet_says_nothing_of_success(limen):
    ran = limen("config", "set", "web.max_urls", "8", "-q")
    assert (ran.status, ran.out, ran.err) == (DONE, "", "")


def test_a_legacy_console_gets_marks_it_can_show(process, home):
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text("web: {mode: ‘—’}\n", encoding="utf-8")
    ran = process("config", "check", PYTHONIOENCODING="gbk")
    assert ran.returncode == FAILED
    assert b"Traceback" not in ran.stderr
    assert b"web.mode" in ran.stdout
