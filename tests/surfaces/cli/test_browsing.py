"""`limen open`, `find`, `click`: what is shown, where, and whose handles are meant."""

import json

import pytest


def test_a_pipe_gets_the_text_alone_with_its_addresses(limen):
    ran = limen("open", "https://example.org/")
    first, _, third, last = ran.out.splitlines()
    assert (first, last) == ("# Page", "last")
    assert third.endswith("(https://example.org/next) or [inside](http://10.0.0.1/)")
    assert "\x1b" not in ran.out
    assert limen("open", "https://example.org/", "--line", "4").out == "last\n"
    assert limen("open", "https://example.org/", "--line", "4", "--char", "3").out == "st\n"


def test_json_has_the_lines_the_links_and_the_handle(limen):
    body = json.loads(limen("open", "https://example.org/", "--line", "3", "--json").out)
    assert (body["ref"], body["ref_id"], body["url"]) == ("https://example.org/", "turn1view0", "https://example.org/")
    assert (body["first_line"], body["last_line"], body["total_lines"]) == (3, 4, 4)
    assert body["text"].startswith("go [next")
    assert body["links"][0] == {"n": 1, "text": "next \x1b[2J", "url": "https://example.org/next"}
    assert (body["kind"], body["trust"], body["notices"]) == ("web", "web", [])


def test_what_a_reader_should_know_is_said_beside_the_text(limen):
    ran = limen("open", "https://example.org/old")
    assert "It was read anew." in ran.err
    assert "read anew" not in ran.out


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (("open", "https://example.org/refused"), 3, "network.private_address"),
        (("click", "https://example.org/", "2"), 3, "network.private_address"),
        (("click", "https://example.org/", "1"), 0, ""),
        (("click", "lib:9", "1"), 0, ""),
        (("click", "https://example.org/", "0"), 2, "cli.usage"),
        (("click", "https://example.org/", "two"), 2, "cli.usage"),
        (("click", "https://example.org/"), 2, "cli.usage"),
        (("open", "https://example.org/", "--line", "99"), 2, "cli.usage"),
        (("open", "https://example.org/", "--line", "4", "--char", "5"), 2, "cli.usage"),
        (("open", "https://example.org/", "--char", "0"), 2, "cli.usage"),
        (("open", "https://example.org/", "--session", "nobodys"), 1, "session.unknown"),
        (("find", "https://example.org/", "two", "--session", "s1"), 0, ""),
        (("search", "x", "--session", "nobodys"), 1, "session.unknown"),
    ],
)
def test_exit_status(limen, arguments, status, code):
    ran = limen(*arguments)
    assert (ran.status, code in ran.err) == (status, True)


def test_a_handle_is_of_whoever_gave_it_last_and_that_is_said(limen):
    assert "turn0view0 of conversation s1" in limen("open", "turn0view0").err
    assert "of conversation" not in limen("open", "turn0search0").err


def test_a_search_says_what_opens_its_hits(limen):
    assert "turn0search0 · lib:1 · line 412" in limen("search", "tasks").out
    hit = json.loads(limen("search", "tasks", "--json").out)["results"][0]
    assert (hit["ref_id"], hit["ref"]) == ("turn0search0", "lib:1")


def test_matches_name_the_handle_that_opens_them(limen):
    ran = limen("find", "lib:1", "two")
    assert "limen open turn1view0 --line 2" in ran.err
    body = json.loads(limen("find", "lib:1", "two", "--json").out)
    assert (body["ref_id"], body["total"], body["matches"][0]["line"]) == ("turn1view0", 1, 2)


def test_matches_stand_among_the_lines_around_them_each_once(limen):
    ran = limen("find", "lib:1", "many")
    assert ran.out.splitlines() == [
        " 1- many 1", " 2  many 2", " 3  many 3", " 4- many 4", "--", "20- many 20", "21  many 21", "22- many 22",
    ]  # fmt: skip
    assert "3 of 99 lines" in ran.err
    assert "find on: limen find turn1view0 many --line 22" in ran.err
    assert limen("find", "lib:1", "many", "--line", "22").out.splitlines()[1] == "23  many 23"
    (match,) = json.loads(limen("find", "lib:1", "two", "--json").out)["matches"]
    assert (match["before"], match["after"]) == (["one"], ["three"])
    assert "from line 7 on" in limen("find", "lib:1", "four", "--line", "7").err
