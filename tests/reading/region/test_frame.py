"""What the rules take for a page's frame, and what only has a name like it."""

import pytest

from limen.reading import read

PROSE = "The keeper of the lamp climbs the stairs at dusk and trims the wick until the flame burns clear and steady. " * 6


@pytest.mark.parametrize("name", ["card-header", "cardHeader", "panel__footer", "accordion-header", "post-header"])
def test_the_head_of_a_part_is_no_head_of_the_page(name):
    cards = "".join(
        f'<div class="card"><div class="{name}"><span>Button number {n}</span></div><p>It does what button {n} does.</p></div>'
        for n in range(6)
    )
    text = read(f"<body><main><h1>Buttons</h1><p>{PROSE}</p>{cards}</main></body>", "", "text/html").text
    assert [f"Button number {n}" in text for n in range(6)] == [True] * 6


@pytest.mark.parametrize("name", ["page-header", "site-footer", "footer", "globalHeader"])
def test_the_head_and_foot_of_a_page_are_dropped(name):
    page = read(f'<body><div class="{name}"><b>Harbour Office</b></div><h1>Lamps</h1><p>{PROSE}</p></body>', "", "text/html")
    assert "Harbour Office" not in page.text
    assert page.dropped
