"""Rows of pictures, icons, and what stands beside a picture."""

import pytest
from reading.markup.whole import markdown, plain

from limen.reading import read

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
    assert markdown(f"<ul>{html}</ul>").count(f"![{alt or 'image'}]({AT}/i.png)") == kept


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


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<img src="/photo-of-cat.jpg">', f"![photo of cat]({AT}/photo-of-cat.jpg)"),
        ('<img src="/IMG_2042.jpg">', f"![image]({AT}/IMG_2042.jpg)"),
        ('<a href="/x" aria-label="Home"><img src="/9f3.png"></a>', f"[![Home]({AT}/9f3.png)]({AT}/x)"),
        ('a<img src="/t.gif" width="1" height="1"><img src="/spacer.gif"><img role="presentation" src="/p.png">b', "ab"),
        ('<img src="/loading.svg" data-src="/r.jpg" alt="R"> <img src="/loading.svg" alt="R">', f"![R]({AT}/r.jpg)"),
        ('Hi <img class="emoji" alt="🎉" src="/e.svg"><img alt=":-)" src="/s.gif">', "Hi 🎉:-)"),
        ('<img src="data:image/gif;base64,R0" alt="L"><noscript><img src="/l.jpg" alt="L"></noscript>', f"![L]({AT}/l.jpg)"),
        ('a <a href="/x"><img src="/a.png" alt="A"> The page</a> b', f"a ![A]({AT}/a.png) [The page]({AT}/x) b"),
        ('<a href="/x">Read <img src="/a.png" alt="A"></a> b', f"[Read]({AT}/x) ![A]({AT}/a.png) b"),
        ('<a href="/x">Read more <img src="/m.svg" alt="more"></a>', f"[Read more]({AT}/x)"),
    ],
)
def test_an_image_shows_something_and_is_called_something(html, expected):
    assert read(f"<p>{html}</p>", f"{AT}/d", "text/html").text == expected


def test_an_image_in_a_heading_stands_before_it():
    assert markdown('<h2><img src="/a.png" alt="A"> Title</h2>') == f"![A]({AT}/a.png)\n\n## Title"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<iframe src="https://www.youtube.com/embed/abc-DEF_123" title="A talk"></iframe>',
         "[Video: A talk](https://www.youtube.com/watch?v=abc-DEF_123)"),
        ('<iframe data-src="//player.vimeo.com/video/12" title="Vimeo video player"></iframe>', "[Video](https://vimeo.com/12)"),
        ('<iframe src="https://ads.example/x"></iframe>', ""),
        ("<video controls><source src=/v.mp4>too old</video>", f"[Video]({AT}/v.mp4)"),
        ("<video autoplay loop muted src=/v.mp4></video><video src=/w.mp4></video><video controls src=blob:x></video>", ""),
        ('<audio controls src=/a.mp3 aria-label="Part 1"></audio>', f"[Audio: Part 1]({AT}/a.mp3)"),
        ("<object data=/d.pdf></object><embed src=/x.swf>", f"[PDF]({AT}/d.pdf)"),
    ],
)  # fmt: skip
def test_what_a_page_plays_is_linked(html, expected):
    text = read(f"<p>Words that stand before it.</p>{html}<p>Words that stand behind it.</p>", f"{AT}/d", "text/html").text
    assert text.split("\n\n")[1:-1] == ([expected] if expected else [])


def test_a_picture_that_is_shown_again_stands_once():
    sides = "".join(f'<img src="/{n}.png" alt="Boat {n}">' for n in range(3)) + '<img src="/9.png" alt="Boat rear">'
    assert markdown(f'<p><a href="/x">{sides}</a></p>') == f"[![Boat 0]({AT}/0.png)]({AT}/x)"
    twice = '<img src="/a.png" alt="A">'
    assert markdown(f"<p>{twice}</p><p>{twice}</p><p>b</p><p>{twice}</p>").count("![A]") == 2
