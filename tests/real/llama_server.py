"""The real model server of these tests: where it is installed, and a running one on a port of its own."""

import os
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("LIMEN_LLAMA_DIR") or ROOT / ".real" / "llama")
# Loading takes 3 to 7 s; a shared machine may be far slower.
_READY_S = 120


def need():
    """Skip where the server is not installed; in CI, where it must be, fail."""
    if (FOLDER / "ready").exists():
        return
    reason = f"llama.cpp is not installed: scripts/llama install {FOLDER}"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def running(*options):
    """The server's URL with `/v1`, once it is ready, for the length of a block."""
    need()
    port = _free_port()
    command = [ROOT / "scripts" / "llama", "start", FOLDER, str(port), *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_until_ready(process, port)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(30)


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_until_ready(process, port):
    last = time.monotonic() + _READY_S
    with httpx2.Client(trust_env=False) as client:
        while time.monotonic() < last:
            if process.poll() is not None:
                pytest.fail(f"llama-server ended with status {process.returncode}")
            try:
                if client.get(f"http://127.0.0.1:{port}/health").status_code == 200:
                    return
            except httpx2.TransportError:
                pass  # it is not listening yet
            time.sleep(0.1)
    pytest.fail(f"llama-server was not ready within {_READY_S} s")
