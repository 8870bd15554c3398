"""What is not read as it is names the command that makes a readable file of it."""

import pytest
from reading.formats.office.made_office import zipped

from limen.core.fault import ToolFault
from limen.reading import read

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


SAVE = "curl -fL -o {0} https://e.example/{0} && "


@pytest.mark.parametrize(
    ("stream", "url", "mend"),
    [
        (
            "WordDocument",
            "https://e.example/a.doc",
            SAVE.format("a.doc") + "soffice --headless --convert-to docx a.doc && {}a.docx",
        ),
        (
            "Workbook",
            "file:///home/it%27s%20b.xls",
            "soffice --headless --convert-to xlsx '/home/it'\"'\"'s b.xls' && {}'it'\"'\"'s b.xlsx'",
        ),
        ("PowerPoint Document", "", "soffice --headless --convert-to pptx FILE.ppt && {}FILE.pptx"),
        (zipped({"xl/workbook.bin": b""}), "a.xlsb", "soffice --headless --convert-to xlsx a.xlsb && {}a.xlsx"),
        ("__substg1.0_", "a.msg", "msgconvert a.msg && {}a.eml"),
        (b"AT&TFORM" + bytes(40), "a.djvu", "djvutxt a.djvu a.txt && {}a.txt"),
        (bytes(60) + b"BOOKMOBI" + bytes(40), "a.mobi", "ebook-convert a.mobi a.epub && {}a.epub"),
    ],
)
def test_older_documents_are_refused_with_what_converts_them(stream, url, mend):
    with pytest.raises(ToolFault) as caught:
        read(OLE + stream.encode("utf-16-le") if isinstance(stream, str) else stream, url)
    assert caught.value.code == "reading.unsupported"
    assert caught.value.mend == mend.format("limen library add ")


def test_an_encrypted_office_document_says_so():
    with pytest.raises(ToolFault) as caught:
        read(OLE + "EncryptedPackage".encode("utf-16-le"), "a.docx")
    assert caught.value.code == "reading.encrypted"
    assert "password" in caught.value.reason


def test_what_nobody_knows_holds_no_text():
    with pytest.raises(ToolFault) as caught:
        read(bytes(range(256)) * 8)
    assert caught.value.code == "reading.binary"
