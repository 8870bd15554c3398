"""The hooks of another host: one report for one output, inside its envelope, whole on the shelf, and no turn that fails by it."""

import asyncio
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from limen.evidence.report import MARK
from limen.kit.log import fail_open_counts
from limen.surfaces import hooks

LOG = (
    "".join(f"step {number}: copied object {number * 7919 % 1_000}\n" for number in range(3_000))
    + "ERROR: no space for part 77\n"
)


class Host:
    """Another host, as far as plug-ins see it: it captures a command's output, shows it to one hook, and its envelope to both."""

    def __init__(self):
        self.hooks = {}

    def register_hook(self, name, callback):
        self.hooks[name] = callback

    def _asked(self, name, default, **told):
        given = self.hooks[name](**told)
        return given if isinstance(given, str) else default

    def terminal(self, command, output, status=0):
        told = {"command": command, "output": output, "returncode": status, "task_id": "t", "env_type": "local"}
        output = self._asked("transform_terminal_output", output, **told, tool_call_id="c1")
        result = json.dumps({"output": output, "exit_code": status, "error": None})
        return self.tool("terminal", {"command": command}, result)

    def tool(self, name, args, result):
        return self._asked(
            "transform_tool_result", result, tool_name=name, args=args, result=result, task_id="task 1", session_id="s",
            tool_call_id="c1", duration_ms=7, status="ok", error_type=None, error_message=None,
        )  # fmt: skip


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("LIMEN_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LIMEN_PROFILE", raising=False)
    return tmp_path / "home"


@pytest.fixture
def host(home):
    found = Host()
    hooks.register(found)
    return found


def shown(home, evidence_id):
    command = [sys.executable, "-m", "limen.main", "--home", str(home), "evidence", "show", evidence_id]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_both_hooks_on_one_command_give_one_report_and_the_whole_is_kept(host, home):
    envelope = json.loads(host.terminal("make", LOG, 2))
    report = envelope["output"]
    assert (envelope["exit_code"], envelope["error"]) == (2, None)
    assert report.startswith(f"{MARK} EXIT STATUS 2: failed · $ make")
    assert report.count(MARK) == 1
    assert "no space for part 77" in report
    evidence_id = report[report.index("ev_") :][:15]
    assert f"limen --home {home} evidence show {evidence_id} 1 120" in report
    assert shown(home, evidence_id).removesuffix("\n") == LOG


def test_the_second_hook_alone_knows_the_command_from_the_arguments(host):
    result = json.dumps({"output": LOG, "exit_code": 2, "error": None})
    envelope = json.loads(host.tool("terminal", {"command": "make"}, result))
    assert envelope["output"].startswith(f"{MARK} EXIT STATUS 2: failed · $ make")
    assert envelope["exit_code"] == 2


def test_a_command_that_ran_before_says_what_changed(host):
    def broken(name):
        return LOG + f"src/a.c:12:3: error: '{name}' undeclared\nmake: *** [a.o] Error 1\n"

    host.terminal("make", broken("x"), 2)
    again = json.loads(host.terminal("make", broken("y"), 2))["output"]
    assert "1 errors, 1 of them new: src/a.c:12 'y' undeclared" in again


@pytest.mark.parametrize("tool", ["read_file", "patch", "vision_analyze", "skill_view", "evidence_inspect"])
def test_what_was_asked_to_be_seen_stays_to_the_letter(host, home, tool):
    result = json.dumps({"content": LOG})
    assert host.tool(tool, {"path": "a"}, result) == result
    assert host.tool("any", {}, "short") == "short"


def test_search_results_of_a_host_keep_their_addresses(host):
    hits = [
        {"title": f"Page {number}", "url": f"https://a.example/{number}", "description": "words " * 90} for number in range(20)
    ]
    back = json.loads(host.tool("web_search", {"query": "gates"}, json.dumps({"success": True, "data": {"web": hits}})))
    assert [hit["url"] for hit in back["data"]["web"]] == [hit["url"] for hit in hits]
    assert max(len(hit["description"]) for hit in back["data"]["web"][1:]) < 300


def test_a_credential_is_neither_shown_nor_kept(host, home):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    report = json.loads(host.terminal("deploy", LOG + f"ERROR: token {secret} was refused\n", 1))["output"]
    assert secret not in report + shown(home, report[report.index("ev_") :][:15])


def test_a_home_that_cannot_be_used_leaves_the_output_as_it_is_and_is_counted(host, home):
    home.write_text("not a folder")
    before = fail_open_counts["hooks.failed"]
    assert host.terminal("make", LOG, 2) == json.dumps({"output": LOG, "exit_code": 2, "error": None})
    assert fail_open_counts["hooks.failed"] == before + 2


@pytest.mark.parametrize(
    "told", [{}, {"output": None}, {"output": 7}, {"output": LOG, "returncode": "x", "command": None}, {"new": 1}]
)
def test_what_a_host_gives_that_is_not_known_does_not_fail(host, told):
    assert isinstance(host.hooks["transform_terminal_output"](**told), str | None)
    assert host.hooks["transform_tool_result"](tool_name=None, args=[], result=told.get("output")) is None or "output" in told


def test_a_host_may_call_from_its_own_loop(host):
    async def call():
        return host.terminal("make", LOG, 2)

    assert MARK in asyncio.run(call())


def test_hosts_find_it_as_a_plug_in():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["hermes_agent.plugins"] == {"limen": hooks.__name__}
