"""Books are read in order, with their table of contents as the outline."""

import pytest
from reading.formats.office.made_office import made_epub

from limen.core.fault import ToolFault
from limen.reading import read

NAV = (
    '<html><body><nav epub:type="landmarks"><ol><li><a href="one.xhtml">Cover</a></li></ol></nav><nav epub:type="toc"><ol>'
    '<li><a href="one.xhtml">First chapter</a><ol><li><a href="one.xhtml#part">A part</a></li></ol></li>'
    '<li><a href="two%20b.xhtml">Second</a></li><li><a href="gone.xhtml">Gone</a></li></ol></nav></body></html>'
)
NCX = (
    '<ncx><navMap><navPoint><navLabel><text>Old one</text></navLabel><content src="one.xhtml"/><navPoint>'
    '<navLabel><text>Inner</text></navLabel><content src="one.xhtml#part"/></navPoint></navPoint></navMap></ncx>'
)
LINKS = '<a href="two%20b.xhtml#n1">note</a>, <a href="https://e.example/">out</a>'
ONE = f'<h1>One</h1><p>Words.</p><h2 id="part">Part</h2><p>More {LINKS}.</p>'
TWO = '<h1>Two</h1><p id="n1">A note <img src="p.png" alt="A plan"/><img src="q.png"/> <a href="missing.html">lost</a>.</p>'


def book(**more):
    return made_epub({"one.xhtml": ONE, "two b.xhtml": TWO}, **more)


def test_chapters_come_in_reading_order_and_links_lead_within_the_text():
    metadata = (
        "<title>Small book</title><creator>Ada</creator><creator>Bo</creator><date>2020-05-01</date><language>en</language>"
    )
    page = read(book(metadata=metadata), "https://e.example/b.epub")
    assert page.text == (
        "# One\n\nWords.\n\n## Part\n\nMore [note](#n1), [out](https://e.example/).\n\n# Two\n\nA note [IMAGE: A plan] lost."
    )
    assert (page.title, page.author, page.published, page.language) == ("Small book", "Ada, Bo", "2020-05-01", "en")
    assert [link.url for link in page.links] == ["https://e.example/"]
    assert page.dropped == {"image": 1}
    assert page.media_type == "application/epub+zip"


def test_a_link_to_no_address_is_no_reason_to_lose_a_book():
    assert "Words" in read(made_epub({"one.xhtml": '<p>Words <a href="http://[x#y">here</a>.</p>'})).text


def test_the_outline_is_the_table_of_contents():
    page = read(book(parts={"OPS/nav.xhtml": NAV}))
    lines = page.text.split("\n")
    assert [(head.level, head.text, lines[head.line - 1]) for head in page.outline] == [
        (1, "First chapter", "# One"), (2, "A part", "## Part"), (1, "Second", "# Two"),
    ]  # fmt: skip
    older = read(book(parts={"OPS/toc.ncx": NCX}))
    assert [(head.level, head.text, head.line) for head in older.outline] == [(1, "Old one", 1), (2, "Inner", 5)]


def test_without_one_the_outline_is_the_headings():
    assert [head.text for head in read(book()).outline] == ["One", "Part", "Two"]


def test_the_notes_of_chapters_are_counted_through():
    noted = '<p>A<sup><a href="#f1" role="doc-noteref">1</a></sup></p><aside id="f1" epub:type="footnote"><p>Note {}.</p></aside>'
    text = read(made_epub({"a.xhtml": noted.format("one"), "b.xhtml": noted.format("two")})).text
    assert ("[^1]: Note one." in text) == ("[^2]: Note two." in text)


def test_signs_of_our_own_cannot_be_smuggled_in():
    text = read(made_epub({"a.xhtml": "<p>a &#xFDD6;*x*&#64983; b</p>"})).text
    assert not any(0xFDD0 <= ord(char) < 0xFDF0 for char in text)
    assert "\ufffd" in text


def test_other_formats():
    assert read(book(), page_format="text").text.startswith("One\n\nWords.")
    assert "<h1>One</h1>" in read(book(), page_format="html").text


@pytest.mark.parametrize(
    ("method", "locked"),
    [("http://www.idpf.org/2008/embedding", False), ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", True)],
)
def test_a_locked_book_says_so_and_scrambled_fonts_lock_nothing(method, locked):
    parts = {"META-INF/encryption.xml": f'<e><EncryptedData><EncryptionMethod Algorithm="{method}"/></EncryptedData></e>'}
    if not locked:
        assert read(book(parts=parts)).text.startswith("# One")
        return
    with pytest.raises(ToolFault) as caught:
        read(book(parts=parts))
    assert caught.value.code == "reading.encrypted"


def test_a_book_that_names_no_content_is_damaged():
    with pytest.raises(ToolFault) as caught:
        read(made_epub({}, parts={"META-INF/container.xml": "<container/>"}))
    assert caught.value.code == "reading.damaged"


def test_a_book_beyond_reason_is_read_as_far_as_a_page_may_go():
    long = {f"{n}.xhtml": f"<p>{n}</p><!--{'x' * 9_000_000}-->" for n in range(4)}
    page = read(made_epub(long))
    assert page.text == "0\n\n1"
    assert page.notices == ("Of 4 chapters the last 2 are left out: the book is too long.",)
