"""Mail shows who wrote what, the best of its texts, and what is attached, in whatever charsets its parts are."""

from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.reading import read
from limen.reading.formats.mail_head import is_mail

HEAD = b"From: =?utf-8?q?Ad=C3=A9?= <a@e.example>\nTo: b@e.example\nSubject: =?iso-8859-1?Q?Gr=FC=DFe?=\n"
DATE = b"Date: Mon, 1 Jan 2024 12:00:00 +0200\n"


def message(**parts):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Ada <a@e.example>", "b@e.example", "The lamp"
    mail["Date"] = "Mon, 1 Jan 2024 12:00:00 +0200"
    mail.set_content(parts.get("plain", "plain words"))
    if "html" in parts:
        mail.add_alternative(parts["html"], subtype="html")
    for name, data in parts.get("files", {}).items():
        mail.add_attachment(data, maintype="application", subtype="pdf", filename=name)
    return mail


def test_a_message_shows_its_head_and_its_richest_text():
    body = '<body><h1>Hi</h1><p>Grüße, <a href="https://e.example/l">a link</a></p></body>'
    html = f"<html><head><style>x{{}}</style></head>{body}</html>"
    page = read(message(html=html, files={"né.pdf": b"%PDF-1.4"}).as_bytes(), "m.eml")
    assert page.text == (
        "# The lamp\n\n- From: Ada \\<a@e.example>\n- To: b@e.example\n- Date: 2024-01-01T10:00:00Z\n\n## Hi\n\n"
        "Grüße, [a link](https://e.example/l)\n\nAttached:\n\n- né.pdf (application/pdf, 8 bytes)"
    )
    assert (page.title, page.author, page.published) == ("The lamp", "Ada <a@e.example>", "2024-01-01T10:00:00Z")
    assert (page.media_type, page.links[0].url) == ("message/rfc822", "https://e.example/l")


@pytest.mark.parametrize("content_type", [None, "message/rfc822", "text/plain", "application/octet-stream"])
def test_encoded_words_and_quotations(content_type):
    data = HEAD + DATE + b"\n> old words\n> https://e.example/x.\n\nnew words\n\n-- \nA\n"
    page = read(data, "", content_type)
    assert page.title == "Grüße"
    assert page.author == "Adé <a@e.example>"
    assert "> old words  \n> <https://e.example/x>.\n\nnew words" in page.text


@pytest.mark.parametrize(
    ("charset", "text"), [("iso-8859-1", "Grüße"), ("koi8-r", "Привет, мир"), ("no-such-charset", "plain"), ("utf-8", "naïve 漢")]
)
def test_each_part_is_decoded_by_itself(charset, text):
    encoding = "utf-8" if charset == "no-such-charset" else charset
    data = HEAD + DATE + f"Content-Type: text/plain; charset={charset}\n\n".encode() + text.encode(encoding)
    assert read(data).text.endswith(f"\n\n{text}")


def test_a_false_charset_is_found_out():
    data = HEAD + DATE + b"Content-Type: text/plain; charset=us-ascii\n\n" + "Grüße aus Köln, ja wirklich".encode()
    assert read(data).text.endswith("Grüße aus Köln, ja wirklich")


def test_a_message_within_a_message_is_told_too():
    outer = message(plain="see below")
    outer.add_attachment(message(plain="inner words"))
    text = read(outer.as_bytes()).text
    assert text.index("see below") < text.index("## The lamp") < text.index("inner words")


def test_a_mailbox_shows_its_messages():
    one = b"From a@e.example Mon Jan  1 00:00:00 2024\nFrom: a@e.example\nSubject: %d\n\nbody %d\n\n"
    page = read(b"".join(one % (n, n) for n in range(250)), "archive")
    assert page.title == "Mailbox of 250 messages"
    assert page.media_type == "application/mbox"
    assert "## 199\n\n- From: a@e.example\n\nbody 199" in page.text
    assert page.notices == ("Of 250 messages this shows the first 200.",)


def test_a_report_of_delivery_tells_its_fields():
    report = b"Content-Type: message/delivery-status\n\nReporting-MTA: dns; e.example\n\nAction: failed\n"
    text = read(HEAD + DATE + report).text
    assert text.endswith("Delivery:\n\n- Reporting-MTA: dns; e.example\n- Action: failed")
    one = read(b"From a@e.example Mon Jan  1 00:00:00 2024\n" + HEAD + DATE + b"\nwords\n")
    assert (one.title, one.media_type) == ("Grüße", "message/rfc822")


def test_text_is_written_where_it_is_asked_for():
    page = read(message(html="<p>Hi <b>you</b></p>").as_bytes(), "m.eml", None, "text")
    assert page.format == "text"
    assert page.text.endswith("Hi you")


@pytest.mark.parametrize(
    "data",
    [
        b"Title: x\nAuthor: y\n\n# Text\n",
        b"From the start\nof a text\n",
        b"{}",
        b"",
        b"Subject: x\n\ny",
        b"From: x\nTo: y\nno field here\n\nz",
    ],
)
def test_what_only_looks_like_mail_is_not(data):
    assert not is_mail(data, None)


def nested(depth):
    data = b"leaf"
    for _ in range(depth):
        data = HEAD + DATE + b"Content-Type: message/rfc822\n\n" + data
    return data


def test_hostile_mail_is_taken():
    assert "nested beyond what is read" in read(nested(1_000)).text
    assert "nested beyond what is read" in read(nested(20)).text
    head = HEAD + DATE + b"Content-Type: multipart/mixed; boundary=B\n\n"
    read(head + b"--B\nContent-Type: text/plain\n\nx\n" * 20_000 + b"--B--")
    read(head.replace(b"boundary=B", b"") + b"x")
    read(HEAD + DATE + b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n!!!" + b"A" * 1_000_001)
    read(HEAD + b"Date: " + b"9" * 5_000 + b"\nTo: " + b"a@e.example, " * 5_000 + b"\n\n" + b"> " * 100_000)


@given(st.binary(max_size=300))
def test_any_bytes_after_a_head_are_a_page(data):
    read(HEAD + DATE + b"\n" + data)


def test_fields_of_a_report_are_told_each_for_itself():
    report = b"--b\nContent-Type: message/delivery-status\n\nAction: failed\nAction: delayed\n\n--b--\n"
    text = read(HEAD + DATE + b"MIME-Version: 1.0\nContent-Type: multipart/report; boundary=b\n\n" + report).text
    assert "- Action: failed\n- Action: delayed" in text


@pytest.mark.parametrize("kind", [b"text/plain", b"multipart/mixed"])
def test_a_parameter_numbered_beyond_reason_is_none(kind):
    told = b"MIME-Version: 1.0\nContent-Type: " + kind + b"; a*" + b"9" * 5_000 + b"=x\n"
    assert "Grüße" in read(HEAD + DATE + told + b"\nhi\n").text


def test_encoded_words_left_open_are_read_once():
    head = b"From: a@e.example\nTo: b@e.example\nDate: x\nSubject: "
    assert read(head + b"=?utf-8?q?x" * 50_000 + b"\n\nhi\n").text.endswith("hi")
