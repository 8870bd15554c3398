"""The text of pages that only their scripts would draw, read from the data these were sent with."""

import json
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.reading import read
from limen.reading.html.embedded import Source, embedded_in

PROSE = "<p>The keeper of the lamp climbs the stairs at dusk and trims the wick until the flame burns clear and steady.</p>"
SHELL = "<div id=app>Loading</div>"


def page(scripts, shown=SHELL):
    return read(
        f"<html><head><title>Lamps | Site</title></head><body>{shown}{scripts}</body></html>", "https://e.example/a", "text/html"
    )


def topic(*posts):
    inner = json.dumps({"title": "Wicks & lamps", "post_stream": {"posts": [*posts, {"cooked": "", "username": "system"}]}})
    return f'<div id="data-preloaded" data-preloaded="{escape(json.dumps({"site": "{}", "topic_7": inner}))}"></div>'


POSTS = (
    {
        "cooked": f'{PROSE}<p><a href="/b">more</a> <img src="javascript:no()"><script>no()</script></p><!-- open',
        "username": "ada",
        "created_at": "2026-03-01T09:30:12.173Z",
        "actions_summary": [{"id": 2, "count": 3}, {"id": 3, "count": 9}],
    },
    {
        "cooked": "<p>Trim it & wait.</p>",
        "username": "bo",
        "created_at": "2026-03-02T10:00:00.000Z",
        "reply_to_user": {"username": "ada"},
        "accepted_answer": True,
    },
)


def test_a_topic_is_read_from_what_it_was_preloaded_with():
    shown = page(topic(*POSTS))
    assert shown.text == (
        "# Wicks & lamps\n\n**ada** · 2026-03-01 09:30 · 3 likes\n\n"
        + PROSE[3:-4]
        + "\n\n[more](https://e.example/b)\n\n**bo** to ada · 2026-03-02 10:00 · accepted answer\n\nTrim it & wait."
    )
    assert "data-preloaded" in shown.notices[0]


def test_a_topic_that_is_shown_is_not_read_twice():
    posts = "".join(
        f'<div class="crawler-post"><span class="creator"><a itemprop="author">{one["username"]}</a></span>'
        f'<div class="post" itemprop="text">{one["cooked"].partition("<p><a")[0]}</div></div>'
        for one in POSTS
    )
    shown = page(topic(*POSTS), f"<noscript><h1>Wicks</h1>{posts}</noscript>")
    assert shown.notices == ()
    assert shown.text.count("climbs the stairs") == 1


STATE = {"props": {"i18n": {"messages": [PROSE * 9]}, "post": {"title": "Lamps", "html": PROSE * 4, "slug": "lamps"}}}
LISTED = [
    {"body": PROSE, "author": {"name": "Ada"}, "createdAt": 1_772_356_200, "likes": 4},
    {"body": PROSE + PROSE, "author": {"name": "Bo"}, "createdAt": 1_772_356_200_000},
]


@pytest.mark.parametrize(
    "script",
    [
        f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(STATE)}</script>',
        f"<script>window.__INITIAL_STATE__ = {json.dumps(STATE)};(function(){{}}())</script>",
        f"<script>var a=1</script><script>self['__S__']={json.dumps(STATE)}</script>",
        f"<script>window.__APOLLO_STATE__=JSON.parse({json.dumps(json.dumps(STATE))})</script>",
        f"<script>__S__ = JSON.parse('{json.dumps(STATE)}');</script>",
        '<script type="application/json" id="__NUXT_DATA__">'
        + json.dumps([{"post": 1, "self": 0}, {"title": 2, "html": 3}, "Lamps", PROSE * 4])
        + "</script>",
    ],
)
def test_the_one_body_of_an_apps_state_is_read_and_labelled(script):
    shown = page(script)
    assert shown.text == "# Lamps\n\n" + "\n\n".join([PROSE[3:-4]] * 4)
    assert "data of its scripts" in shown.notices[0]


def test_a_list_of_texts_with_authors_is_a_thread():
    shown = page(f'<script type="application/json">{json.dumps({"thread": {"title": "Wicks", "posts": LISTED}})}</script>')
    words = PROSE[3:-4]
    assert shown.text == (
        f"# Wicks\n\n**Ada** · 2026-03-01 09:10 · 4 likes\n\n{words}\n\n**Bo** · 2026-03-01 09:10\n\n{words}\n\n{words}"
    )


@pytest.mark.parametrize(
    "data",
    [
        {"a": {"html": PROSE * 4}, "b": {"other": PROSE * 4}},  # neither is clearly the page's
        {"css": "a{b:c;d:e}" * 90, "code": "function(){return 1;} " * 60, "hash": "x" * 900},
        {"messages": {"welcome": PROSE * 4}},
        [1, None, True, {"a": []}],
    ],
)
def test_data_without_a_clear_body_add_nothing(data):
    assert page(f'<script type="application/json">{json.dumps(data)}{" " * 300}</script>').text == "Loading"


def test_a_page_drawn_by_its_server_is_not_doubled():
    shown = page(f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(STATE)}</script>', f"<main>{PROSE * 4}</main>")
    assert shown.notices == ()
    assert shown.text.count("climbs the stairs") == 4


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(PROSE * 3),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["body", "author", "title", "posts", "7"]), inner)
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from(["data-preloaded", "__NUXT_DATA__", "state"]))
def test_data_of_any_shape_are_read_or_left(value, name):
    for stated in embedded_in([Source(name, json.dumps(value)), Source(name, json.dumps({"topic_1": json.dumps(value)}))], "t"):
        assert all(post.text for post in stated.posts)


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000, '["\\ud800"]', "", '{"a":1', '"' + "\\" * 100_001])
def test_data_that_end_too_soon_or_never_are_left(text):
    assert embedded_in([Source("state", text), Source("data-preloaded", text)], "") == []


def test_a_date_that_is_no_moment_is_none():
    told = json.dumps({"post": {"created": 10**400, "body": PROSE * 5}})
    assert "trims the wick" in page(f"<script>window.__STATE__ = {told}</script>").text
