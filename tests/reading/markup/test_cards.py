"""Links around blocks: cards of a listing, teasers, tiles."""

import pytest
from reading.markup.whole import markdown, written

LONG = "Three hours on foot along the dunes, with a rest at the old mill"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # one line each, apart from their neighbours
        ("<a href=/a><div>Oak</div></a><a href=/b><div>Elm</div></a>", "[Oak](https://e.example/a)\n\n[Elm](https://e.example/b)"),
        ("<a href=/a><div>Oak</div><div>£5</div></a> new", "[Oak £5](https://e.example/a)\n\nnew"),
        ("<ul><li><a href=/a><p>Oak</p></a><li><a href=/b><p>Elm</p></a></ul>", "- [Oak](https://e.example/a)\n- [Elm](https://e.example/b)"),
        # what says more than a title
        (f"<a href=/a><div>Dunes</div><div>{LONG}</div></a>", f"[Dunes](https://e.example/a)\n\n{LONG}"),
        (f"<a href=/a><div>New</div><p class=card-title>Dunes</p><p>{LONG}</p></a>", f"New\n\n[**Dunes**](https://e.example/a)\n\n{LONG}"),
        (f"<a href=/a>Dunes<div>{LONG}</div></a>", f"[Dunes](https://e.example/a)\n\n{LONG}"),
        (f"<a href=/a><b><span class=name>Dunes</span></b><p>{LONG}</p></a>", f"[**Dunes**](https://e.example/a)\n\n{LONG}"),
        (
            f"<a href=/a><img src=/i.png alt=Sand><p>Dunes</p><p>{LONG}</p></a>",
            f"![Sand](https://e.example/i.png)\n\n[Dunes](https://e.example/a)\n\n{LONG}",
        ),
        ("<a href=/a><ul><li>x<li>y</ul></a>", "- [x](https://e.example/a)\n- y"),
        # a heading carries the link, and what is beside it stays in its card
        (
            "<a href=/a><h3>Oak</h3><span>tree</span></a><a href=/b><img src=/i.png alt=Elm><h3>Elm</h3></a>",
            "### [Oak](https://e.example/a)\n\ntree\n\n![Elm](https://e.example/i.png)\n\n### [Elm](https://e.example/b)",
        ),
        # no block of its own where there is one line only
        (
            "<table><tr><th>a<th>b<tr><td>x<a href=/a><div>Oak</div></a><td>y</table>",
            "| a | b |\n| --- | --- |\n| x [Oak](https://e.example/a) | y |",
        ),
        ("<a href=/a><div></div></a>after", "after"),
    ],
)  # fmt: skip
def test_a_card_is_a_block_of_its_own(html, expected):
    assert markdown(html) == expected


def test_an_opened_card_keeps_its_link_and_its_anchor():
    page = written(f"<a id=dunes href=/a><p>Dunes</p><p>{LONG}</p></a>")
    assert [(link.text, link.url) for link in page.links] == [("Dunes", "https://e.example/a")]


def test_cards_without_end_take_their_turn():
    assert markdown(f"<a href=/a><div>Dunes</div><div>{LONG}</div></a>" * 2_000).count("(https://e.example/a)") == 2_000
    assert "x" in markdown("<a href=/a><div>" * 300 + "x")
