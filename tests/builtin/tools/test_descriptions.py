"""What a tool's description claims is what the tool does: each number in it is a live limit."""

import re

import pytest

from limen.agent.toolbox import schema_of
from limen.builtin.tools.find import Find
from limen.builtin.tools.read_file import MAX_LINES, ReadFile
from limen.kit.found_lines import MAX_MATCHES
from limen.web.search import MAX_HITS
from limen.web.tools.extract import LIMIT_CHARS_MAX, LIMIT_CHARS_MIN, WebExtract
from limen.web.tools.search import WebSearch

CLAIMS = [
    (Find(None, None), {MAX_MATCHES}),
    (ReadFile(None, None), {MAX_LINES}),
    (WebSearch(None), {1, MAX_HITS}),
    (WebExtract(None, 5, 15_000), {5, LIMIT_CHARS_MIN, LIMIT_CHARS_MAX, 15_000}),
    (WebExtract(None, 9, 40_000), {9, LIMIT_CHARS_MIN, LIMIT_CHARS_MAX, 40_000}),
]


@pytest.mark.parametrize(("tool", "numbers"), CLAIMS, ids=lambda value: value.spec.name if hasattr(value, "spec") else "")
def test_numbers_in_a_description_are_the_live_limits(tool, numbers):
    assert {int(number) for number in re.findall(r"\d+", tool.spec.description)} == numbers


@pytest.mark.parametrize("tool", [tool for tool, _ in CLAIMS], ids=lambda tool: tool.spec.name)
def test_a_schema_is_made_from_the_arguments_type(tool):
    schema, origin = schema_of(tool)
    own = set(tool.spec.arguments.__struct_fields__)
    assert set(schema.parameters["properties"]) == own | ({"raw"} if tool.spec.output == "compact" else set())
    assert schema.parameters["type"] == "object"
    assert (origin.kind, origin.source) == ("tools", tool.spec.name)
