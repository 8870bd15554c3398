"""Pages by man(7): their structure in Markdown, and no request left in it."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limen.reading import read

PAGE = r""".\" a comment
'\" t
.TH LAMP 1 2024-01-02 "Lamp 1.0" "User Commands"
.SH NAME
lamp \- give light
.SH SYNOPSIS
.B lamp
[\fIOPTION\fR]... \fB\-\-to\fP=\fIFILE\/\fP
.SH DESCRIPTION
Give light, \(lqmuch\(rq of it, as
.BR candle (1)
does. \&.profile is read\c
 too. \s-1SMALL\s0 & <b>.
.PP
Next\e paragraph.
.TP
\fB\-a\fR, \fB\-\-all\fR
all of them
.IP
still that option
.TP
.BI \-o " file"
.TQ
.BI \-\-out= file
write there
.RS
.IP \(bu 2
one
.IP \(bu
two
.RE
.SS "A part"
.IP 1. 4
first
.IP 2. 4
second
.EX
lamp \-\-on \\
  | tee "x"
.EE
.TS
tab(|);
lb l.
Name|Value
_
a|1\-2
b|T{
long
.B text
T}
.TE
.SH "SEE ALSO"
.UR https://e.example/lamp
the site
.UE ,
.BR light (7).
"""


def unescaped(markdown):
    """Markdown without the escapes that brackets may have or not."""
    return markdown.replace("\\[", "[").replace("\\]", "]")


def test_a_page_by_all_its_macros():
    page = read(gzip.compress(PAGE.encode()), "https://e.example/man1/lamp.1.gz", "application/gzip")
    assert unescaped(page.text) == (
        "# lamp(1)\n\n## NAME\n\nlamp - give light\n\n## SYNOPSIS\n\n**lamp** [*OPTION*]... **--to**=*FILE*\n\n## DESCRIPTION\n\n"
        "Give light, “much” of it, as **candle**(1) does. .profile is read too. SMALL & \\<b>.\n\nNext\\\\ paragraph.\n\n"
        "- `-a, --all`\n\n  all of them\n\n  still that option\n\n- `-o file`\n\n  `--out=file`\n\n  write there\n\n"
        '  - one\n  - two\n\n### A part\n\n1. first\n2. second\n   ```\n   lamp --on \\\n     | tee "x"\n   ```\n'
        "   | Name | Value |\n   | --- | --- |\n   | a | 1-2 |\n   | b | long **text** |\n\n"
        "## SEE ALSO\n\n[the site](https://e.example/lamp), **light**(7)."
    )
    assert (page.title, page.published, page.media_type) == ("lamp(1)", "2024-01-02", "text/troff")
    assert [heading.text for heading in page.outline] == [
        "lamp(1)", "NAME", "SYNOPSIS", "DESCRIPTION", "A part", "SEE ALSO"
    ]  # fmt: skip


def body(source, page_format="markdown"):
    return read(f".TH X 1\n.SH A\n{source}", "", None, page_format).text.partition("A\n\n")[2]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (".de Mine\n.B \\\\$1\nand \\\\$2, \\\\n(.$\n..\n.Mine one \"two words\"\n", "**one** and two words, 2"),
        (".ds Nm lamp\nThe \\*(Nm of \\*[Nm]\\*x.\n", "The lamp of lamp."),
        (".ie n yes\n.el no\n.if t no\n.if !n no\n", "yes"),
        (".if n \\{\nyes\n.if t \\{\nno\n.\\}\n.\\}\nand\n", "yes and"),
        (".nr F 2\n.if \\nF>1 two\n.if \\nF==3 three\n.if '\\nF'2' same\n", "two same"),
        (".ig\nno\n..\nyes\n", "yes"),
        (".IP -H 4\nSay:\n.Sp\n.Vb 1\n\\&  curl x\n.Ve\n", "- `-H`\n\n  Say:\n\n  ```\n    curl x\n  ```"),
        ("\\fBbold\\fR \\fIslant\\fP \\f(CWcode\\fR \\f[B]b\\f[]", "**bold** *slant* `code` **b**"),
        ("caf\\('e \\[u00E9] \\[e aa] \\(:o \\N'65' \\(co \\[bu] \\(rs", "café é é ö A © • \\\\"),
        ("a\\h'-1'b\\v'1'c\\w'xx'd\\o'ae' \\h'2n'z\\m[red]r\\m[]", "abcda zr"),
        (".sp\n.RS 4\n.ie n \\{\\\n\\h'-04'\\(bu\\h'+03'\\c\n.\\}\n.el \\{\\\n.IP \\(bu 2.3\n.\\}\none\n.RE\n", "- one"),
        (".PP\n\\fB\\-\\-all\\fR\n.RS 4\nAll of them.\n.RE\n.PP\nNot \\fBone\\fR.\n.RS 4\nx\n.RE\n",
         "- `--all`\n\n  All of them.\n\nNot **one**.\n\nx"),
        ("tree:\n.PP\n/root\n  a\n    b\n", "tree:\n\n```\n/root\n  a\n    b\n```"),
        (".nf\na\n.B b\n\n c\n.fi\nd\n", "```\na\nb\n\n c\n```\n\nd"),
        (".Vb 2\n\\& my $x;\n\\& # no heading\n.Ve\n", "```\n my $x;\n # no heading\n```"),
        (".SM\nsmall\n.B\nloud\nplain\n", "small **loud** plain"),
        (".MT a@e.example\nAda\n.ME\n.MR ls 1 ,\n.SY lamp\n.OP \\-o file\n.YS\n",
         "[Ada](mailto:a@e.example) **ls**(1),\n\n**lamp** [**-o** *file*]"),
        (".SH\nLater title\ntext\n", "## Later title\n\ntext"),
        (".unknown x\n.in +2\ntext\n.XX\n", "text"),
    ],
)  # fmt: skip
def test_the_language_under_the_macros(source, expected):
    assert unescaped(body(source)).strip() == expected


def test_a_page_that_leads_to_another():
    page = read(b'.\\" comment\n.so man7/queue.7\n', "/usr/share/man/man3/stailq.3")
    assert (page.text, page.title) == ("This page is another name for **queue**(7).", "stailq(3)")


def test_text_of_a_page():
    assert body(".B bold\n\\fIslant\\fR <x>\n", "text") == "bold slant <x>"


@pytest.mark.parametrize(
    "source",
    [
        ".de x\n.x\n.x\n..\n.x\n",
        ".de x\n\\\\$1\\\\$1\n.x \\\\$1\\\\$1\n..\n.x aaaa\n",
        ".ds a \\*b\\*b\n.ds b \\*a\\*a\n\\*a\n",
        ".if n \\{\n" * 20_000,
        ".if t \\{\n" * 20_000,
        ".RS\n" * 20_000 + "x",
        ".TP\n" * 20_000,
        ".IP x\n" * 20_000,
        "\\f" * 50_000,
        "\\o'" * 5_000,
        "\\h'\\w'" * 5_000,
        ".TS\n" + "T{\n" * 20_000,
        ".TS\nl l.\n" + "a\tb\n" * 20_000,
        ".nr a 1\n.if " + "(" * 5_000 + "1\n",
        ".if " + "9" * 5_000 + "*" + "9" * 5_000 + " x\n",
        ".as a x\n" * 20_000 + "\\*a",
        "\\\n" * 50_000,
    ],
    ids=lambda source: source[:14],
)
def test_hostile_pages_are_taken(source):
    body(source)


SIGNS = st.sampled_from(
    [".TP\n", ".IP \\(bu\n", ".RS\n", ".RE\n", ".nf\n", ".fi\n", ".PP\n", "word\n", "\\fB", "\\*(xx", ".if n \\{\n", ".\\}\n",
     ".TS\n", ".TE\n", "\t", ".B ", '"', "\\c\n", ".de x\n", "..\n", ".x\n", "\\h'", "'",
     ".SH\n", ".UR x\n", ".UE\n", "  in\n", "\\$1", "\\"]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(SIGNS, max_size=40).map("".join))
def test_any_lines_make_a_page(source):
    body(source)


def test_numbers_of_characters_that_are_none_do_no_harm():
    assert read(".TH A 1\n.SH N\nx \\N'\u00b2' y \\[char\u00b2] z\n").text.endswith("x y z")


@pytest.mark.parametrize("condition", ["-" * 5_000 + "1", f"1{'/.00000001' * 200}-(1{'/.00000001' * 200})"])
def test_conditions_are_reckoned_however_long_they_are(condition):
    assert "hello" in read(f".TH A 1\n.SH N\n.if {condition} x\n.nr y {condition}\nhello\n", "https://a.example/x.1").text


def test_what_a_macro_makes_of_its_arguments_is_bounded():
    body = "\\$*" * 6_000 + "\n"
    assert len(read(f".TH A 1\n.SH N\n.de x\n{body * 5}..\n.x {'a ' * 9_000}\n", "https://a.example/x.1").text) < 200_000
