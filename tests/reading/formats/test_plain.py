"""Markdown, JSON and text stay what they are; their outlines and front matter are found."""

import json

from hypothesis import given
from hypothesis import strategies as st

from limen.reading import read

NOTE = """---
title: "The lamp"
author: Ada
date: 2026-03-01
tags: [a, b]
---

# Lamp

See [the manual](https://e.example/m "M") and <https://e.example/x>, not ![this](https://e.example/i.png).

```sh
# no heading
```

Oil
---
"""


def test_markdown_is_kept_and_described():
    page = read(NOTE, "notes/lamp.md")
    assert page.text == NOTE.rstrip("\n")
    assert (page.title, page.author, page.published, page.media_type) == ("The lamp", "Ada", "2026-03-01", "text/markdown")
    assert [(h.level, h.text, h.line) for h in page.outline] == [(1, "Lamp", 8), (2, "Oil", 16)]
    assert [(link.n, link.text, link.url) for link in page.links] == [
        (1, "the manual", "https://e.example/m"), (2, "https://e.example/x", "https://e.example/x"),
    ]  # fmt: skip


def test_links_of_markdown_are_those_of_the_page_it_came_from():
    text = "[a](/p/0) [b](other.md) [c](../up#x) [d](#here) [e](mailto:x@e.example) [g](https://f.example/) ![h](/i.png)"
    page = read(text, "https://e.example/docs/start.md", "text/markdown")
    assert page.text == text
    assert [(link.text, link.url) for link in page.links] == [
        ("a", "https://e.example/p/0"),
        ("b", "https://e.example/docs/other.md"),
        ("c", "https://e.example/up#x"),
        ("g", "https://f.example/"),
    ]
    assert [link.text for link in read(text, "notes/start.md").links] == ["g"]


def test_without_front_matter_the_first_heading_is_the_title():
    assert read("intro\n\n## B\n\n# A\n", content_type="text/markdown").title == "A"
    assert read("## B\n", content_type="text/markdown").title == "B"
    assert read("---\n\ntext\n\n---\n", content_type="text/markdown").title == ""


def test_plain_text_keeps_every_line():
    text = "\n\n  first\n<b>not html</b>\n# not a heading\n"
    page = read(text, content_type="text/plain")
    assert page.text == text.rstrip("\n")
    assert page.outline == ()
    assert read(" \n\n").text == ""


def test_a_text_without_a_title_has_its_file_name():
    assert read(b"words", "file:///home/my%20notes%0A%231.txt").title == "my notes #1.txt"


def test_underlined_titles_make_an_outline():
    text = "=====\nTitle\n=====\n\nPart\n====\n\ntext\n\nSub\n---\n\nOther\n=====\n\n----\n\nnot long\n---\n"
    page = read(text, "a.rst")
    assert [(h.level, h.text, h.line) for h in page.outline] == [
        (1, "Title", 2),
        (2, "Part", 5),
        (3, "Sub", 10),
        (2, "Other", 13),
    ]
    assert page.title == "Title"


def test_json_is_indented_or_kept():
    assert read(b'{"a":[1,"\xc3\xa9"]}').text == '{\n  "a": [\n    1,\n    "é"\n  ]\n}'
    assert read('{"a":', content_type="application/json").text == '{"a":'
    assert read("[" * 100_000 + "]" * 100_000).media_type == "application/json"
    assert read("[1]", "https://e.example/data/x.json?y").title == "x.json"


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
    )
)
def test_indented_json_says_the_same(value):
    text = read(json.dumps(value), content_type="application/json").text
    assert json.loads(text) == value


def test_xml_is_text_under_its_own_name():
    page = read("<?xml version='1.0'?>\n<note>x</note>")
    assert (page.media_type, page.text) == ("application/xml", "<?xml version='1.0'?>\n<note>x</note>")
