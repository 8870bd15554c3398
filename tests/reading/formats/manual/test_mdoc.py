"""Pages by mdoc(7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.reading import read

PAGE = """.Dd January 2, 2024
.Dt LAMP 1
.Os
.Sh NAME
.Nm lamp
.Nd give light
.Sh SYNOPSIS
.Nm
.Op Fl ab
.Op Fl o Ar file
.Ar name ...
.In lamp.h
.Ft int
.Fn on "int a" "char *b"
.Ft void
.Fo off
.Fa "int a"
.Fa "int b"
.Fc
.Sh DESCRIPTION
The
.Nm
utility, see
.Xr candle 1 ,
.Dq much light
and
.Pq none .
.Bl -tag -width Ds
.It Fl a , Fl -all
All of
.Em them .
.It Xo
.Fl o
.Ar file
.Xc
Write there.
.El
.Bl -bullet
.It
one
.It
two
.El
.Bl -enum
.It
first
.El
.Bd -literal -offset indent
lamp \\-a  x
.Ed
.Bl -column a b
.It Sy Name Ta Sy Value
.It a Ta Li 1
.El
.Sh SEE ALSO
.Lk https://e.example/ "The site"
.Rs
.%A Ada
.%T Lamps
.Re
"""


def unescaped(markdown):
    """Markdown without the escapes that brackets may have or not."""
    return markdown.replace("\\[", "[").replace("\\]", "]")


def test_a_page_by_all_its_macros():
    page = read(PAGE, "lamp.1")
    assert unescaped(page.text) == (
        "# lamp(1)\n\n## NAME\n\n**lamp** — give light\n\n## SYNOPSIS\n\n**lamp** [**-ab**] [**-o** *file*] *name ...*\n\n"
        "**#include \\<lamp.h>**\n\n*int* **on**(*int a*, *char \\*b*)\n\n*void* **off**(*int a*, *int b*)\n\n## DESCRIPTION\n\n"
        "The **lamp** utility, see **candle**(1), “much light” and (none).\n\n- `-a, --all`\n\n  All of *them*.\n\n"
        "- `-o file`\n\n  Write there.\n\n* one\n* two\n1. first\n\n```\nlamp -a  x\n```\n\n"
        "| **Name** | **Value** |\n| --- | --- |\n| a | `1` |\n\n"
        "## SEE ALSO\n\n[The site](https://e.example/) Ada, *Lamps*."
    )
    assert (page.title, page.media_type) == ("lamp(1)", "text/troff")


def line(source):
    return read(f".Dd x\n.Dt X 1\n.Sh A\n{source}\n").text.partition("## A\n\n")[2]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (".Fl a Ns Ar x", "**-a**x"),
        (".Oo Fl a Oc Ns ... .", "[**-a**]...."),
        (".Op Fl a | b", "[**-a** | **-b**]"),
        (".Sq Va x ;", "‘*x*’;"),
        (".Pf $ Ev HOME", "$`HOME`"),
        (".Ar", "*file ...*"),
        (".Ex -std lamp", "The **lamp** utility exits 0 on success, and >0 if an error occurs."),
        (".St -p1003.1-2008", "IEEE Std 1003.1-2008 (“POSIX.1”)"),
        (".Sm off\n.Ar a : b\n.Sm on", "*a*:*b*"),
        (".An -nosplit\n.An Ada Aq Mt a@e.example", "Ada ⟨a@e.example⟩"),
        (".Dl lamp on", "```\nlamp on\n```"),
        (".Ic quit ( now )", "**quit** (**now**)"),
    ],
)
def test_words_of_a_line(source, expected):
    assert unescaped(line(source)) == expected


@pytest.mark.parametrize(
    "source",
    [
        ".Bl -tag\n" * 5_000,
        ".It Xo\n" * 5_000,
        ".Op " + "Op " * 900 + "x",
        ".El\n" * 5_000,
        ".Bd -literal\n" * 5_000,
        ".It a\n.It b",
        ".Fo x",
    ],
)
def test_hostile_pages_are_taken(source):
    line(source)


WORDS = st.sampled_from(
    [".Bl -tag\n", ".Bl -column\n", ".It ", ".El\n", "Fl ", "Ar x ", "Op ", "Oo ", "Oc ", "Xo ", "Xc\n", "\n", ".Nm\n", ".Fo f\n",
     ".Fc\n", ".Fa x\n", "Ns ", "Ta ", '"', ".Bd -literal\n", ".Ed\n", ".Sh B\n", "Pf ", "Sm off ", ".Rs\n",
     ".Re\n", ".%T x\n", "|"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=40).map("".join))
def test_any_lines_make_a_page(source):
    line(source)


def test_enclosures_within_each_other_are_taken_as_far_as_anyone_writes_them():
    text = read(".Dd x\n.Dt A 1\n.Os\n.Sh NAME\n." + "Op " * 1_500 + "end\n", "https://a.example/x.1", "text/troff").text
    assert "end" in text


def test_a_cell_of_many_lines_is_put_together_once():
    text = read(
        ".Dd x\n.Dt A 1\n.Os\n.Sh NAME\n.Bl -column a\n.It a\n" + "word\n" * 50_000 + ".El\n", "https://a.example/x.1"
    ).text
    assert text.count("word") == 50_000
