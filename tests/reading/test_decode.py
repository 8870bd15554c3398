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


# A page's worth of a language, as its old charsets have it; said a few times over, since a guess needs material.
LANGUAGES = {
    "French": ("cp1252", FRENCH),
    "German": ("cp1252", "Die Straße über den Fluß führt für fünf Fußgänger zu schönen Höfen, wo Äpfel und Öl übrig bleiben."),
    "Spanish": ("cp1252", "¿Dónde está el niño? Mañana saldrá del jardín con una canción, y después comerá jamón, piña y café."),
    "Portuguese": (
        "cp1252",
        "Não há razão para a situação: amanhã começará a reunião e as crianças irão à praia com o avô e a avó.",
    ),
    "Swedish": ("cp1252", "Räven hoppade över ån för att nå de blåa bären på andra sidan, där älgen åt äpplen på ängen."),
    "Polish": ("cp1250", POLISH + " Czy są tu jeszcze świeże bułki? Proszę, weź też trochę śmietany i żółtego sera."),
    "Czech": ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy. Večer přišel strýček z města a přinesl dětem hračky a ovoce."),
    "Hungarian": (
        "cp1250",
        "Árvíztűrő tükörfúrógép. Az öreg költő elégedetten ült a kert végében, és őszi verseket írt az esőről.",
    ),
    "Russian": ("cp1251", RUSSIAN),
    "Russian, Unix": ("koi8-r", RUSSIAN),
    "Bulgarian": ("cp1251", "Всички хора се раждат свободни и равни по достойнство и права. Те са надарени с разум и съвест."),
    "Greek": (
        "cp1253",
        "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα, με λογική και συνείδηση.",
    ),
    "Turkish": (
        "cp1254",
        "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Şimdi çocuklar ışığın altında güneşi bekliyor.",
    ),
    "Hebrew": ("cp1255", "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון."),
    "Arabic": (
        "cp1256",
        "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق، وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء.",
    ),
    "Thai": ("cp874", "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม"),
    "Japanese": ("shift_jis", JAPANESE),
    "Japanese, Unix": ("euc_jp", JAPANESE),
    "Chinese": ("gb18030", "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。"),
    "Chinese, Taiwan": ("big5", "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。"),
    "Korean": ("euc_kr", "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 이성과 양심을 부여받았다."),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_that_names_no_charset_is_read_in_its_language(language):
    charset, text = LANGUAGES[language]
    page = f"<html><head><title>{text[:20]}</title></head><body><p>{text} {text} {text}</p></body></html>"
    decoded = decode(page.encode(charset), "text/html")
    assert decoded.text == page
    assert decoded.guessed


@pytest.mark.parametrize("language", LANGUAGES)
def test_utf_8_needs_no_charset_either(language):
    assert decode(LANGUAGES[language][1].encode()).text == LANGUAGES[language][1]


def test_valid_utf_8_outweighs_a_western_default():
    assert decode(FRENCH.encode(), "text/html; charset=ISO-8859-1").text == FRENCH


def test_a_few_broken_bytes_do_not_change_the_charset():
    decoded = decode(FRENCH.encode() + b" \xff", "text/html; charset=utf-8")
    assert decoded.text == f"{FRENCH} \ufffd"
    assert decoded.charset == "utf-8"


@pytest.mark.parametrize("content_type", [None, "text/html", "text/html; charset=iso-8859-1"])
def test_a_broken_byte_does_not_garble_a_text_that_names_no_charset(content_type):
    data = "Die Größe der Brücke über den Fluß fällt täglich ".encode() * 2
    decoded = decode(data[:70] + b"\xff" + data[70:], content_type)
    assert (decoded.charset, decoded.misfits, decoded.guessed) == ("utf-8", 1, False)


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


def test_what_steers_a_terminal_or_a_printer_is_left_out():
    assert clean("\x1b[1;31mERROR\x1b[0m \x1b]0;title\x07no \x1b]8;;u\x1b\\disk\x1b(B\x7f") == "ERROR no disk"
    assert clean("N\bNA\bAM\bME\bE\n  _\bl_\bs - list") == "NAME\n  ls - list"
    assert clean("end of one page\n\x0c\nfield\x0bfield\x01") == "end of one page\n \nfield field"
    assert clean("no end: \x1b]0;title\nkept \x1b[") == "no end: ]0;title\nkept ["


@given(st.binary(max_size=400), st.none() | st.text(max_size=40))
def test_decoding_never_raises_and_gives_storable_text(data, content_type):
    text = decode(data, content_type).text
    text.encode("utf-8")
    assert not any(ord(char) < 32 and char not in "\t\n" for char in text)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=200))
def test_utf_8_survives(text):
    assert decode(text.encode()).text == text.removeprefix("\ufeff")
