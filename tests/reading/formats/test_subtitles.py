"""Subtitles are lines with their times."""

from limen.reading import read


def test_webvtt():
    source = (
        "WEBVTT - My talk\n\nNOTE aside\n\nSTYLE\n::cue {}\n\n1\n00:00:01.000 --> 00:00:04.000 align:start\n"
        "<v Ada>Hello <i>there</i>\n\n"
        "00:05.500 --> 00:07.000\nthere\nmore <00:06.000><c>words</c>\n\n01:00:08.000 --> 01:00:09.000\nmore words\nlast\n"
    )
    page = read(source, "https://e.example/t.txt", "text/plain")
    assert page.text == "[00:00:01] Ada: Hello there\n[00:05] there more words\n[01:00:08] last"
    assert (page.title, page.media_type) == ("My talk", "text/vtt")


def test_subrip():
    source = (
        "1\r\n00:00:01,000 --> 00:00:04,000\r\nFirst line\r\n{\\an8}second\r\n\r\n2\r\n00:00:05,000 --> 00:00:06,000\r\nThird\r\n"
    )
    page = read(source.encode("utf-8-sig"), "a.srt")
    assert page.text == "[00:00:01] First line second\n[00:00:05] Third"
    assert page.media_type == "application/x-subrip"


def test_hostile_subtitles_are_taken():
    read("WEBVTT\n\n" + "00:00:01.000 --> 00:00:02.000\n" * 50_000)
    read("WEBVTT\n\n" + "-->" * 200_000)
    read("WEBVTT\n\n00:01.000 --> 00:02.000\n" + "<v " * 100_000)


def test_long_cues_are_compared_at_once():
    lines = "".join(f"line {n}\n" for n in range(30_000))
    page = read(
        f"1\n00:00:01,000 --> 00:00:02,000\n{lines}\n2\n00:00:02,000 --> 00:00:03,000\n{lines}new\n", "https://e.example/a.srt"
    )
    assert page.text.endswith("[00:00:02] new")
