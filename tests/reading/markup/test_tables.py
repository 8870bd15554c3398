"""Tables: spans say what they say in every row, titles and captions stand above, layout is no table."""

import pytest
from reading.markup.whole import markdown, plain

RULE = "| --- | --- |"
RULE3 = "| --- | --- | --- |"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<tr><th rowspan=2>R<th colspan=2>C<tr><th>x<th>y<tr><td>1<td>2<td>3",
            f"| R | C | C |\n{RULE3}\n| R | x | y |\n| 1 | 2 | 3 |",
        ),
        (
            "<tr><th>a<th>b<th>c<tr><td rowspan=2>A<td colspan=2>B<tr><td>x<td>y",
            f"| a | b | c |\n{RULE3}\n| A | B |  |\n| A | x | y |",
        ),
        ("<tr><th>a<th>b<tr><td rowspan=0>1<td colspan=-1>2", f"| a | b |\n{RULE}\n| 1 | 2 |"),
        ("<caption>Tab. <b>1</b></caption><tr><th>a<th>b<tr><td>1<td>2", f"Tab. **1**\n\n| a | b |\n{RULE}\n| 1 | 2 |"),
        ("<caption><h3>T</h3></caption><tr><th>a<th>b<tr><td>1<td>2", f"### T\n\n| a | b |\n{RULE}\n| 1 | 2 |"),
        ("<tr><th colspan=2>Title<tr><th>a<th>b<tr><td>1<td>2", f"**Title**\n\n| a | b |\n{RULE}\n| 1 | 2 |"),
        ("<tr><th>Born<td>1815<tr><th>Died<td>1852", f"|  |  |\n{RULE}\n| Born | 1815 |\n| Died | 1852 |"),
        ("<tr><th><h4>a</h4><th><h4>b</h4><tr><td>1<td>2", f"| **a** | **b** |\n{RULE}\n| 1 | 2 |"),
        ("<tr><th>a<th>b<tr><td>x<br>y<td><p>1</p><p>2</p>", f"| a | b |\n{RULE}\n| x y | 1 2 |"),
        ("<tr><th>a<th>b<tr><td><ul><li>1<li>2</ul><td><pre>x|y</pre>", f"| a | b |\n{RULE}\n| • 1 • 2 | `x\\|y` |"),
        ("<thead><tr><th>a<th>b</thead><tfoot><tr><td>f<td>g</tfoot><tr><td>1<td>2", f"| a | b |\n{RULE}\n| f | g |\n| 1 | 2 |"),
        ("<tr><td>a<td>b<tr><td>1<td>2", f"| a | b |\n{RULE}\n| 1 | 2 |"),
        ("<tr><th>a<th>b<tr><td><dl><dt>t<dd>d</dl><td>x", f"| a | b |\n{RULE}\n| t d | x |"),
    ],
)
def test_tables_of_data(html, expected):
    assert markdown(f"<table>{html}</table>") == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<tr><td>a<td>b<tr><td><p>c</p><td>d", "| a | b |\n| --- | --- |\n| c | d |"),
        ("<tr><td><h2>A</h2>one<td>two", "## A\n\none\n\ntwo"),
        ("<tr><td>a<td><table><tr><td>b<td>c<tr><td>d<td>e</table>", f"a\n\n| b | c |\n{RULE}\n| d | e |"),
        ("<thead><tr><td>a<td>b<tbody><tr><td>x<td><ul><li>1<li>2</ul>", f"| a | b |\n{RULE}\n| x | • 1 • 2 |"),
        (
            "<tr><th>k<th>v<tr><td>x<td><pre>1\n 2</pre><tr><td>y<td>z",
            "**k**\n\nx\n\n**v**\n\n```\n1\n 2\n```\n\n**k**\n\ny\n\n**v**\n\nz",
        ),
        ("<tr><th>k<th>v<tr><td>x<td><pre>1\n 2</pre>", "**k**\n\nx\n\n**v**\n\n```\n1\n 2\n```"),
        ("<tr><th>Aims<td><ul><li>one<li>two</ul><tr><th>Needs<td>none", "**Aims**\n\n- one\n- two\n\n**Needs** none"),
        ("<tr><td><ul><li>a</ul><td><ul><li>b</ul>", "- a\n* b"),
    ],
)
def test_tables_of_layout(html, expected):
    assert markdown(f"<table>{html}</table>") == expected


def test_text_has_columns_and_spans_too():
    text = plain("<table><caption>T</caption><tr><th>a<th>b<tr><td rowspan=2>1<td>2<tr><td>3</table>")
    assert [line.split() for line in text.split("\n")] == [["T"], [], ["a", "b"], ["1", "2"], ["1", "3"]]


def test_spans_add_no_more_than_a_page_may_grow_by():
    wide = "<table>" + "<tr><td rowspan=1000000 colspan=1000000>abc<td>x" * 5_000 + "</table>"
    assert markdown(wide).count("abc") <= 5_000 + 100_000 // 3
    assert len(markdown(wide)) < len(wide) + 1_000_000
    tall = "<table><tr>" + "<td rowspan=1000000>abc" * 1_000 + "<tr><td>x" * 5_000 + "</table>"
    assert len(markdown(tall)) < len(tall) + 1_000_000


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<th>Tag<th>Is<tr><td>1<td><table><tr><td>0 = no<tr><td>1 = so</table>",
            "| Tag | Is |\n| --- | --- |\n| 1 | 0 = no 1 = so |",
        ),
        ("<th>a<th>b<tr><td>x<br>y<td>1 = a<br> 2 = b <br>3", "| a | b |\n| --- | --- |\n| x y | 1 = a; 2 = b; 3 |"),
        ("<td>ctxt:<td>x<tr><td>Returns:<td>y", "|  |  |\n| --- | --- |\n| ctxt: | x |\n| Returns: | y |"),
    ],
)
def test_cells_that_hold_values_stay_cells(html, expected):
    assert markdown(f"<table><tr>{html}</table>") == expected
