"""Settings that name providers: what is not there, or does the other thing, is said before any call fails."""

import pytest

from limen.config.load import load
from limen.config.paths import Home
from limen.wiring.backends import check_backends


def problems(tmp_path, text, env=None):
    home = Home(tmp_path)
    home.config_file.write_text(text)
    return check_backends(home, env or {}, load(home, env or {}))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("web: {backend: exa}", []),
        ("web: {backend: tavily}", []),  # it has no key, which is another matter
        ("web: {backend: searxng}", [("web.backend", "web.search_only")]),
        ("web: {backend: searxng, extract_backend: local}", []),
        ("web: {backend: local}", [("web.backend", "web.extract_only")]),
        ("web: {backend: local, search_backend: library}", []),
        ("web: {backend: exaa}", [("web.backend", "web.unknown_provider")]),
        ("web: {backend: exaa, search_backend: exa, extract_backend: exa}", [("web.backend", "web.unknown_provider")]),
        ("web: {search_backend: local}", [("web.search_backend", "web.extract_only")]),
        ("web: {extract_backend: brave-free}", [("web.extract_backend", "web.search_only")]),
        ("web: {extract_backend: tavly}", [("web.extract_backend", "web.unknown_provider")]),
        ("web: {search_chain: [exa, gogle, library]}", [("web.search_chain", "web.unknown_provider")]),
        ("web: {extract_chain: [searxng, local]}", [("web.extract_chain", "web.search_only")]),
        ("web: {backend: ' '}", []),
    ],
)
def test_findings(tmp_path, text, found):
    assert [(problem.key, problem.code) for problem in problems(tmp_path, text)] == found


def test_a_near_name_and_the_names_that_work_are_given(tmp_path):
    (problem,) = problems(tmp_path, "web: {extract_backend: tavly}")
    assert "'tavily'" in problem.text
    assert problem.mend.startswith("limen config set web.extract_backend NAME, where NAME is one of: exa,")
    (shared,) = problems(tmp_path, "web: {backend: serxng}")
    assert "'searxng'" in shared.text
    assert shared.mend.startswith("limen config set web.backend NAME")


def test_a_variable_counts_like_the_file(tmp_path):
    assert [one.code for one in problems(tmp_path, "", {"LIMEN_WEB_BACKEND": "searxng"})] == ["web.search_only"]


def test_settings_that_cannot_be_read_otherwise_are_not_judged_twice(tmp_path):
    assert (
        problems(tmp_path, "security: {allow_private_hosts: ['::1::2']}\nweb: {backend: exaa}")[0].code == "web.unknown_provider"
    )
