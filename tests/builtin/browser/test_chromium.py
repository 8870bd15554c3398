"""Where Chromium is found, and what it is never started without."""

import pytest

from limen.builtin.browser.chromium import SWITCHES, find_chromium, has_display


def program(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_named_one_goes_first_and_is_not_replaced(tmp_path):
    named = program(tmp_path / "mine")
    program(tmp_path / "bin" / "chromium")
    env = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)}
    assert find_chromium(str(named), env) == named
    assert find_chromium(str(tmp_path / "none"), env) is None
    assert find_chromium("", env) == tmp_path / "bin" / "chromium"


def test_what_playwright_installed_goes_before_the_systems(tmp_path):
    program(tmp_path / "bin" / "chromium")
    program(tmp_path / ".cache" / "ms-playwright" / "chromium-1000" / "chrome-linux" / "chrome")
    newer = program(tmp_path / ".cache" / "ms-playwright" / "chromium-1200" / "chrome-linux" / "chrome")
    env = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)}
    assert find_chromium("", env) == newer
    elsewhere = program(tmp_path / "pw" / "chromium-1" / "chrome-linux64" / "chrome")
    assert find_chromium("", {**env, "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "pw")}) == elsewhere


def test_where_there_is_none_there_is_none(tmp_path):
    assert find_chromium("", {"PATH": str(tmp_path), "HOME": str(tmp_path)}) is None
    assert find_chromium("", {}) is None or find_chromium("", {}).is_file()


@pytest.mark.parametrize(
    "switch",
    ["--disable-quic", "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-bypass-list=<-loopback>", "disable_non_proxied_udp"],
)
def test_it_has_no_network_but_the_proxy(switch):
    assert any(switch in one for one in SWITCHES)


def test_a_window_needs_a_display(monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    assert not has_display({})
    assert has_display({"DISPLAY": ":0"})
    assert has_display({"WAYLAND_DISPLAY": "wayland-0"})
