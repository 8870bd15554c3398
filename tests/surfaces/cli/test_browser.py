"""`limen browser`, over the real runtime: whose browser it is, and what stands before a window opens."""

import json
import os

import pytest
from surfaces.cli.conftest import in_process

from limen.builtin.browser.profiles import profile_of
from limen.config.paths import Home
from limen.main import load


@pytest.fixture
def limen(home, capsys, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("LIMEN_SECURITY_ALLOW_PRIVATE_HOSTS", "127.0.0.1:1")
    with in_process(load, capsys, monkeypatch) as call:
        yield call


def test_without_a_conversation_one_must_be_named(limen):
    ran = limen("browser", "login", "shop.example")
    assert ran.status == 2
    assert "--session KEY" in ran.err


@pytest.mark.parametrize(
    ("url", "status", "code"),
    [
        ("http://10.0.0.1/", 3, "network.private_address"),
        ("https://me:pass@shop.example/", 3, "network.userinfo"),
        ("ftp://shop.example/", 3, "network.scheme"),
    ],
)
def test_the_gates_stand_before_the_window(limen, url, status, code):
    ran = limen("browser", "login", url, "--session", "work", "--json")
    assert ran.status == status
    assert json.loads(ran.out)["error"]["code"] == code


def test_what_a_browser_kept_is_forgotten(limen, home):
    ran = limen("browser", "forget", "--session", "work", "--json")
    assert json.loads(ran.out) == {"session": "work", "forgotten": False}
    assert "nothing" in limen("browser", "forget", "--session", "work").err


def test_a_deleted_conversation_takes_what_its_browser_kept_with_it(limen, home):
    limen("ask", "hello", "--session", "work")
    profile = profile_of(Home.resolve(home, None, {}).browser_profiles, "work")
    profile.mkdir(parents=True)
    (profile / "Cookies").write_text("kept")
    assert limen("sessions", "delete", "work", "--yes").status == 0
    assert not profile.exists()


def test_a_conversation_whose_browser_is_open_is_not_half_deleted(limen, home):
    limen("ask", "hello", "--session", "work")
    profile = profile_of(Home.resolve(home, None, {}).browser_profiles, "work")
    profile.mkdir(parents=True)
    (profile / "SingletonLock").symlink_to(f"{os.uname().nodename}-{os.getpid()}")
    ran = limen("sessions", "delete", "work", "--yes")
    assert ran.status == 1
    assert "browser.busy" in ran.err
    assert limen("sessions", "show", "work").status == 0
