"""Editing the settings file: the value changes, and nothing else does."""

import json
import os
import stat
import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limen.config.edit import change_list, set_value, unset_value
from limen.config.load import load
from limen.config.parse import parse
from limen.config.paths import Home
from limen.core.fault import ConfigFault
from limen.kit.filelock import FileLock

WRITTEN = """\
# my settings

web:   # the web
    # what may be done
    mode: live   # all of it
    secret_exempt_hosts:
        - a.example   # first
        # between
        - b.example

# security comes next
security:
    website_blocklist: {enabled: true, domains: [x.example]}   # in one line
library:
providers:
    my-llm:
        endpoint: "http://localhost:1/v1" # mine
# the end
"""


@pytest.fixture
def place(tmp_path) -> Home:
    return Home(tmp_path / "home")


def written(place: Home, text: str = WRITTEN) -> Home:
    place.ensure()
    place.config_file.write_bytes(text.encode())
    return place


def after_set(place: Home, name: str, text: str) -> str:
    set_value(place, name, text)
    return place.config_file.read_bytes().decode()


def test_the_first_setting_makes_a_private_file(place):
    edited = set_value(place, "web.max_urls", "8")
    assert (edited.changed, edited.value) == (True, 8)
    assert place.config_file.read_text() == "version: 2\nweb:\n  max_urls: 8\n"
    assert stat.S_IMODE(place.config_file.stat().st_mode) == 0o600
    assert load(place, {}).config.web.max_urls == 8


@pytest.mark.parametrize(
    ("name", "text", "old", "new"),
    [
        ("web.mode", "cached", "    mode: live   # all of it\n", "    mode: cached   # all of it\n"),
        ("web.max_urls", "7", "        - b.example\n", "        - b.example\n    max_urls: 7\n"),
        (
            "web.secret_exempt_hosts", "c.example",
            "    secret_exempt_hosts:\n        - a.example   # first\n        # between\n        - b.example\n",
            "    secret_exempt_hosts: [c.example]\n",
        ),
        ("security.website_blocklist.enabled", "false", "{enabled: true, ", "{enabled: false, "),
        ("security.website_blocklist.domains", "none", "domains: [x.example]", "domains: []"),
        ("security.website_blocklist.shared_files", "a b.txt", "[x.example]}", '[x.example], shared_files: ["a b.txt"]}'),
        (
            "security.allow_private_hosts", "10.0.0.0/8", "# in one line\n",
            '# in one line\n    allow_private_hosts: ["10.0.0.0/8"]\n',
        ),
        ("library.search", "a,b", "library:\n", "library:\n  search: [a, b]\n"),
        ("providers.my-llm.endpoint", "http://h/v1", '"http://localhost:1/v1" # mine', "http://h/v1 # mine"),
        ("providers.my-llm.model", "x: y", "# mine\n", '# mine\n        model: "x: y"\n'),
        ("providers.new.model", "m", "# mine\n", "# mine\n    new:\n      model: m\n"),
        ("limits.steps", "9", "# mine\n", "# mine\nlimits:\n  steps: 9\n"),
        ("plugins.mine.deep.key", '{"a": [1]}', "# mine\n", "# mine\nplugins:\n  mine:\n    deep:\n      key: {a: [1]}\n"),
    ],
)  # fmt: skip
def test_only_the_key_changes(place, name, text, old, new):
    assert WRITTEN.count(old) == 1
    assert after_set(written(place), name, text) == WRITTEN.replace(old, new)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("web.mode", "    mode: live   # all of it\n", ""),
        ("web.secret_exempt_hosts",
         "    secret_exempt_hosts:\n        - a.example   # first\n        # between\n        - b.example\n", ""),
        ("security.website_blocklist.enabled", "enabled: true, ", ""),
        ("security.website_blocklist.domains", ", domains: [x.example]", ""),
        ("security.website_blocklist",
         "security:\n    website_blocklist: {enabled: true, domains: [x.example]}   # in one line\n", ""),
        ("providers.my-llm.endpoint", 'providers:\n    my-llm:\n        endpoint: "http://localhost:1/v1" # mine\n', ""),
        ("library", "library:\n", ""),
        ("limits.steps", "", ""),
    ],
)  # fmt: skip
def test_unset_takes_the_key_and_keeps_the_comments_around_it(place, name, old, new):
    unset_value(written(place), name)
    assert place.config_file.read_text() == WRITTEN.replace(old, new)


