"""Every charset that is declared, marked or plain to see is read as itself, and nothing makes decoding raise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.reading.decode import clean, decode, known_charset

FRENCH = "Où est la forêt ? Là-bas, près de l’étang gelé, à côté du château."
RUSSIAN = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему."
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"
POLISH = "Zażółć gęślą jaźń. Pchnąć w tę łódź jeża lub ośm skrzyń fig."


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides(charset):
    decoded = decode(FRENCH.encode(charset), "text/html; charset=shift_jis")
    assert decoded.text == FRENCH
    assert decoded.charset.startswith(charset[:5])


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be"])
def test_wide_text_without_a_mark_is_seen(charset):
    assert decode("Plain words, and more of them.".encode(charset)).text == "Plain words, and more of them."


@pytest.mark.parametrize(
    ("text", "charset", "label"),
    [
        (FRENCH, "cp1252", "windows-1252"),
        (RUSSIAN, "koi8-r", "KOI8-R"),
        (JAPANESE, "shift_jis", "Shift_JIS"),
        (POLISH, "cp1250", "windows-1250"),
    ],
)
def test_the_header_and_the_document_name_the_charset(text, charset, label):
    data = text.encode(charset)
    assert decode(data, f'text/html; charset="{label}"').text == text
    assert decode(f'<meta charset="{label}">'.encode() + data).text.endswith(text)
    assert decode(f'<meta http-equiv="Content-Type" content="text/html; charset={label}">'.encode() + data).text.endswith(text)
    assert decode(f'<?xml version="1.0" encoding="{label}"?>'.encode() + data).text.endswith(text)


@pytest.mark.parametrize(
    ("text", "charset"),
    [(RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r"), (JAPANESE, "euc_jp"), (JAPANESE, "shift_jis"), (FRENCH, "cp1252")],
)
def test_an_undeclared_charset_is_found_in_the_bytes(text, charset):
    padding = b"<p>plain ascii before</p>" * 20_000
    assert decode(padding + (text * 3).encode(charset)).text.endswith(text)


def test_valid_utf_8_outweighs_a_western_default():
    assert decode(FRENCH.encode(), "text/html; charset=ISO-8859-1").text == FRENCH


def test_a_few_broken_bytes_do_not_change_the_charset():
    decoded = decode(FRENCH.encode() + b" \xff", "text/html; charset=utf-8")
    assert decoded.text == f"{FRENCH} \ufffd"
    assert decoded.charset == "utf-8"


def test_a_false_declaration_of_utf_8_is_not_believed():
    assert decode(RUSSIAN.encode("cp1251"), "text/html; charset=utf-8").text == RUSSIAN


def test_a_meta_cannot_declare_wide_characters():
    assert decode('<meta charset="utf-16">é'.encode()).text.endswith("é")


@pytest.mark.parametrize("label", ["", "no-such-charset", "base64", "rot13", "\x00", "utf-7"])
def test_labels_that_are_no_charset_are_none(label):
    assert known_charset(label) == ""


def test_what_cannot_be_stored_is_cleaned():
    assert clean("a\x00b\r\nc\rd") == "ab\nc\nd"
    assert clean("\ud83d\ude00 \ud800") == "😀 \ufffd"
    assert clean("\ufeffx\ufdd0\ufdd5") == "x\ufffd\ufffd"


@given(st.binary(max_size=400), st.none() | st.text(max_size=40))
def test_decoding_never_raises_and_gives_storable_text(data, content_type):
    text = decode(data, content_type).text
    text.encode("utf-8")
    assert "\x00" not in text
    assert "\r" not in text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=200))
def test_utf_8_survives(text):
    assert decode(text.encode()).text == text.removeprefix("\ufeff")
