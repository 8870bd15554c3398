"""Within a line: words apart, readings in brackets, abbreviations spelt out once, powers and indices told."""

import pytest
from reading.markup.whole import markdown, plain


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<span>Price</span><span>$5</span>", "Price $5"),
        ("<a href=/a>One</a><a href=/b>two</a>", "[One](https://e.example/a) [two](https://e.example/b)"),
        ("<span>In stock</span><time>Today</time>", "In stock Today"),
        ("<my-name>Ada</my-name><my-age>36</my-age>", "Ada 36"),
        ("<strong>Size</strong><span>42</span>", "**Size** 42"),
        ("<span>T</span><span>he</span> <span>w</span><span>o</span><span>rd</span>", "The word"),
        ("<span>a</span><span>, b</span>", "a, b"),
        ("<span>$</span><span>12</span>", "$12"),
        ("<span>日本</span><span>語</span>", "日本語"),
        ("<code><span>a</span><span>Bc</span></code>", "`aBc`"),
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>", "漢(かん)字(じ)"),
        ("<abbr title='World Health Organization'>WHO</abbr> and <abbr title='World Health Organization'>WHO</abbr>"
        "", "WHO (World Health Organization) and WHO"),
        ("<abbr title='2026-01-01T10:00'>today</abbr> <abbr title=Dr>Dr</abbr>", "today Dr"),
        ("2<sup>64</sup> e<sup>-x/2</sup> 1<sup>st</sup> Brand<sup>TM</sup> 10<sup>−3</sup> (a)<sup>n</sup>"
        "", "2^64 e^(-x/2) 1st BrandTM 10^−3 (a)^n"),
        ("end.<sup>1</sup> word<sup>a</sup> so <sup>2</sup>", "end.^1 word^a so 2"),
        ("H<sub>2</sub>O C<sub>6</sub>H<sub>12</sub> log<sub>2</sub> x<sub>i+1</sub>", "H2O C6H12 log_2 x_(i+1)"),
        ("<del>a</del> <ins>b</ins> <mark>c</mark> <kbd>d</kbd> <q>e</q> <var>f</var> <small>g</small>", '~~a~~ b c `d` "e" f g'),
        ("<address>Me<br>Street</address>", "Me  \nStreet"),
    ],
)  # fmt: skip
def test_phrases(html, expected):
    assert markdown(f"<p>{html}</p>") == expected


def test_text_has_them_too():
    assert plain("<p><span>Price</span><span>$5</span> 2<sup>8</sup> <q>so</q></p>") == 'Price $5 2^8 "so"'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a [x] and [y](z) and [k]: v", "a [x] and \\[y\\](z) and \\[k\\]: v"),
        ("2 * 3 * 4 *so*", "2 * 3 * 4 \\*so*"),
        ("faster* than <b>x* y</b>* it, *args and 2**8", "faster* than **x\\* y**\\* it, \\*args and 2\\*\\*8"),
        ("~5 of ~6 (~7) and ~~so~~ a~b~", "~5 of ~6 (~7) and \\~\\~so\\~\\~ a\\~b\\~"),
        ("git [--all] &lt;b&gt; &amp;copy; 5 &lt; 6", "git [--all] \\<b> \\&copy; 5 < 6"),
        ("[^1] is no note", "\\[^1\\] is no note"),
        ("1. no list", "1\\. no list"),
        ("24.1 MP and 3. x", "24.1 MP and 3. x"),
        ("&lt;200$ and &lt;숨바꼭질> and &lt;b", "<200$ and <숨바꼭질> and \\<b"),
        ("*Up to 5 W", "*Up to 5 W"),
        ("*Up to <i>5</i> W", "\\*Up to *5* W"),
        ("* no item", "\\* no item"),
        ("# no heading", "\\# no heading"),
        ("a_b_c __d__", "a_b_c __d__"),
    ],
)
def test_signs_are_escaped_where_they_would_be_read_as_marks(text, expected):
    assert markdown(f"<p>{text}</p>") == expected


def test_brackets_before_a_link_or_a_bracket_stay_escaped():
    assert markdown("<p>[x]<span>(y)</span></p>") == "\\[x\\](y)"
    assert markdown("<p><a href=/x>[1]</a></p>") == "[\\[1\\]](https://e.example/x)"
    assert markdown("<p><code>[x](y) \\* &amp;</code></p><pre>[x](y) * \\[</pre>") == "`[x](y) \\* &`\n\n```\n[x](y) * \\[\n```"


def test_unseen_characters_go_and_others_stay():
    assert markdown("<p>a\u200bb\u00adc\u2060d\ufeffe \u202ef\u202c مرحبا</p>") == "abcde \u202ef\u202c مرحبا"


def test_joiners_stay_between_letters_alone():
    assert (
        markdown("<p>a</p><p>\u200d</p><p>می\u200cخواهم \U0001f468\u200d\U0001f469</p>")
        == "a\n\nمی\u200cخواهم \U0001f468\u200d\U0001f469"
    )


def test_what_opens_no_tag_is_no_tag():
    assert markdown("<p>markers (&lt;&lt;&lt;&lt;) and a &lt; b or &lt;br></p>") == "markers (<<<<) and a < b or \\<br>"


def test_emphasis_by_style_counts_and_that_without_any_does_not():
    styled = "<span style='font-weight: 700'>b</span> <span style='font-style:italic'>c</span>"
    html = f"<b style='font-weight:normal'><p>a {styled}</p></b>"
    assert markdown(html) == "a **b** *c*"
    assert markdown("<h2><span style='font-weight:bold'>a</span></h2><p><b>x</b><b>y</b>") == "## a\n\n**xy**"


def test_what_nobody_sees_is_not_in_the_text():
    hidden = "\u200eAb c\U000e0041\U000e0042 d\u2028ef\u200f"
    assert markdown(f"<p>{hidden}</p>") == "Ab c d ef"


def test_emphasis_begins_anew_on_each_line():
    assert markdown("<p><b>a<br>b c<br> </b>d <b>e<br><i>f</i></b></p>") == "**a**  \n**b c**  \nd **e**  \n***f***"