def test_setting_what_is_set_changes_nothing(place):
    assert set_value(written(place), "web.mode", "live").changed is False
    assert unset_value(place, "limits.steps").changed is False
    assert place.config_file.read_text() == WRITTEN


@pytest.mark.parametrize(
    ("before", "name", "text", "after"),
    [
        ("web: {}\n", "web.mode", "off", 'web: {mode: "off"}\n'),
        ("web: {max_urls: 2,}\n", "web.mode", "cached", "web: {max_urls: 2, mode: cached}\n"),
        ("web: ~ # x\n", "web.mode", "cached", "web: # x\n  mode: cached\n"),
        ("web:\n  # mode: live\nui:\n  color: never", "web.mode", "cached",
         "web:\n  mode: cached\n  # mode: live\nui:\n  color: never"),
        ("web:\n  mode:\n  max_urls: 2\n", "web.mode", "cached", "web:\n  mode: cached\n  max_urls: 2\n"),
        ("ui:\n  color: never", "web.mode", "cached", "ui:\n  color: never\nweb:\n  mode: cached\n"),
        ("# only words", "web.mode", "cached", "# only words\nweb:\n  mode: cached\n"),
        ("'web':\n  \"mode\": 'live'\n", "web.mode", "cached", "'web':\n  \"mode\": cached\n"),
        ("web:\r\n  mode: live\r\n", "web.max_urls", "2", "web:\r\n  mode: live\r\n  max_urls: 2\r\n"),
        ("---\nweb:\n  mode: live\n...\n", "ui.color", "never", "---\nweb:\n  mode: live\nui:\n  color: never\n...\n"),
        ("base: &b {mode: cached}\nweb:\n  <<: *b\n", "web.mode", "live",
         "base: &b {mode: cached}\nweb:\n  <<: *b\n  mode: live\n"),
        ("plugins:\n  a:\n    text: |\n      one\n\n      two\n\n# after\nui: {}\n", "plugins.a.text", "x",
         "plugins:\n  a:\n    text: x\n\n# after\nui: {}\n"),
        ("library:\n  search: # mine\n  - a\n  - b\n", "library.search", "c", "library:\n  search: [c] # mine\n"),
        ("plugins: {a: {b: [1, {c: 2}]}, d: {}}\n", "plugins.a.b", "3", "plugins: {a: {b: 3}, d: {}}\n"),
    ],
)  # fmt: skip
def test_other_ways_to_write_a_file(place, before, name, text, after):
    assert after_set(written(place, before), name, text) == after


@pytest.mark.parametrize(
    ("before", "name", "text"),
    [
        ("hosts: &h [a]\nlibrary:\n  search: *h\n", "library.search", "b"),
        ("library:\n  search: &h [a]\nother: *h\n", "library.search", "b"),
        ("a: &w {mode: live}\nweb: *w\n", "web.mode", "cached"),
        ("web: 5\n", "web.mode", "cached"),
        ("? web\n: {mode: live}\n", "web", None),
        ("base: &b {web: {mode: cached}}\n<<: *b\nweb:\n  max_urls: 2\n", "base", None),
    ],
)
def test_what_is_not_safe_to_change_is_left_to_an_editor(place, before, name, text):
    written(place, before)
    with pytest.raises(ConfigFault) as caught:
        set_value(place, name, text) if text is not None else unset_value(place, name)
    assert caught.value.code == "config.by_hand"
    assert "editor" in caught.value.mend
    assert place.config_file.read_text() == before


