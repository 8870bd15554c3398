"""Tools as vendors take them: the same face each time, and a call by it finds its way back."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.message import ToolCall
from limen.core.tool import ToolSchema
from limen.models.tool_faces import faces, legal_name, one_object, renamed

PLAIN = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}


def tool(name, parameters=PLAIN):
    return ToolSchema(name, "Do it.", parameters)


@given(st.text(max_size=90))
def test_every_name_becomes_legal_and_comes_back(name):
    made = legal_name(name)
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", made)
    assert legal_name(made) == made == legal_name(name)
    assert renamed(ToolCall("c", made, "{}"), [tool("other"), tool(name)]).name == name


def test_names_that_differ_only_in_what_is_refused_stay_apart():
    names = ["mcp.files.read", "mcp:files:read", "mcp files read", "mcp_files_read", "a" * 65, "a" * 66, "3d", "_3d", "", "é"]
    assert len({legal_name(name) for name in names}) == len(names)
    assert legal_name("mcp_files_read") == "mcp_files_read"


def test_a_call_of_no_tool_keeps_its_name():
    assert renamed(ToolCall("c", "nothing", "{}"), [tool("find")]).name == "nothing"


def test_tools_that_vendors_take_are_not_touched():
    tools = (tool("find"), tool("read-file"))
    assert faces(tools) == tools
    assert all(face is given for face, given in zip(faces(tools), tools, strict=True))


def test_of_two_tools_with_one_name_the_first_counts():
    assert faces((tool("find"), ToolSchema("find", "Other.", PLAIN))) == (tool("find"),)


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ({}, {"type": "object", "properties": {}}),
        ({"type": "object"}, {"type": "object", "properties": {}}),
        ({"$schema": "x", **PLAIN}, PLAIN),
        (
            {"type": "object", "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"type": "object", "properties": {"a": {}, "b": {}}},
        ),
        (
            {
                "oneOf": [
                    {"type": "object", "properties": {"kind": {"const": "a"}, "x": {}}, "required": ["kind", "x"]},
                    {"type": "object", "properties": {"kind": {"const": "b"}}, "required": ["kind"]},
                ]
            },
            {
                "type": "object",
                "properties": {"kind": {"anyOf": [{"const": "a"}, {"const": "b"}]}, "x": {}},
                "required": ["kind"],
            },
        ),
        (
            {"allOf": [PLAIN, {"properties": {"y": {}}, "required": ["y"]}], "description": "Both."},
            {"type": "object", "properties": {"x": {"type": "integer"}, "y": {}}, "required": ["x", "y"], "description": "Both."},
        ),
        ({"$ref": "#/$defs/A", "$defs": {"A": PLAIN}}, PLAIN),
        (
            {
                "type": "object",
                "properties": {"a": {"$ref": "#/definitions/A", "description": "an A"}},
                "definitions": {"A": PLAIN},
            },
            {"type": "object", "properties": {"a": {**PLAIN, "description": "an A"}}},
        ),
    ],
)
def test_what_stands_beside_an_object_is_merged_into_it(schema, wanted):
    assert one_object(schema) == wanted
    assert json.dumps(one_object(schema)) == json.dumps(one_object(json.loads(json.dumps(schema))))


def test_a_schema_that_refers_to_itself_ends():
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    made = one_object({"$ref": "#/$defs/Node", "$defs": {"Node": node}})
    assert "$ref" not in json.dumps(made)
    assert made["properties"]["next"]["properties"]["next"]["type"] == "object"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "properties", "required", "anyOf", "allOf", "$ref", "$defs", "enum", "items", "A"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["type", "properties", "required", "anyOf", "oneOf", "$ref", "$defs", "not"]), anything))
def test_whatever_a_plug_in_calls_a_schema_becomes_one_object(schema):
    made = one_object(schema)
    assert made["type"] == "object"
    assert isinstance(made["properties"], dict)
    assert not {"anyOf", "oneOf", "allOf", "not", "enum", "$ref"} & made.keys()
    assert one_object(made) == made
