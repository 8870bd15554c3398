"""Orders that are promises, and the names that programs may use."""

import importlib
import subprocess
import sys

import limen
from limen.agent.toolbox import TOOL_GATES, TOOL_SHAPERS
from limen.core.ledger import Trust
from limen.models.gates import MODEL_GATES
from limen.web.extract import EXTRACT_GATES, EXTRACT_SHAPERS
from limen.web.search import SEARCH_GATES, SEARCH_SHAPERS

PUBLIC = {"Agent", "__version__", "ask", "compact", "extract", "library", "read", "search"}


def test_a_tools_call_is_validated_and_approved_as_it_will_run():
    assert TOOL_GATES == ("known", "around_tool", "valid", "approved", "handed", "limits")
    assert TOOL_SHAPERS == ("redact", "compact")


def test_the_cache_of_pages_is_inside_every_control():
    assert EXTRACT_GATES == ("secrets", "network", "resolve", "policy", "permission", "cache", "rescue")
    assert EXTRACT_SHAPERS == ("images", "shelve", "wrap")


def test_the_memo_of_searches_is_inside_every_control():
    assert SEARCH_GATES == ("secrets", "resolve", "memo", "rescue")
    assert SEARCH_SHAPERS == ("policy", "trim", "wrap")


def test_a_models_request_is_retried_inside_its_gates():
    assert MODEL_GATES == ("fallback", "budget", "history", "cache", "credentials", "retry")


def test_trust_falls_from_the_operator_to_the_web():
    assert list(Trust) == ["operator", "user", "workspace", "tool", "web"]
    assert Trust.lowest(Trust.USER, Trust.WEB, Trust.OPERATOR) is Trust.WEB


def test_the_public_names_are_these_and_can_be_had():
    assert set(limen.__all__) == PUBLIC
    assert set(limen._MODULES) == PUBLIC - {"__version__"}
    for name, module in limen._MODULES.items():
        assert getattr(importlib.import_module(module), name) is getattr(limen, name)


def test_importing_the_package_loads_nothing_else_of_it():
    probe = "import sys, limen; print([name for name in sys.modules if name.startswith('limen.')])"
    assert subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.strip() == "[]"
