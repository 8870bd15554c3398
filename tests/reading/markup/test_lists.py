"""Lists: numbered as the page numbers them, each inside an item, never deeper than people write."""

import pytest
from reading.markup.whole import markdown


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ol start=5><li>a<li>b</ol>", "5. a\n6. b"),
        ("<ol><li value=10>a<li>b</ol>", "10. a\n11. b"),
        ("<ol><li>a<li value=4>b<li>c</ol>", "- 1. a\n- 4. b\n- 5. c"),
        ("<ol reversed><li>a<li>b<li>c</ol>", "- 3. a\n- 2. b\n- 1. c"),
        ("<ol reversed start=9><li>a<li><p>b</p></ol>", "- 9. a\n- 8. b"),
        ("<ol type=a><li>x<li>y</ol>", "- a. x\n- b. y"),
        ("<ol type=A start=27><li>x</ol>", "- AA. x"),
        ("<ol type=i start=4><li>x<li>y</ol>", "- iv. x\n- v. y"),
        ("<ol type=I start=1999><li>x</ol>", "- MCMXCIX. x"),
        ("<ol type=1 start=2><li>x</ol>", "2. x"),
        ("<ol start=-1><li>x</ol>", "- -1. x"),
        ("<ol start=99999999999><li>x</ol>", "1. x"),
        ("<ul><li>a<ul><li>b<ol><li>c<ul><li>d</ul></ol></ul></ul>", "- a\n  - b\n    1. c\n       - d"),
        ("<ol><li>a</li><ol><li>b</li></ol><li>c</li></ol>", "1. a\n   1. b\n2. c"),
        ("<ul><ul><li>a</ul><li>b</ul>", "- a\n- b"),
        ("<ul><li><p> </p><div><ul><li>a</ul></div><li>b</ul>", "- a\n- b"),
        ("<ul><li><ol><li>a<li>b</ol></ul>", "1. a\n2. b"),
        ("<ul><li><hr><p></p>a<li><img src=/x.png alt=x></ul>", "- a\n- ![x](https://e.example/x.png)"),
        ("<ol><li><h3>Heat</h3>x<li><h3>Cool</h3></ol>", "### 1. Heat\n\nx\n\n### 2. Cool"),
        ("<ol start=4><li><h3>4. Heat</h3><li>x<h3>Cool</h3></ol>", "### 4. Heat\n\n5. x\n\n### Cool"),
        ("<ol class=crumbs><li>a<li><h2>b</h2></ol>", "a\n\n## b"),
        ("<ol><li>a<li><h1>b</h1></ol>", "a\n\n# b"),
        ("<ul><li>a<ul><li><h4>b</h4></ul><li>c</ul>", "a\n\n#### b\n\nc"),
        ("<ul><b>Least:</b><br><ul><li>a<li>b</ul></ul>", "- **Least:**\n  - a\n  - b"),
        ("<menu><li>a<li>b</menu>", "- a\n- b"),
        ("<ul><li><p>a</p><table><tr><th>x<th>y<tr><td>1<td>2</table></ul>", "- a\n  | x | y |\n  | --- | --- |\n  | 1 | 2 |"),
    ],
)
def test_lists(html, expected):
    assert markdown(html) == expected


def test_what_is_nested_without_end_is_flat_from_some_depth_on():
    for opening, mark in (("<ul><li>a", "- "), ("<blockquote>a", "> "), ("<dl><dt>t<dd>a", "- ")):
        text = markdown(opening * 5_000)
        assert text.count("a") == 5_000
        assert max(line.count(mark) + (len(line) - len(line.lstrip())) // 2 for line in text.split("\n")) <= 16
        assert len(text) < 400_000


def test_an_item_that_shows_nothing_is_none():
    assert markdown("<ul><li>a<li> <span></span><li><img src=i.png alt=b></ul>") == "- a\n- ![b](https://e.example/d/i.png)"
