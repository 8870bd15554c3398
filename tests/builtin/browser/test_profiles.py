"""Folders of browsers: one for each session, removed with it; one for a picture, removed after it or by a later process."""

import os
import stat
import sys

import anyio
import msgspec
import pytest

from limen.builtin.browser.profiles import picture_profile, profile_of, remove_profile
from limen.core.fault import ToolFault
from limen.kit.process_identity import ProcessIdentity

pytestmark = pytest.mark.anyio
DYING = """
import anyio, os, sys
from pathlib import Path
from limen.builtin.browser.profiles import picture_profile

async def main():
    async with picture_profile(Path(sys.argv[1])) as profile:
        (profile / "Cookies").write_text("x")
        os._exit(9)

anyio.run(main)
"""


def held(tmp_path, session="s"):
    profile = profile_of(tmp_path, session)
    profile.mkdir()
    (profile / "Cookies").write_text("kept")
    return profile


def test_a_sessions_profile_is_removed_and_no_other(tmp_path):
    profile, other = held(tmp_path), held(tmp_path, "t")
    assert remove_profile(tmp_path, "s")
    assert not profile.exists()
    assert other.exists()
    assert not remove_profile(tmp_path, "s")


def test_a_session_cannot_name_a_folder(tmp_path):
    for session in ("../../x", "pictures", "", "/etc"):
        assert profile_of(tmp_path, session).parent == tmp_path
        assert profile_of(tmp_path, session).name != "pictures"


def test_a_profile_that_a_living_browser_uses_stays(tmp_path):
    profile = held(tmp_path)
    (profile / "SingletonLock").symlink_to(f"{os.uname().nodename}-{os.getpid()}")
    with pytest.raises(ToolFault, match=r"browser\.busy"):
        remove_profile(tmp_path, "s")
    assert (profile / "Cookies").exists()


@pytest.mark.parametrize("target", ["elsewhere-1", "nonsense", f"{os.uname().nodename}-{2**22 + 1}"])
def test_the_mark_of_a_browser_that_no_longer_runs_keeps_nothing(tmp_path, target):
    (held(tmp_path) / "SingletonLock").symlink_to(target)
    assert remove_profile(tmp_path, "s")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may remove everything")
def test_what_cannot_be_removed_is_said(tmp_path):
    profile = held(tmp_path)
    profile.chmod(0o500)
    with pytest.raises(ToolFault, match=r"browser\.profile_left"):
        remove_profile(tmp_path, "s")
    profile.chmod(0o700)


async def test_a_pictures_profile_is_private_and_gone_afterwards(tmp_path):
    async with picture_profile(tmp_path) as profile, picture_profile(tmp_path) as other:
        assert profile != other
        assert profile.is_dir(), "the second did not take the first for left behind"
        assert stat.S_IMODE(profile.stat().st_mode) == 0o700
    assert list((tmp_path / "pictures").iterdir()) == []


async def test_what_a_killed_process_left_goes_with_the_next_picture(tmp_path):
    died = await anyio.run_process([sys.executable, "-c", DYING, str(tmp_path)], check=False)
    (left,) = (tmp_path / "pictures").iterdir()
    assert died.returncode == 9
    assert msgspec.json.decode((left / "owner.json").read_bytes(), type=ProcessIdentity).is_dead()
    kept = held(tmp_path)
    async with picture_profile(tmp_path):
        assert not left.exists()
        assert kept.exists()


async def test_a_profile_without_an_owner_is_left_alone(tmp_path):
    being_made = tmp_path / "pictures" / "abc"
    being_made.mkdir(parents=True)
    async with picture_profile(tmp_path):
        assert being_made.exists()
