"""What a page says twice over is kept once, unless it is said of two things."""

import pytest
from turbohtml import parse

from limen.reading.region.layout import Layout
from limen.reading.region.repeats import drop_repeats

LONG = "A lamp for the harbour, made of brass and blown glass, that burns for three nights without being tended."
OTHER = "It was the last one that the keepers carried down to the boats before the tower was given up."


def left(html):
    layout = Layout(parse(f"<body>{html}").find("body"))
    kept = [True] * len(layout.blocks)
    drop_repeats(layout, kept)
    return [block.text for block, keep in zip(layout.blocks, kept, strict=True) if keep]


@pytest.mark.parametrize(
    ("wide", "narrow"), [("d-none d-md-block", "d-md-none"), ("hidden-xs", "visible-xs"), ("desktop", "mobile")]
)
def test_twins_for_two_widths_are_one(wide, narrow):
    text = f"<h2>About it</h2><p>{LONG}</p><p>{OTHER.upper()}</p>"
    assert left(f'<div class="{wide}">{text}</div><p>Now.</p><div class="{narrow}">{text}</div>') == [
        "About it", LONG, OTHER.upper(), "Now.",
    ]  # fmt: skip


def test_a_carousel_that_begins_anew_is_shown_once():
    slides = f"<div><p>{LONG}</p><p>Ada</p></div><div><p>{OTHER}</p><p>Bo</p></div>"
    assert left(slides * 3) == [LONG, "Ada", OTHER, "Bo"]


@pytest.mark.parametrize(
    "html",
    [
        f"<h3>Small</h3><ul><li>{LONG}</li></ul><h3>Large</h3><ul><li>{LONG}</li></ul>",
        f"<p>Then:</p><pre>{LONG}</pre><p>Now:</p><pre>{LONG}</pre>",
        "<div><p>Sold out</p></div><p>Lamp</p><div><p>Sold out</p></div>",
        f"<p>{LONG}</p><p>{LONG}</p><p>{LONG}</p>",
        f"<section><h3>Day one</h3><p>{LONG}</p></section><section><h3>Day two</h3><p>{LONG}</p></section>",
    ],
)
def test_what_two_things_have_in_common_is_kept(html):
    assert len(left(html)) == html.count("</h3>") + html.count("</li>") + html.count("</p>") + html.count("</pre>")


def test_what_was_dropped_before_is_no_first():
    layout = Layout(parse(f"<body><div><p>{LONG}</p></div><p>{LONG}</p>").find("body"))
    kept = [False, True]
    drop_repeats(layout, kept)
    assert kept == [False, True]
