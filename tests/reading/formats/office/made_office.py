"""Small office documents, written by hand: no more of a format than a test looks at."""

import io
import zipfile

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
XR = f'xmlns:r="{R}"'
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
ODF = " ".join(
    f'xmlns:{name}="{_ODF}{name}:1.0"' for name in ("office", "text", "table", "style", "draw", "presentation", "number")
)
ODF += f' xmlns:fo="{_ODF}xsl-fo-compatible:1.0" xmlns:svg="{_ODF}svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"'
ODF += ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"'
CORE = (
    '<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="urn:dc" xmlns:dcterms="urn:dt"><dc:title>Tariff</dc:title>'
    "<dc:creator>Ada Quill</dc:creator><dcterms:created>2026-03-01T12:00:00Z</dcterms:created></cp:coreProperties>"
)


def zipped(parts: dict[str, str | bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packing) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def relations(*entries: tuple[str, str, str]) -> str:
    """Relations of id, kind and target; an address leads outside."""
    mode = ' TargetMode="External"'
    made = (
        f'<Relationship Id="{name}" Type="{R}/{kind}" Target="{target}"{mode if ":" in target else ""}/>'
        for name, kind, target in entries
    )
    return f"<Relationships>{''.join(made)}</Relationships>"


def made_docx(body: str, parts: dict[str, str] | None = None, links: tuple[tuple[str, str, str], ...] = ()) -> bytes:
    """A Word document; `parts` are further ones below `word/`, each related by the first word of its name."""
    parts = parts or {}
    related = relations(*((f"p{n}", name.partition(".")[0], name) for n, name in enumerate(parts)), *links)
    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "docProps/core.xml": CORE,
            "word/document.xml": f"<w:document {W} {XR} {M}><w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": related,
            **{f"word/{name}": content for name, content in parts.items()},
        }
    )


def p(text: str, style: str = "", extra: str = "") -> str:
    """A paragraph of Word; `extra` stands among its properties."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{extra}</w:pPr>{run(text)}</w:p>"


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def made_xlsx(
    sheets: dict[str, str], *, states: dict[str, str] | None = None, parts: dict[str, str] | None = None, **more: str
) -> bytes:
    """A workbook of sheets as what stands in `<worksheet>`; `more` are `strings` and `styles`."""
    names = {name: f"worksheets/sheet{n}.xml" for n, name in enumerate(sheets, 1)}
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="s{n}" state="{(states or {}).get(name, "visible")}"/>'
        for n, name in enumerate(sheets, 1)
    )
    related = [(f"s{n}", "worksheet", target) for n, target in enumerate(names.values(), 1)]
    related += [("st", "styles", "styles.xml"), ("ss", "sharedStrings", "sharedStrings.xml")]
    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "docProps/core.xml": CORE,
            "xl/workbook.xml": f"<workbook {XR}><sheets>{listed}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": relations(*related),
            "xl/styles.xml": more.get("styles", "<styleSheet/>"),
            "xl/sharedStrings.xml": f"<sst>{more.get('strings', '')}</sst>",
            **{f"xl/{names[name]}": f"<worksheet {XR}>{content}</worksheet>" for name, content in sheets.items()},
            **(parts or {}),
        }
    )


def rows(*lines: str) -> str:
    """A sheet's rows of cells, each written as `kind:value` or a number: `s:0`, `str:text`, `3.5`."""
    made = []
    for number, line in enumerate(lines, 1):
        cells = []
        for column, cell in zip("ABCDEFGH", line.split("|"), strict=False):
            kind, _, value = cell.rpartition(":")
            if value:
                cells.append(f'<c r="{column}{number}" t="{kind or "n"}"><v>{value}</v></c>')
        made.append(f'<row r="{number}">{"".join(cells)}</row>' if cells else "")
    return f"<sheetData>{''.join(made)}</sheetData>"


def made_pptx(*slides: str, parts: dict[str, str] | None = None, links: tuple[tuple[str, str, str], ...] = ()) -> bytes:
    """A presentation; a slide is what stands in its `<p:spTree>`, behind `!` a hidden one, and each has the same `links`."""
    listed = "".join(f'<p:sldId id="{256 + n}" r:id="s{n}"/>' for n in range(len(slides)))
    names, hidden = 'xmlns:p="urn:p" xmlns:a="urn:a" xmlns:c="urn:c"', 'show="0"'
    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "docProps/core.xml": CORE,
            "ppt/presentation.xml": f"<p:presentation {names} {XR}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": relations(
                *((f"s{n}", "slide", f"slides/slide{n}.xml") for n in range(len(slides)))
            ),
            **{
                f"ppt/slides/slide{n}.xml": f"<p:sld {names} {XR} {hidden if slide.startswith('!') else ''}><p:cSld>"
                f"<p:spTree>{slide.removeprefix('!')}</p:spTree></p:cSld></p:sld>"
                for n, slide in enumerate(slides)
            },
            **{f"ppt/slides/_rels/slide{n}.xml.rels": relations(*links) for n in range(len(slides))},
            **{name: content.replace("NAMES", names) for name, content in (parts or {}).items()},
        }
    )


def shape(*paragraphs: str, kind: str | None = None) -> str:
    """A shape of a slide; `kind` is that of its placeholder, empty for one without a kind of its own."""
    held = "" if kind is None else f'<p:ph type="{kind}"/>' if kind else '<p:ph idx="1"/>'
    made = "".join(one if one.startswith("<") else f"<a:p><a:r><a:t>{one}</a:t></a:r></a:p>" for one in paragraphs)
    return f"<p:sp><p:nvSpPr><p:nvPr>{held}</p:nvPr></p:nvSpPr><p:txBody>{made}</p:txBody></p:sp>"


def made_odf(kind: str, body: str, styles: str = "", parts: dict[str, str] | None = None) -> bytes:
    """An OpenDocument file of a kind: text, spreadsheet, presentation."""
    content = f"<office:document-content {ODF}><office:automatic-styles>{styles}</office:automatic-styles><office:body>"
    meta = (
        f"<office:document-meta {ODF}><office:meta><dc:title>Tariff</dc:title>"
        "<meta:initial-creator>Ada Quill</meta:initial-creator><meta:creation-date>2026-03-01T12:00:00</meta:creation-date>"
        "</office:meta></office:document-meta>"
    )
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"{content}<office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
            "meta.xml": meta,
            **(parts or {}),
        },
        zipfile.ZIP_STORED,
    )


def made_epub(
    chapters: dict[str, str], *, spine: str = "", metadata: str = "<title>Small book</title>", parts: dict[str, str] | None = None
) -> bytes:
    """A book of XHTML bodies by file name; `parts` with their ids `nav` and `ncx` are its tables of contents."""
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in chapters)
    items += (
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        if "OPS/nav.xhtml" in (parts or {})
        else ""
    )
    items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' if "OPS/toc.ncx" in (parts or {}) else ""
    order = "".join(f'<itemref idref="{name}"/>' for name in (spine.split() or chapters))
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
            "OPS/book.opf": f"<package><metadata>{metadata}</metadata><manifest>{items}</manifest>"
            f"<spine>{order}</spine></package>",
            **{f"OPS/{name}": f"<html><head><title/></head><body>{body}</body></html>" for name, body in chapters.items()},
            **(parts or {}),
        },
        zipfile.ZIP_STORED,
    )