@pytest.mark.parametrize(
    ("name", "text", "code", "said"),
    [
        ("modle", "x", "config.unknown_key", "`model`"),
        ("gateway.discord.foo", "1", "config.unknown_key", "schema"),
        ("web", "x", "config.unknown_key", ""),
        ("web.mode", "on", "config.bad_value", "explain web.mode"),
        ("version", "2", "config.fixed", ""),
        ("providers.x.api_key", "s3cret", "config.unknown_key", "secrets file"),
        ("plugins.a", "1", "config.unknown_key", "plugins.NAME.KEY"),
        ("providers.a.b.model", "1", "config.unknown_key", ""),
        ("providers.x.endpoint", "https://me:s3cret@llm.example/v1", "config.bad_value", "explain"),
        ("providers.x.endpoint", "https://llm.example/v1?key=s3cret", "config.bad_value", "explain"),
        ("providers.x.endpoint", "https://llm.example/v1#s3cret", "config.bad_value", "explain"),
    ],
)
def test_a_wrong_key_or_value_is_refused_before_anything_is_written(place, name, text, code, said):
    with pytest.raises(ConfigFault) as caught:
        set_value(place, name, text)
    assert caught.value.code == code
    assert said in caught.value.mend
    assert "s3cret" not in str(caught.value)
    assert not place.path.exists()


def test_a_mistake_in_the_file_can_be_unset(place):
    written(place, "modle: x\nweb:\n  mod: y\n  mode: cached\nplugins: {a: 5}\n")
    for name in ("modle", "web.mod", "plugins.a"):
        assert unset_value(place, name).changed
    assert place.config_file.read_text() == "web:\n  mode: cached\n"
    with pytest.raises(ConfigFault, match="no setting `modle`"):
        unset_value(place, "modle")
    with pytest.raises(ConfigFault):
        unset_value(place, "web..mode")


def test_a_broken_file_is_not_touched(place):
    written(place, "web: [\n")
    with pytest.raises(ConfigFault, match=r"config\.unreadable"):
        set_value(place, "web.mode", "off")
    assert place.config_file.read_text() == "web: [\n"


def test_a_linked_file_is_not_replaced(place):
    place.ensure()
    (place.path / "real.yaml").write_text("ui: {}\n")
    place.config_file.symlink_to("real.yaml")
    with pytest.raises(ConfigFault) as caught:
        set_value(place, "web.mode", "off")
    assert caught.value.code == "config.not_written"
    assert (place.path / "real.yaml").read_text() == "ui: {}\n"


