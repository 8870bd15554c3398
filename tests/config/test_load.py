"""Loading: layers, and what a mistake in one of them costs."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from limen.config.explain import explain
from limen.config.load import Loaded, load
from limen.config.paths import Home
from limen.config.schema import Config, Limits, Provider, Security, Web
from limen.core.fault import ConfigFault


@pytest.fixture
def place(tmp_path) -> Home:
    return Home(tmp_path)


def loaded(place: Home, text: str = "", env=None, flags=None) -> Loaded:
    place.config_file.write_text(text, encoding="utf-8")
    return load(place, env or {}, flags)


def only_problem(result: Loaded):
    assert len(result.problems) == 1, result.problems
    return result.problems[0]


def test_without_a_file_the_defaults_hold(place):
    result = load(place, {"PATH": "/bin", "LIMEN_HOME": "/x", "LIMEN_PROFILE": "y"})
    assert result.config == Config()
    assert result.problems == ()
    assert [layer.name for layer in result.layers] == ["default", "file", "environment", "flag"]


def test_the_safe_defaults():
    config = Config()
    assert config.security == Security(allow_private_hosts=(), fake_ip_ranges=())
    assert (config.model.route, config.limits.steps, config.reader.max_bytes) == ("limen/extractive", 25, 10_000_000)
    assert (config.web.extract_char_limit, config.web.max_urls) == (15_000, 5)
    assert config.evidence.max_bytes == 100_000_000


def test_a_later_layer_wins(place):
    text = "web: {max_urls: 2, search_backend: exa, mode: cached}\nlimits: {steps: 3}\n"
    env = {"LIMEN_WEB_MAX_URLS": "3", "LIMEN_WEB_SEARCH_BACKEND": "brave"}
    result = loaded(place, text, env, {"web.max_urls": "4"})
    assert result.problems == ()
    assert (result.config.web.max_urls, result.config.web.search_backend, result.config.web.mode) == (4, "brave", "cached")
    assert result.config.limits == Limits(steps=3)
    file = result.layers[1]
    assert file.places["limits.steps"] == f"{place.config_file}:2"


def test_every_key_of_the_schema_is_read_from_a_file_without_a_warning(place):
    everything = msgspec.to_builtins(Config(providers={"own": Provider(endpoint="http://h/v1", api_key_env="K", quirks=("a",))}))
    result = loaded(place, msgspec.json.encode(everything).decode())
    assert result.problems == ()
    assert result.config.providers["own"].quirks == ("a",)


@pytest.mark.parametrize("content", ["web:\n", "web: ~\n", "web: {}\n", "providers:\n", "providers: {x: }\n", "plugins:\n  a:\n",
                                     "security: {website_blocklist: }\n", "version: 2\n"])  # fmt: skip
def test_an_empty_section_is_no_mistake(place, content):
    result = loaded(place, content)
    assert result.problems == ()
    assert result.config.web == Web()


def test_an_unknown_key_is_a_warning_with_the_nearest_name(place):
    result = loaded(place, "modle: x\n")
    problem = only_problem(result)
    assert (problem.level, problem.code, problem.place) == ("warning", "config.unknown_key", f"{place.config_file}:1")
    assert "`model`" in problem.mend
    assert result.config == Config()


def test_an_unknown_key_spoils_nothing_beside_it(place):
    result = loaded(place, "web:\n  max_urls: 7\n  max_urrls: 8\ngateway:\n  discord: {foo: 1}\n")
    assert result.config.web.max_urls == 7
    assert [problem.key for problem in result.problems] == ["web.max_urrls", "gateway"]


def test_an_unknown_key_of_the_security_section_is_an_error(place):
    problem = only_problem(loaded(place, "security:\n  website_blacklist: {enabled: true}\n"))
    assert problem.level == "error"
    assert "website_blocklist" in problem.mend


def test_a_dotted_key_is_explained(place):
    problem = only_problem(loaded(place, "web.mode: off\n"))
    assert "limen config set web.mode" in problem.mend


def test_a_bad_section_falls_back_alone(place):
    result = loaded(place, "reader:\n  max_redirects: 3\n  max_bytes: lots\nlibrary: {search: [a]}\n")
    problem = only_problem(result)
    assert (problem.level, problem.code, problem.key) == ("warning", "config.bad_value", "reader.max_bytes")
    assert problem.place == f"{place.config_file}:3"
    assert "lots" not in problem.text
    assert result.config.reader == Config().reader
    assert result.config.library.search == ("a",)
    assert result.layers[1].ignored.keys() == {"reader.max_redirects", "reader.max_bytes"}


@pytest.mark.parametrize("text", ["reader: 5\n", "reader: [a]\n", "reader: on\n"])
def test_a_section_that_is_no_mapping_falls_back(place, text):
    result = loaded(place, text)
    assert only_problem(result).key == "reader"
    assert result.config.reader == Config().reader


def test_what_forbids_outlives_a_mistake_beside_it(place):
    result = loaded(
        place,
        "web: {mode: cached, max_urls: -1, secret_params: {add: [pin], remove: [token]}}\n"
        "limits: {cost_usd: 0.5, output_tokens: x}\n",
    )
    web, limits = result.config.web, result.config.limits
    assert (web.mode, web.max_urls, web.secret_params.add, web.secret_params.remove) == ("cached", 5, ("pin",), ())
    assert limits.cost_usd == 0.5


def test_an_unreadable_mode_means_off(place):
    for text in ("web: {mode: offf}\n", "web: {mode: false}\n", "web: {mode: [live]}\n"):
        result = loaded(place, text)
        assert result.config.web.mode == "off"
        assert only_problem(result).level == "error"


@pytest.mark.parametrize(
    "bad",
    ["allow_private_hosts: 10.0.0.0/8", "allow_private_hosts: [10.0.0.0/8, 5]", "allow_private_hosts: [http://10.0.0.1/]",
     "allow_private_hosts: {10.0.0.0/8: }", "fake_ip_ranges: all"],
)  # fmt: skip
def test_a_bad_security_section_opens_nothing(place, bad):
    good = "fake_ip_ranges: [198.18.0.0/15]" if bad.startswith("allow") else "allow_private_hosts: [wiki.lan]"
    result = loaded(place, f"security:\n  {bad}\n  {good}\n")
    assert result.config.security == Security()
    assert only_problem(result).level == "error"


def test_a_bad_security_section_goes_on_blocking(place):
    text = "security:\n  allow_private_hosts: 5\n  website_blocklist: {enabled: true, domains: [bad.example]}\n"
    blocklist = loaded(place, text).config.security.website_blocklist
    assert (blocklist.enabled, blocklist.domains) == (True, ("bad.example",))
    text = "security:\n  website_blocklist:\n    enabled: jawohl\n    domains: [a.example, 5, [x], b.example]\n"
    result = loaded(place, text)
    blocklist = result.config.security.website_blocklist
    assert (blocklist.enabled, blocklist.domains) == (True, ("a.example", "b.example"))
    assert {problem.level for problem in result.problems} == {"error"}
    blocklist = loaded(
        place, "security: {website_blocklist: {enabled: true, domains: a.example}}"
    ).config.security.website_blocklist
    assert blocklist.domains == ("a.example",)


@pytest.mark.parametrize("bad", ["nonsense", "http://HOST:PORT", "socks5://h:1", "http://h:1/path", "http://", "h:3128", "5"])
def test_a_proxy_that_cannot_be_used_is_not_passed_by(place, bad):
    result = loaded(place, f"security: {{proxy: '{bad}'}}\n")
    assert (only_problem(result).level, result.config.security.proxy) == ("error", "http://proxy.invalid:9")
    assert loaded(place, env={"LIMEN_SECURITY_PROXY": bad}).config.security.proxy == "http://proxy.invalid:9"


@pytest.mark.parametrize("good", ["", "http://h:1", "https://h", "http://me:a%40b@[fd00::1]:3128/", "http://bücher.example:80"])
def test_a_proxy_holds_also_beside_a_mistake(place, good):
    result = loaded(place, f"security: {{proxy: '{good}', allow_private_hosts: 5}}\n")
    assert (only_problem(result).place[-2:], result.config.security.proxy) == (":1", good)


def test_a_bad_provider_or_plugin_is_left_out_alone(place):
    result = loaded(
        place,
        "providers:\n  good: {endpoint: 'http://h'}\n  bad: {endpoint: h}\n  'a b': {model: x}\n"
        "plugins:\n  one: {x: 1}\n  two: 2\n",
    )
    assert result.config.providers == {"good": Provider(endpoint="http://h")}
    assert result.config.plugins == {"one": {"x": 1}}
    assert [problem.key for problem in result.problems] == ["providers.bad.endpoint", "providers.a b", "plugins.two"]


def test_a_pasted_key_is_never_repeated(place):
    pasted = "sk_live_" + "51Habcdefghijklmnop"
    result = loaded(
        place,
        f"providers:\n  x: {{api_key_env: {pasted}}}\n  y: {{api_key: {pasted}}}\n",
        {"LIMEN_PROVIDERS_X_API_KEY_ENV": pasted},
    )
    assert len(result.problems) == 3
    assert pasted not in repr(result.problems)
    assert "secrets file" in result.problems[1].mend + result.problems[0].mend


def test_variables_are_read_by_type_and_a_bad_one_is_ignored_alone(place):
    env = {
        "LIMEN_SECURITY_ALLOW_PRIVATE_HOSTS": "wiki.lan,10.0.0.0/8", "LIMEN_LIMITS_STEPS": "many", "LIMEN_LIMITS_COST_USD": "1.5",
        "LIMEN_SECURITY_WEBSITE_BLOCKLIST_ENABLED": "true",
    }  # fmt: skip
    result = loaded(place, "limits: {steps: 9}\n", env)
    assert result.config.security.allow_private_hosts == ("wiki.lan", "10.0.0.0/8")
    assert result.config.security.website_blocklist.enabled is True
    assert (result.config.limits.steps, result.config.limits.cost_usd) == (9, 1.5)
    assert only_problem(result).place == "LIMEN_LIMITS_STEPS"


def test_a_bad_variable_that_should_forbid_forbids(place):
    result = loaded(place, "", {"LIMEN_WEB_MODE": "offf"})
    assert result.config.web.mode == "off"
    assert only_problem(result).level == "error"


@pytest.mark.parametrize("file_name", ["my-llm", "my_llm"])
def test_a_variable_finds_a_provider_by_its_name_in_the_file(place, file_name):
    result = loaded(place, f"providers: {{{file_name}: {{model: a}}}}\n", {"LIMEN_PROVIDERS_MY_LLM_WINDOW_TOKENS": "8000"})
    assert result.config.providers == {file_name: Provider(model="a", window_tokens=8_000)}


def test_a_variable_can_make_a_provider(place):
    result = loaded(place, "", {"LIMEN_PROVIDERS_MY_LLM_API_KEY_ENV": "KEY", "LIMEN_PROVIDERS_MY_LLM_WIRE": "chat_completions"})
    assert result.config.providers == {"my-llm": Provider(api_key_env="KEY", wire="chat_completions")}


@pytest.mark.parametrize(
    ("variable", "key", "how"),
    [
        ("LIMEN_MODEL_ROUTE", "model.route", 'export LIMEN_MODEL="$LIMEN_MODEL_ROUTE"'),
        ("LIMEN_AUXILIARY_TITLE", "auxiliary.title", 'limen config set auxiliary.title "$LIMEN_AUXILIARY_TITLE"'),
        (
            "LIMEN_PROVIDERS_OPENAI_ENDPOINT",
            "providers.openai.endpoint",
            'limen config set providers.openai.endpoint "$LIMEN_PROVIDERS_OPENAI_ENDPOINT"',
        ),
        ("LIMEN_PROVIDERS_MY_LLM_MODEL", "providers.my-llm.model", 'limen config set providers.my-llm.model "$LIMEN_PROV'),
    ],
)
def test_no_variable_chooses_who_answers_and_what_to_type_instead_is_said(place, variable, key, how):
    result = loaded(place, "", {variable: "http://127.0.0.1:1/v1"})
    assert result.config == loaded(place, "").config
    problem = only_problem(result)
    assert (problem.level, problem.code, problem.key) == ("warning", "config.file_only", key)
    assert problem.mend.startswith(how)
    assert problem.mend.endswith(f"; unset {variable}")
    explanation = explain(result, key)
    assert (explanation.ignored, explanation.problems, explanation.variable) == ((variable,), (problem,), "")


def test_an_option_still_sets_what_no_variable_does(place):
    assert loaded(place, "model: {route: a/b}\n", flags={"model.route": "c/d"}).config.model.route == "c/d"


def test_a_misspelt_variable_is_a_warning_and_a_strangers_is_not(place):
    result = loaded(place, "", {"LIMEN_WEB_MOD": "off", "LIMEN_SECURITY_X": "1", "LIMEN_CI_RUNNER": "1", "LIMENGRAD": "x"})
    assert [(problem.level, problem.place) for problem in result.problems] == [
        ("error", "LIMEN_SECURITY_X"), ("warning", "LIMEN_WEB_MOD"),
    ]  # fmt: skip
    assert "LIMEN_WEB_MODE" in result.problems[1].mend


def test_a_wrong_flag_stops(place):
    with pytest.raises(ConfigFault) as caught:
        loaded(place, "", {}, {"web.mod": "off"})
    assert caught.value.code == "config.unknown_key"
    with pytest.raises(ConfigFault) as caught:
        loaded(place, "", {}, {"web.max_urls": "x"})
    assert caught.value.code == "config.bad_value"
    with pytest.raises(ConfigFault) as caught:
        loaded(place, "", {}, {"fallback_providers": "a/b"})
    assert (caught.value.code, caught.value.mend) == ("config.own_command", "limen fallback add ROUTE")


def test_a_file_that_is_no_yaml_names_file_line_and_mend(place):
    with pytest.raises(ConfigFault) as caught:
        loaded(place, "web:\n\tmode: off\n")
    assert caught.value.code == "config.unreadable"
    assert caught.value.place == f"{place.config_file}:2"
    assert caught.value.mend


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"web: {}\n# caf\xe9\n", "line 2, column 6"), (b"\xff\xfea\x00", "UTF-16"), (b"a" * 1_000_001, "larger than")],
)
def test_bytes_that_are_no_settings(place, data, said):
    place.config_file.write_bytes(data)
    with pytest.raises(ConfigFault) as caught:
        load(place, {})
    assert caught.value.code == "config.unreadable"
    assert said in caught.value.reason
    assert caught.value.mend


def test_a_byte_order_mark_and_dos_line_ends_are_read(place):
    place.config_file.write_bytes(b"\xef\xbb\xbfweb:\r\n  mode: cached # \xe4\xbd\xa0\r\n")
    result = load(place, {})
    assert (result.config.web.mode, result.problems) == ("cached", ())


def test_a_directory_a_pipe_and_a_dangling_link_are_told(place):
    path = place.config_file
    path.mkdir()
    for remake in (path.rmdir, lambda: os.mkfifo(path), path.unlink, lambda: path.symlink_to("nowhere")):
        if path.exists() or path.is_symlink():
            with pytest.raises(ConfigFault) as caught:
                load(place, {})
            assert caught.value.code == "config.unreadable"
        remake()
    with pytest.raises(ConfigFault, match="link to nothing"):
        load(place, {})


def test_a_linked_settings_file_is_read(place):
    (place.path / "real.yaml").write_text("web: {mode: cached}")
    place.config_file.symlink_to("real.yaml")
    assert load(place, {}).config.web.mode == "cached"


def test_a_locale_that_is_not_utf8_changes_nothing(place):
    place.config_file.write_text("library: {search: [文档—x]}\n", encoding="utf-8")
    code = (
        "import sys\nfrom pathlib import Path\nfrom limen.config.load import load\nfrom limen.config.paths import Home\n"
        "print(ascii(load(Home(Path(sys.argv[1])), {}).config.library.search))"
    )
    env = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", code, place.path], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ascii(("文档—x",))


def test_loading_writes_nothing(tmp_path):
    place = Home(tmp_path / "home", "work")
    load(place, {})
    assert list(Path(tmp_path).iterdir()) == []
