"""Rows of pictures, icons, and what stands beside a picture."""

import pytest
from reading.markup.whole import markdown, plain

AT = "https://e.example"


def _row(alts, around="{}"):
    return "".join(around.format(f'<img src="/{n}.png" alt="{alt}">') for n, alt in enumerate(alts))


def test_a_row_of_one_thing_from_many_sides_shows_the_first():
    html = f"<ul>{_row([f'Boat {n}' for n in range(9)], '<li>{}</li>')}</ul><p>Red boat</p>"
    first = "\n".join(f"- ![Boat {n}]({AT}/{n}.png)" for n in range(3))
    assert markdown(html) == f"{first}\n- [IMAGES: 6 more]\n\nRed boat"
    assert "[IMAGES: 6 more]" in plain(html)


def test_a_wall_of_logos_keeps_their_names():
    text = markdown(f"<p>Used by</p><div>{_row(['Oak', 'Elm', 'Ash', 'Fir', 'Yew', 'Box', 'Bay'])}</div>")
    assert text == f"Used by\n\n![Oak]({AT}/0.png) ![Elm]({AT}/1.png) ![Ash]({AT}/2.png) [IMAGES: Fir, Yew, Box, Bay]"


@pytest.mark.parametrize("around", ["<p>{}", "<p>{}</p><p>a</p>", "<p>{}</p><hr>"])
def test_pictures_with_words_or_borders_between_them_stay(around):
    alts = [*"abcdef"] if around == "<p>{}" else [*"abcdefghi"]
    assert markdown(_row(alts, around)).count("![") == len(alts)


def test_pictures_that_lead_to_pages_of_their_own_stay():
    html = "".join(f'<a href="/p{n}"><img src="/{n}.png" alt="Boat {n}"></a>' for n in range(8))
    assert markdown(html).count("](https://e.example/p") == 8
    larger = "".join(f'<a href="/{n}.jpg"><img src="/{n}.png" alt="Boat {n}"></a>' for n in range(8))
    assert markdown(larger).endswith("[IMAGES: 5 more]")


@pytest.mark.parametrize(
    ("alt", "kept"),
    [("check icon", 1), ("", 1), ("Item", 1), ("Steep", 4)],  # drawn only; said beside it; said nowhere else
)
def test_a_repeated_icon_stands_once_unless_it_says_something(alt, kept):
    html = "".join(f'<li><img src="/i.png" alt="{alt}"> Item {n}' for n in range(4))
    assert markdown(f"<ul>{html}</ul>").count(f"![{alt}]({AT}/i.png)") == kept


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<img src="/i.png" alt="a">Free <img src="/j.png" alt="b">', f"![a]({AT}/i.png) Free ![b]({AT}/j.png)"),
        ('<a href="/x"><img src="/i.png" alt="a"></a><span>Free</span>', f"[![a]({AT}/i.png)]({AT}/x) Free"),
        ('(<img src="/i.png" alt="a">), b', f"(![a]({AT}/i.png)), b"),
    ],
)
def test_a_picture_is_apart_from_the_words_beside_it(html, expected):
    assert markdown(f"<p>{html}</p>") == expected


def test_pictures_without_end_take_their_turn():
    assert len(markdown(_row(["x"] * 20_000))) < 300