def test_a_full_disk_leaves_the_file_as_it_was(place):
    before = written(place, "# " + "x" * 5_000 + "\nui: {}\n").config_file.read_text()
    code = (
        "import resource, signal, sys\nfrom pathlib import Path\nfrom limen.config.edit import set_value\n"
        "from limen.config.paths import Home\nfrom limen.core.fault import ConfigFault\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nresource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try:\n    set_value(Home(Path(sys.argv[1])), 'web.mode', 'off')\nexcept ConfigFault as fault:\n    print(fault.code)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, place.path], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "config.not_written"
    assert place.config_file.read_text() == before
    assert [path.name for path in place.path.iterdir() if "tmp" in path.name] == []


def test_writers_in_several_processes_and_threads_lose_nothing(place):
    code = (
        "import sys\nfrom pathlib import Path\nfrom limen.config.edit import set_value\nfrom limen.config.paths import Home\n"
        "for number in range(10):\n    set_value(Home(Path(sys.argv[1])), f'plugins.{sys.argv[2]}.n{number}', '1')\n"
    )
    children = [subprocess.Popen([sys.executable, "-c", code, place.path, name]) for name in ("a", "b")]
    threads = [threading.Thread(target=set_value, args=(place, f"plugins.c.n{number}", "1")) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [child.wait() for child in children] == [0, 0]
    values = parse(place.config_file.read_text(), "c").values
    assert {name: len(inner) for name, inner in values["plugins"].items()} == {"a": 10, "b": 10, "c": 10}


def test_a_writer_that_never_ends_is_named(place):
    place.ensure()
    with FileLock(place.config_lock):
        with pytest.raises(ConfigFault) as caught:
            set_value(place, "web.mode", "off", wait_s=0)
        assert caught.value.code == "config.busy"
    assert os.listdir(place.path) == [".config.lock"]  # noqa: PTH208


TEXTS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
FILES = [
    "",
    WRITTEN,
    "plugins: {p: {other: 1}}\n",
    "plugins:\n    p:\n        v: old # c\n    q: {}\n",
    "plugins: {p: {v: [1, 2]}}",
]


@given(VALUES, st.sampled_from(FILES))
@settings(max_examples=200, deadline=None)
def test_any_value_can_be_written_read_back_and_taken_out(tmp_path_factory, value, before):
    place = written(Home(tmp_path_factory.mktemp("any")), before)
    others = load(place, {}).layers[1].values.keys() - {"plugins.p"}
    set_value(place, "plugins.p.v", json.dumps(value))
    loaded = load(place, {})
    assert loaded.config.plugins["p"]["v"] == value
    assert type(loaded.config.plugins["p"]["v"]) is type(value)
    assert others <= loaded.layers[1].values.keys()
    for line in before.splitlines():
        assert "#" not in line or line[line.index("#") :] in place.config_file.read_text(encoding="utf-8")
    unset_value(place, "plugins.p.v")
    assert "v" not in load(place, {}).config.plugins.get("p", {})


HOSTS = "security.allow_private_hosts"


@pytest.mark.parametrize(
    ("text", "add", "remove", "value"),
    [
        ("", ["a.lan"], [], ["a.lan"]),
        ("", ["a.lan,b.lan", "c.lan"], [], ["a.lan", "b.lan", "c.lan"]),
        ("", ["[a.lan, b.lan]"], [], ["a.lan", "b.lan"]),
        ("security: {allow_private_hosts: [a.lan]}\n", ["b.lan", "a.lan", "b.lan"], [], ["a.lan", "b.lan"]),
        (
            "security:\n  allow_private_hosts: # mine\n    - a.lan # 1\n    - b.lan\n",
            ["c.lan"],
            ["a.lan"],
            ["b.lan", "c.lan"],
        ),
        ("security: {allow_private_hosts: [a.lan, 'http://no/host']}\n", [], ["http://no/host"], ["a.lan"]),
        ("security: {allow_private_hosts: [a.lan]}\n", ["a.lan"], ["a.lan"], []),
        ("security: {allow_private_hosts: ~}\n", ["a.lan"], [], ["a.lan"]),
    ],
)
def test_a_list_is_changed_entry_by_entry(place, text, add, remove, value):
    written(place, text)
    edited = change_list(place, HOSTS, add=add, remove=remove)
    assert (edited.value, edited.changed) == (value, True)
    assert parse(place.config_file.read_text(), "c").values["security"]["allow_private_hosts"] == value


def test_a_list_that_says_so_already_is_left_alone(place):
    written(place, "security: {allow_private_hosts:  [a.lan]}\n")
    assert not change_list(place, HOSTS, add=["a.lan"], remove=["b.lan"]).changed
    assert place.config_file.read_text() == "security: {allow_private_hosts:  [a.lan]}\n"


def test_a_list_nobody_wrote_begins_with_its_default(place):
    assert change_list(place, "tools.toolsets", add=["evidence"]).value == ["web", "files", "evidence"]
    assert not change_list(place, "library.search", remove=["other"]).changed


@pytest.mark.parametrize(
    ("name", "entry", "code"),
    [
        ("web.max_urls", "3", "config.no_list"),
        ("web", "x", "config.unknown_key"),
        ("nothing.here", "x", "config.unknown_key"),
        (HOSTS, "http://x/y", "config.bad_value"),
        (HOSTS, "[a, {b: c}]", "config.bad_value"),
        (HOSTS, "[a", "config.bad_value"),
    ],
)
def test_a_list_that_cannot_be_changed_stays(place, name, entry, code):
    written(place)
    with pytest.raises(ConfigFault) as caught:
        change_list(place, name, add=[entry])
    assert caught.value.code == code
    assert place.config_file.read_text() == WRITTEN


def test_a_value_that_is_no_list_is_not_taken_for_one(place):
    written(place, "security: {allow_private_hosts: a.lan}\n")
    with pytest.raises(ConfigFault, match=r"config\.bad_value"):
        change_list(place, HOSTS, add=["b.lan"])


def test_an_edit_says_what_was_there(place):
    assert set_value(place, "web.max_urls", "8").was is None
    assert set_value(place, "web.max_urls", "9").was == 8
    assert unset_value(place, "web.max_urls").was == 9
