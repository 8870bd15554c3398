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
    assert (home / "config.yaml").read_text() == "version: 2\nweb:\n  max_urls: 8\n"
    assert limen("config", "get", "web.max_urls").out == "8\n"
    assert limen("config", "unset", "web.max_urls").status == DONE
    assert limen("config", "get", "web.max_urls").out == "5\n"


def test_an_empty_text_can_be_seen_in_a_line_and_stays_empty_in_a_pipe(limen, home):
    assert 'web.backend = exa (was "", the default)' in limen("config", "set", "web.backend", "exa").err
    assert 'web.backend = "" (was exa)' in limen("config", "unset", "web.backend").err
    assert 'web.backend = ""\n' in limen("config", "explain", "web.backend").out
    assert limen("config", "get", "web.backend").out == "\n"


def test_a_list_is_changed_entry_by_entry_or_replaced_aloud(limen, home):
    name = "security.allow_private_hosts"
    assert '= ["a.lan"] (was [], the default)' in limen("config", "set", name, "a.lan").err
    assert '= ["a.lan", "b.lan"] (was ["a.lan"])' in limen("config", "set", name, "--add", "b.lan").err
    ran = limen("config", "set", name, "[c.lan, d.lan]")
    assert "no longer in it: a.lan, b.lan; --add keeps" in ran.err
    ran = limen("config", "set", name, "--remove", "c.lan", "--json")
    assert json.loads(ran.out)["was"] == ["c.lan", "d.lan"]
    assert json.loads(ran.out)["value"] == json.loads(ran.out)["effective"] == ["d.lan"]
    assert limen("config", "set", name, "x.lan", "--add", "y.lan").status == USAGE
    ran = limen("config", "set", "web.max_urls", "--add", "3")
    assert (ran.status, "[config.no_list]" in ran.err) == (FAILED, True)
    assert limen("config", "get", name, "--json").out == '[\n  "d.lan"\n]\n'


def test_a_secret_is_not_repeated(limen, home):
    value = "hunter" + "2"
    for command in (
        ["set", "plugins.p.api_key", value],
        ["set", "plugins.p.api_key", value + "3"],
        ["unset", "plugins.p.api_key"],
    ):
        assert value not in limen("config", *command).err


BROKEN = {
    "tab": b"web:\n\tmode: off\n",
    "twice": b"web: {}\nweb: {}\n",
    "twice below": b"web:\n  mode: live\n  mode: off\n",
    "alias of itself": b"web: &a\n  x: *a\n",
    "bomb": b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
        f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]\n".encode() for old, new in zip("abcde", "bcdef", strict=True)
    ),
    "binary": b"\x00\x01\xff\xfe",
    "utf-16": "web: {}".encode("utf-16"),
    "latin-1": b'web:\n  mode: "caf\xe9"\n',
    "list": b"- a\n- b\n",
    "word": b"hello\n",
    "documents": b"web: {}\n---\nweb: {}\n",
    "tag": b"web: !!python/object:os.system x\n",
    "open quote": b"web: {mode: 'live\n",
    "open bracket": b"web: {mode: live\n",
    "deep": b"web: " + b"[" * 200,
    "indentation": b"web:\n  mode: live\n max_urls: 3\n",
    "star": b"security: {website_blocklist: {domains: [*.example.org]}}\n",
    "newer": b"version: 9\n",
    "version": b"version: one\n",
    "directive": b"%YAML 9.9\n---\nweb: {}\n",
    "huge": b"a" * 1_500_000,
}  # fmt: skip


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_named_once_with_a_mend(limen, file, content):
    file.write_bytes(content)
    for command in (["config", "get", "web.mode"], ["config", "set", "web.max_urls", "3"]):
        ran = limen(*command)
        assert ran.status == FAILED
        first, mend, *_ = ran.err.splitlines()
        assert first.count(str(file)) == 1
        assert "  → " in mend
        assert "[config." in first
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"# only words\n",
        b"\xef\xbb\xbfweb: {}\n",
        b"web: {}\r\n",
        b"web:\nsecurity:\nproviders:\nplugins:\n",
        b"--- {}\n",
    ],
)
def test_an_unusual_file_is_read(limen, file, content):
    file.write_bytes(content)
    assert limen("config", "get", "web.max_urls") == (DONE, "5\n", "")
    assert limen("config", "set", "web.max_urls", "7").status == DONE
    assert limen("config", "get", "web.max_urls").out == "7\n"


@pytest.mark.parametrize("kind", ["folder", "link to nothing", "pipe"])
def test_what_is_no_file_is_told(limen, file, kind):
    {"folder": file.mkdir, "link to nothing": lambda: file.symlink_to("nothing"), "pipe": lambda: os.mkfifo(file)}[kind]()
    for command in (["get", "web.mode"], ["set", "web.max_urls", "3"]):
        ran = limen("config", *command)
        assert ran.status == FAILED
        assert "[config.unreadable]" in ran.err
        assert ran.err.count(str(file)) == 2  # what is wrong, and the command that mends it


@pytest.mark.parametrize(
    ("text", "said", "mend"),
    [
        ("web: 5\n", "`web` must be a mapping", "limen config unset web"),
        ("web:\n  mode:live\n", "`web` must be a mapping", "put a blank behind the `:`"),
        ("security: {allow_private_hosts: wiki.lan}\n", "opens nothing", "put brackets around the value"),
        ("providers: [a]\n", "`providers` must be a mapping", "limen config unset providers"),
        ("limits: {steps: many}\n", "`limits` has its default values", "limen config set limits.steps VALUE"),
        ("1: x\n", "there is no setting `1`", "limen config schema"),
    ],
)
def test_one_bad_section_is_left_out_alone(limen, file, text, said, mend):
    file.write_text(f"{text}ui: {{history_lines: 7}}\n")
    ran = limen("config", "list")
    assert ran.status == DONE
    assert said in ran.err
    assert mend in ran.err
    assert limen("config", "get", "ui.history_lines").out == "7\n"


def test_a_home_that_is_none_is_told_as_everywhere(limen, home, monkeypatch):
    home.write_text("a file")
    for command in (["get", "web.mode"], ["list"], ["check"], ["set", "web.max_urls", "3"]):
        ran = limen("config", *command)
        assert (ran.status, "[home.not_a_folder]" in ran.err) == (FAILED, True)


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
        "key": "web.max_urls", "value": 9, "was": 8, "changed": True, "file": str(file), "effective": 3, "source": "environment",
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
        '  overrides  default: ""',
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
        "allow_private_hosts": [], "fake_ip_ranges": [], "fake_ip_detect": False, "proxy": "",
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


def test_check_names_a_backend_that_cannot_do_what_it_is_named_for(limen, file):
    file.write_text("web: {backend: searxng}\n")
    ran = limen("config", "check")
    assert ran.status == DONE
    assert "web.search_only" in ran.out
    assert "limen config set web.extract_backend NAME" in ran.out
    assert json.loads(limen("config", "check", "--json").out)["problems"][0]["key"] == "web.backend"


def test_a_provider_that_nobody_has_is_said_when_it_is_set(limen):
    done = limen("config", "set", "web.search_backend", "wikipedai")
    assert done.status == 0
    assert "No search provider is named 'wikipedai'" in done.err
    assert "web.unknown_provider" in done.err
    assert "web.unknown_provider" not in limen("config", "set", "web.search_backend", "wikipedia").err
