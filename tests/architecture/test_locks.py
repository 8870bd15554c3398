"""The locks name versions and hashes and nothing else; the repository names no machine and no registry."""

import re

import pytest
from architecture.source import ROOT, tracked

LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
LINE = re.compile(r"|#.*|[a-z0-9._-]+(\[[a-z0-9,]+\])?==[^ /:@]+( ; [^/@]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?")
MOST_BASE_PACKAGES = 30
# Written apart, so that this file does not name them itself.
FORBIDDEN = re.compile(
    "|".join(
        ["/w" + "ork/", r"\bpy" + r"pi\.org", "python" + "hosted", "npm" + r"js\.org", r"deb\." + r"debian\.org", "/ro" + "ot/"]
    )
)


def pinned(lock):
    return re.findall(r"^([a-z0-9._-]+)(?:\[.*\])?==", lock.read_text(), re.MULTILINE)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_holds_versions_and_hashes_alone(lock):
    lines = lock.read_text().split("\n")
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    spoken = [line for line in lines if line.startswith("#")]
    assert not any(re.search(r"://|@|--(?:index|extra|find|trusted)|/", line) for line in spoken)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_pinned_package_has_hashes(lock):
    entries = re.split(r"^(?=[a-z0-9])", lock.read_text(), flags=re.MULTILINE)[1:]
    assert len(entries) == len(pinned(lock))
    assert all("--hash=sha256:" in entry for entry in entries)


def test_the_base_is_small_and_part_of_the_rest():
    base = pinned(ROOT / "requirements" / "base.lock")
    assert 0 < len(base) <= MOST_BASE_PACKAGES
    assert set(base) <= set(pinned(ROOT / "requirements" / "dev.lock"))


def test_no_file_names_a_machine_or_a_registry():
    named = [path.relative_to(ROOT).as_posix() for path in tracked() if FORBIDDEN.search(path.read_text(errors="replace"))]
    assert named == []
