"""The page that people type from does what it shows, and says what there is to check."""

import socket

import pytest
from docs.pages import ROOT, scripts
from docs.test_made_parts import check

PAGE = (ROOT / "docs" / "check-it-yourself.md").read_text()


@pytest.fixture(scope="module")
def script():
    """The modules that play the page, out of their folder."""
    with scripts("session", "stage", "terminal") as modules:
        yield modules


def test_every_command_prints_what_stands_below_it():
    done = check("docs/check-it-yourself.md")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_holds_what_it_is_for():
    codes = ("network.private_address", "network.metadata", "secrets.parameter", "secrets.value", "policy.blocked", "web.mode")
    for shown in (*codes, "web.no_key", "web.search_only", "· cached ", "Read on: limen\nopen ", "⟦masked ", "▸ network"):
        assert shown in PAGE, shown


def test_refusals_end_with_the_status_that_is_said(script):
    before, _, after = PAGE.partition("Each of these ends with status 3")
    refused = [command for command in script["session"].commands(before) if "limen " in command]
    assert len(refused) == 5
    assert after
    assert script["session"].run([f"{command} 2> /dev/null; echo $?" for command in refused]) == ["3"] * 5


def test_only_ages_may_differ_from_run_to_run(script):
    alike = script["session"].alike
    assert alike("local · cached 1 s ago", "local · cached 1,204 s ago")
    assert not alike("local · cached 1 s ago", "local")
    assert not alike("--line 42", "--line 43")


def test_a_shell_runs_the_lines_one_after_another_in_a_home_of_its_own(script, tmp_path):
    typed = ["export TEA=green", 'echo "$TEA at $HOME"', "false", "ls -A", "limen --version"]
    first, said, nothing, home, version = script["session"].run(typed)
    assert (first, said, nothing, home) == ("", "green at /home/you", "", "")
    assert version.startswith("limen 0.")
    with pytest.raises(SystemExit, match="of 3 commands 1"):
        script["session"].run(["true", "exit 0", "echo never"])
    with pytest.raises(SystemExit, match="would end the block"):
        script["session"].run(["echo '```'"])


def test_the_stage_knows_its_sites_and_nobody_else(script, monkeypatch):
    monkeypatch.setenv("LIMEN_WEB_MODE", "off")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9/")
    sites = script["stage"]
    with sites.stage() as here:
        assert not {"LIMEN_WEB_MODE", "HTTPS_PROXY"} & set(here.env)
        port = int(here.env["LIMEN_SECURITY_PROXY"].rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(b"CONNECT 93.184.216.34:443 HTTP/1.1\r\n\r\n")
            assert client.recv(1_000).startswith(b"HTTP/1.1 502 ")
        said = script["terminal"].at_terminal(
            ["sh", "-c", "limen extract https://example.net/ https://example.org/nowhere"], here.home, here.env
        )
    assert "[network.dns_failed]" in said
    assert "[network.http_status]" in said
