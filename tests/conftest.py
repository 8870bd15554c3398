"""What all tests share: one asynchronous backend, and a home of their own."""

import pytest

from limen.builtin.providers import PROVIDERS


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty LIMEN_HOME that nothing else uses."""
    path = tmp_path / "home"
    monkeypatch.setenv("LIMEN_HOME", str(path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("LIMEN_PROFILE", raising=False)
    return path


@pytest.fixture(autouse=True)
def _buffered_children(monkeypatch):
    """Children buffer their output as a newcomer's do, so that a forgotten flush shows."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)


@pytest.fixture(autouse=True)
def _nobody_unchosen(monkeypatch):
    """No search of a test goes on to vendors that nobody chose, wherever the tests run."""
    monkeypatch.setenv("LIMEN_WEB_KEYLESS_FALLBACK", "false")
    monkeypatch.setenv("LIMEN_WEB_KEYLESS_RESCUE", "false")


@pytest.fixture(autouse=True)
def _nothing_drawn(monkeypatch):
    """No test starts a browser that does not say so."""
    monkeypatch.setenv("LIMEN_BROWSER_RENDER", "never")


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch):
    """No key of whoever runs the tests chooses a model for them."""
    for name in ("LIMEN_MODEL", *(name for provider in PROVIDERS for name in provider.variables)):
        monkeypatch.delenv(name, raising=False)
