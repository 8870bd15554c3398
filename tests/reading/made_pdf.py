"""PDFs made for tests, by hand: pages of text in their places, of pictures, with links, fields, marks; locked, cut off.

A page is its lines as one text, from the top left, or a list of places: `(x, y, text)`, perhaps with a size and a font of
`FONTS`. An empty text makes a page with a picture alone.
"""

import zlib
from itertools import pairwise

FONTS = {"plain": (b"F1", b"Helvetica"), "bold": (b"F2", b"Helvetica-Bold"), "code": (b"F3", b"Courier")}
_CMAP = (
    b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def "
    b"1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <20> <7E> <E020> endbfrange endcmap end end"
)
_PICTURE = b"q 200 0 0 200 72 500 cm BI /W 2 /H 2 /CS /G /BPC 8 ID \x00\x7f\xff\x20 EI Q"
_ATTACHED = 900


def made_pdf(*pages, title="", private_use=False, locked=False, bookmarks=(), turned=0, links=(), catalog=b"", more=None):
    """A PDF with one page for each of `pages`.

    `bookmarks` are `(title, page)`, perhaps with a level; `links` are `(page, (left, low, right, high), url)`; `turned` is the
    pages' own rotation; `catalog` and the objects `more` are added as they are.
    """
    font = b"<< /Type /Font /Subtype /Type1 /Encoding /WinAnsiEncoding /BaseFont /%s" + (
        b" /ToUnicode 4 0 R >>" if private_use else b" >>"
    )
    objects = {3: font % b"Helvetica", 4: stream(_CMAP), 5: b"<< /Title (" + _escaped(title) + b") >>"}
    objects |= {7: font % b"Helvetica-Bold", 8: font % b"Courier"}
    kids = []
    for index, page in enumerate(pages):
        number = 10 + 2 * index
        kids.append(f"{number} 0 R")
        objects[number + 1] = stream(_drawn(page) if page else _PICTURE)
        objects[number] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Rotate %d "
            b"/Resources << /Font << /F1 3 0 R /F2 7 0 R /F3 8 0 R >> >> /Contents %d 0 R /Annots [%s] >>"
            % (turned, number + 1, b" ".join(_link(rect, url) for at, rect, url in links if at == index))
        )
    objects[2] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    outlines = b" /Outlines 6 0 R" if bookmarks else b""
    objects[1] = b"<< /Type /Catalog /Pages 2 0 R" + outlines + b" " + catalog + b" >>"
    _outline(objects, [(*mark, 1)[:3] for mark in bookmarks])
    locked_by = b" /ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (b"11" * 32, b"22" * 32)
    return _file(objects | (more or {}), locked_by if locked else b"")


def attached(name):
    """A catalog entry and objects that make a PDF carry a file."""
    names = b"/Names << /EmbeddedFiles << /Names [(%s) %d 0 R] >> >>" % (name, _ATTACHED)
    spec = b"<< /Type /Filespec /F (%s) /UF (%s) /EF << /F %d 0 R >> >>" % (name, name, _ATTACHED + 1)
    return names, {_ATTACHED: spec, _ATTACHED + 1: stream(b"inside")}


def packed_bomb(part, times, head=b""):
    """`head` and as often `part`, deflated to next to nothing."""
    squeezed = zlib.compressobj(9)
    begun = squeezed.compress(head) + squeezed.flush(zlib.Z_FULL_FLUSH)
    one = squeezed.compress(part) + squeezed.flush(zlib.Z_FULL_FLUSH)
    # Adler-32 of it all is left out: readers of PDFs do not look.
    return begun + one * times + squeezed.flush()


def column(x, top, lines, size=10, font="plain"):
    """Lines under each other, for a page."""
    return [(x, top - index * size * 1.2, line, size, font) for index, line in enumerate(lines)]


def _link(rect, url):
    place = b" ".join(b"%d" % side for side in rect)
    return b"<< /Type /Annot /Subtype /Link /Rect [%s] /A << /S /URI /URI (%s) >> >>" % (place, _escaped(url))


def _outline(objects, bookmarks):
    """Bookmarks in one row, whatever their level, as siblings; deeper ones hang below the one before them."""
    first, after, last_of = 1_000, {}, {0: 6}
    children = {}
    for index, (_, _, level) in enumerate(bookmarks):
        parent = last_of[level - 1]
        children.setdefault(parent, []).append(first + index)
        last_of[level] = first + index
    for siblings in children.values():
        after |= dict(pairwise(siblings))
    parents = {child: parent for parent, siblings in children.items() for child in siblings}
    for index, (text, page, _) in enumerate(bookmarks):
        number = first + index
        more = f" /Next {after[number]} 0 R" if number in after else ""
        if number in children:
            more += f" /First {children[number][0]} 0 R /Last {children[number][-1]} 0 R /Count {len(children[number])}"
        place = f") /Parent {parents[number]} 0 R /Dest [{10 + 2 * page} 0 R /Fit]{more} >>".encode()
        objects[number] = b"<< /Title (" + _escaped(text) + place
    if bookmarks:
        top = children[6]
        objects[6] = f"<< /Type /Outlines /First {top[0]} 0 R /Last {top[-1]} 0 R /Count {len(top)} >>".encode()


def _drawn(page):
    if not isinstance(page, str):
        return b"\n".join(_placed(*item) for item in page)
    lines = b" ".join(b"(" + _escaped(line) + b") Tj 0 -14 Td" for line in page.split("\n"))
    return b"BT /F1 12 Tf 72 720 Td " + lines + b" ET"


def _placed(x, y, text, size=10, font="plain", turn=b"1 0 0 1"):
    return b"BT /%s %g Tf %s %g %g Tm (%s) Tj ET" % (FONTS[font][0], size, turn, x, y, _escaped(text))


def _escaped(text):
    return text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def stream(data, more=b""):
    return b"<< /Length %d %s >>\nstream\n" % (len(data), more) + data + b"\nendstream"


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
