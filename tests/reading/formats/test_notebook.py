"""Notebooks: text as it is, code in its language, outputs cut, pictures as facts."""

import json

from limen.reading import read


def notebook(*cells, **about):
    return json.dumps({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5})


def code(source, *outputs):
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


TEXT = {"cell_type": "markdown", "source": ["# Title\n", "See [a](https://e.example) ![p](attachment:x.png)"]}


def test_cells_in_order_with_their_outputs():
    cells = [
        TEXT,
        code(
            "import x\nprint(1)",
            {"output_type": "stream", "text": ["10%\r100%\n", "done\n"]},
            {"output_type": "display_data", "data": {"image/png": "A" * 4_000, "text/plain": "<Figure>"}},
            {"output_type": "error", "ename": "E", "traceback": ["\x1b[31mE\x1b[0m: bad"]},
            {"output_type": "execute_result", "data": {"text/html": "<b>1</b>", "text/plain": ["   a\n", "0  1"]}},
        ),
    ]
    page = read(notebook(*cells, kernelspec={"language": "python", "name": "python3"}), "https://e.example/n.ipynb", "text/plain")
    assert page.text == (
        "# Title\nSee [a](https://e.example) [IMAGE: p x.png]\n\n```python\nimport x\nprint(1)\n```\n\n"
        "Output:\n\n```\n100%\ndone\n```\n\n"
        "[IMAGE: image/png, 3,000 bytes]\n\nError:\n\n```\nE: bad\n```\n\nResult:\n\n```\n   a\n0  1\n```"
    )
    assert (page.title, page.media_type) == ("Title", "application/x-ipynb+json")
    assert page.links[0].url == "https://e.example"
    assert page.outline[0].line == 1


def test_long_outputs_keep_their_ends():
    lines = "".join(f"line {n}\n" for n in range(1_000))
    text = read(notebook(code("x", {"output_type": "stream", "text": lines}))).text
    assert "line 0\n" in text
    assert "… 940 more lines …" in text
    assert "line 999" in text
    wide = read(notebook(code("x", {"output_type": "stream", "text": "y" * 100_000}))).text
    assert "… 96,000 more characters …" in wide


def test_a_fence_is_longer_than_those_within():
    assert read(notebook(code("a = '''\n```\n'''"))).text.startswith("````python\n")


def test_an_older_notebook_has_sheets():
    old = {
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "heading", "level": 2, "source": "Old"},
                    {"cell_type": "code", "input": "1", "outputs": [{"output_type": "pyout", "text": "1"}]},
                ]
            }
        ],
        "nbformat": 3,
        "metadata": {},
    }
    assert read(json.dumps(old)).text == "## Old\n\n```python\n1\n```\n\nResult:\n\n```\n1\n```"


def test_what_is_no_notebook_stays_json():
    assert read('{"cells": [], "nbformat": "x"}', "a.ipynb").text.startswith("{\n")
    assert read('{"cells": [1, {"source": {}}], "nbformat": 4}').media_type == "application/x-ipynb+json"


def test_fifty_megabytes_of_pictures_are_facts():
    heavy = code("plot()", {"output_type": "display_data", "data": {"image/png": "A" * 50_000_000}})
    assert read(notebook(TEXT, heavy)).text.endswith("[IMAGE: image/png, 37,500,000 bytes]")
