"""Settings that are valid and still not what was meant."""

import pytest

from limen.config.check import check
from limen.config.load import load
from limen.config.paths import Home
from limen.config.secrets import Secrets


def codes(tmp_path, text, env=None):
    home = Home(tmp_path)
    home.config_file.write_text(text)
    return [problem.code for problem in check(load(home, env or {}), Secrets.load(home, env or {}))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("security: {website_blocklist: {domains: [a.example]}}", ["config.blocklist_off"]),
        ("security: {website_blocklist: {shared_files: [a.txt]}}", ["config.blocklist_off"]),
        ("security: {website_blocklist: {domains: [a.example], enabled: false}}", []),
        ("security: {website_blocklist: {domains: [a.example], enabled: true}}", []),
        ("security: {allow_private_hosts: [wiki.lan]}", []),
        ("security: {allow_private_hosts: ['0.0.0.0/0']}", ["config.open_network"]),
        ("providers: {own: {api_key_env: OWN_KEY}}", ["secrets.missing"]),
        ("modle: x\nproviders: {own: {api_key_env: OWN_KEY}}", ["config.unknown_key", "secrets.missing"]),
    ],
)
def test_findings(tmp_path, text, found):
    assert codes(tmp_path, text) == found


def test_a_key_that_is_there_is_no_finding(tmp_path):
    text = "providers: {own: {api_key_env: OWN_KEY}}"
    assert codes(tmp_path, text, {"OWN_KEY": "x"}) == []
    (tmp_path / ".env").write_text("OWN_KEY=x\n")
    (tmp_path / ".env").chmod(0o600)
    assert codes(tmp_path, text) == []


def test_an_exposed_secrets_file_is_a_finding(tmp_path):
    (tmp_path / ".env").write_text("OWN_KEY=x\n")
    (tmp_path / ".env").chmod(0o644)
    assert codes(tmp_path, "") == ["secrets.exposed"]
