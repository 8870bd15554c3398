import pytest

from limen.prompt.identity import stable_tier


def guidance(*tools):
    _, told = stable_tier(tools)
    return told.block.text


@pytest.mark.parametrize(
    ("tools", "way"),
    [
        (
            ("find", "read_file", "web_extract", "web_search"),
            "read it (read_file for lib: references, web_extract for addresses) ",
        ),
        (("find", "read_file", "web"), "read it (read_file for lib: references, open of web for refs) "),
        (("web_open", "web_click"), "read it (web_open for addresses) "),
        (("find",), "read it before "),
    ],
)
def test_a_model_is_told_of_the_tools_that_it_has_alone(tools, way):
    assert way in guidance(*tools)
    named = {name for name in ("read_file", "web_extract", "web_open") if name in guidance(*tools)}
    assert named <= set(tools)


def test_the_guidance_is_short_and_there_only_where_there_are_tools():
    assert len(stable_tier(())) == 1
    assert len(guidance("read_file", "web_extract").encode()) <= 600
