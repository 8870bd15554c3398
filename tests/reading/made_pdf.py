"""PDFs made for tests, by hand: pages of text, of pictures, with fonts that map to nothing, locked, cut off."""

_CMAP = (
    b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def "
    b"1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <20> <7E> <E020> endbfrange endcmap end end"
)
_PICTURE = b"q 200 0 0 200 72 500 cm BI /W 2 /H 2 /CS /G /BPC 8 ID \x00\x7f\xff\x20 EI Q"


def made_pdf(*pages, title="", private_use=False, locked=False, bookmarks=()):
    """A PDF with one page for each of `pages`: lines of text, or an empty text for a picture alone."""
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica" + (b" /ToUnicode 4 0 R >>" if private_use else b" >>")
    objects = {3: font, 4: _stream(_CMAP), 5: b"<< /Title (" + _escaped(title) + b") >>"}
    kids = []
    for index, text in enumerate(pages):
        number = 10 + 2 * index
        kids.append(f"{number} 0 R")
        objects[number + 1] = _stream(_drawn(text) if text else _PICTURE)
        objects[number] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>"
            % (number + 1)
        )
    objects[2] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    objects[1] = b"<< /Type /Catalog /Pages 2 0 R" + (b" /Outlines 6 0 R >>" if bookmarks else b" >>")
    _outline(objects, bookmarks)
    locked_by = b" /ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (b"11" * 32, b"22" * 32)
    return _file(objects, locked_by if locked else b"")


def _outline(objects, bookmarks):
    first = 1_000
    for index, (text, page) in enumerate(bookmarks):
        after = f" /Next {first + index + 1} 0 R" if index + 1 < len(bookmarks) else ""
        objects[first + index] = (
            b"<< /Title (" + _escaped(text) + f") /Parent 6 0 R /Dest [{10 + 2 * page} 0 R /Fit]{after} >>".encode()
        )
    if bookmarks:
        last = first + len(bookmarks) - 1
        objects[6] = f"<< /Type /Outlines /First {first} 0 R /Last {last} 0 R /Count {len(bookmarks)} >>".encode()


def _drawn(text):
    lines = b" ".join(b"(" + _escaped(line) + b") Tj 0 -14 Td" for line in text.split("\n"))
    return b"BT /F1 12 Tf 72 720 Td " + lines + b" ET"


def _escaped(text):
    return text.encode("latin-1").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _stream(data):
    return b"<< /Length %d >>\nstream\n" % len(data) + data + b"\nendstream"


def _file(objects, more):
    out, places = bytearray(b"%PDF-1.7\n"), {}
    for number in sorted(objects):
        places[number] = len(out)
        out += b"%d 0 obj\n" % number + objects[number] + b"\nendobj\n"
    start, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n" % size
    for number in range(size):
        out += b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 65535 f \n"
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R" % size + more + b" >>\nstartxref\n%d\n%%%%EOF\n" % start
    return bytes(out)
