"""Word documents become Markdown with the structure that their styles and numbers give them."""

import pytest
from reading.formats.office.made_office import W, made_docx, p, run

from limen.core.fault import ToolFault
from limen.reading import read

STYLES = f"""<w:styles {W}>
<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Chapter"/><w:basedOn w:val="H2"/></w:style>
<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="x"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="LB"><w:name w:val="List Bullet"/>
<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="LB2"><w:name w:val="List Bullet 2"/><w:basedOn w:val="LB"/></w:style>
<w:style w:type="paragraph" w:styleId="Q"><w:name w:val="Intense Quote"/></w:style>
<w:style w:type="paragraph" w:styleId="C"><w:name w:val="HTML Preformatted"/></w:style>
<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="character" w:styleId="CC"><w:name w:val="HTML Code"/></w:style>
<w:style w:type="paragraph" w:styleId="A"><w:name w:val="a"/><w:basedOn w:val="B"/></w:style>
<w:style w:type="paragraph" w:styleId="B"><w:name w:val="b"/><w:basedOn w:val="A"/></w:style>
</w:styles>"""


def level(number, form, text, start=1):
    return f'<w:lvl w:ilvl="{number}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'


NUMBERING = f"""<w:numbering {W}>
<w:abstractNum w:abstractNumId="0">{level(0, "bullet", "•")}{level(1, "bullet", "o")}</w:abstractNum>
<w:abstractNum w:abstractNumId="1">{level(0, "decimal", "%1.")}{level(1, "lowerLetter", "(%2)")}</w:abstractNum>
<w:abstractNum w:abstractNumId="2">{level(0, "upperRoman", "%1.")}{level(1, "decimal", "%1.%2", 3)}</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>
</w:numbering>"""


def text_of(body, parts=None, links=()):
    return read(made_docx(body, {"styles.xml": STYLES, "numbering.xml": NUMBERING, **(parts or {})}, links)).text


def item(text, list_id, depth=0):
    return p(text, extra=f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{list_id}"/></w:numPr>')


def test_a_document_says_who_wrote_it_and_its_headings_are_the_outline():
    page = read(made_docx(p("Rules", "T") + p("Scope", "H1") + p("Deep", "Own") + p("Text."), {"styles.xml": STYLES}), "a.docx")
    assert page.text == "# Rules\n\n## Scope\n\n### Deep\n\nText."
    assert [(head.level, head.text, head.line) for head in page.outline] == [(1, "Rules", 1), (2, "Scope", 3), (3, "Deep", 5)]
    assert (page.title, page.author, page.published) == ("Tariff", "Ada Quill", "2026-03-01T12:00:00Z")
    assert page.media_type.endswith("wordprocessingml.document")


def test_without_a_title_of_its_own_headings_keep_their_level():
    assert text_of(p("Scope", "H1") + p("Deep", "H2")) == "# Scope\n\n## Deep"


def test_lists_are_nested_by_level_and_by_style():
    body = item("one", 1) + item("inner", 1, 1) + item("two", 1) + p("Rest.") + p("a", "LB") + p("b", "LB2")
    assert text_of(body) == "- one\n  - inner\n- two\n\nRest.\n\n- a\n  - b"


def test_numbers_go_on_behind_what_interrupts_them_and_begin_anew_where_they_should():
    body = item("one", 2) + item("two", 2) + p("Between.") + item("three", 2) + p("Between.") + item("seven", 4)
    assert text_of(body) == "1. one\n2. two\n\nBetween.\n\n3. three\n\nBetween.\n\n7. seven"


def test_numbers_that_markdown_cannot_write_stand_as_they_are():
    body = item("top", 3) + item("deep", 3, 1) + item("deeper", 3, 1) + item("next", 3) + item("again", 3, 1)
    assert text_of(body) == "- I. top\n  - I.3 deep\n  - I.4 deeper\n- II. next\n  - II.3 again"
    assert text_of(item("a", 2) + item("b", 2, 1)) == "1. a\n   - (a) b"


def test_a_numbered_heading_says_its_number():
    heading = p("Scope", "H1", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="3"/></w:numPr>')
    assert text_of(heading) == "# I. Scope"


def test_marks_are_joined_over_runs():
    off, code = '<w:i w:val="0"/>', '<w:rStyle w:val="CC"/>'
    words = run("a ") + run("bo", "<w:b/>") + run("ld", "<w:b/>") + run(" ", "<w:b/>") + run("x", off)
    assert text_of(f"<w:p>{words}</w:p>") == "a **bold** x"
    assert text_of(f"<w:p>{run('f()', code)}</w:p>") == "`f()`"


def test_what_was_inserted_stays_and_what_was_deleted_or_hidden_goes():
    body = (
        f"<w:p>{run('a')}<w:ins>{run('b')}</w:ins><w:del><w:r><w:delText>c</w:delText></w:r></w:del>"
        f"<w:moveFrom>{run('d')}</w:moveFrom><w:moveTo>{run('e')}</w:moveTo>{run('f', '<w:vanish/>')}</w:p>"
    )
    page = read(made_docx(body))
    assert page.text == "abe"
    assert page.dropped == {"hidden text": 1}


def test_a_blank_bullet_goes_on_with_the_entry_before_it():
    lists = NUMBERING.replace("</w:numbering>", "") + (
        f'<w:abstractNum w:abstractNumId="9">{level(0, "bullet", " ")}</w:abstractNum>'
        '<w:num w:numId="9"><w:abstractNumId w:val="9"/></w:num></w:numbering>'
    )
    text = text_of(item("one", 2) + item("more of it", 9) + item("two", 2), {"numbering.xml": lists})
    assert text == "1. one\n\n   more of it\n\n2. two"


def test_a_note_of_two_paragraphs_begins_at_its_sign_and_a_bookmark_names_the_next_heading():
    footnotes = f'<w:footnotes {W}><w:footnote w:id="2">{p("One.")}{p("Two.")}</w:footnote></w:footnotes>'
    body = '<w:bookmarkStart w:name="here"/>' + p("Place", "H1") + '<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    page = read(made_docx(body, {"styles.xml": STYLES, "footnotes.xml": footnotes}))
    assert page.text == "# Place\n\n[^1]\n\n[^1]: One.\n\nTwo."
    assert page.outline[0].anchor == "here"


def test_links_lead_outside_and_within():
    body = (
        f'<w:p><w:hyperlink r:id="x">{run("out")}</w:hyperlink>{run(" ")}<w:hyperlink w:anchor="here">{run("in")}</w:hyperlink>'
        f'</w:p><w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr><w:bookmarkStart w:name="here"/>{run("Place")}</w:p>'
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        '<w:r><w:instrText> HYPERLINK "https://f.example/" </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        f'{run("field")}<w:r><w:fldChar w:fldCharType="end"/></w:r>{run(" on")}</w:p>'
    )
    page = read(made_docx(body, {"styles.xml": STYLES}, (("x", "hyperlink", "https://e.example/a"),)))
    assert page.text == "[out](https://e.example/a) [in](#here)\n\n# Place\n\n[field](https://f.example/) on"
    assert [link.url for link in page.links] == ["https://e.example/a", "https://f.example/"]
    assert page.outline[0].anchor == "here"


def cell(text, properties=""):
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(text)}</w:tc>"


def test_a_table_keeps_its_columns_where_cells_are_merged():
    down, goes_on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    body = (
        f"<w:tbl><w:tr>{cell('a')}{cell('b')}{cell('c')}</w:tr>"
        f"<w:tr>{cell('wide', '<w:gridSpan w:val=' + chr(34) + '2' + chr(34) + '/>')}{cell('tall', down)}</w:tr>"
        f"<w:tr>{cell('x')}{cell('y|z')}{cell('', goes_on)}</w:tr><w:tr><w:trPr><w:del/></w:trPr>{cell('gone')}</w:tr></w:tbl>"
    )
    lines = text_of(body).split("\n")
    assert lines[0] == "| a | b | c |"
    assert lines[2].startswith("| wide |")
    assert lines[2].endswith("| tall |")
    assert [line.replace("\\|", "").count("|") for line in lines] == [4, 4, 4, 4]
    assert lines[3].startswith("| x | y\\|z |")


def test_a_box_drawn_as_a_table_is_its_text():
    assert text_of(f"<w:tbl><w:tr>{cell('Mind the step.')}</w:tr></w:tbl>") == "Mind the step."


def test_notes_and_comments_stand_at_the_end():
    footnotes = f'<w:footnotes {W}><w:footnote w:id="2">{p("The note.")}</w:footnote></w:footnotes>'
    endnotes = f'<w:endnotes {W}><w:endnote w:id="2">{p("The end.")}</w:endnote></w:endnotes>'
    comments = (
        f'<w:comments {W}><w:comment w:id="0" w:author="Cy" w:date="2026-02-01T10:00:00Z">{p("Check.")}</w:comment></w:comments>'
    )
    body = (
        f'<w:p>{run("A")}<w:r><w:footnoteReference w:id="2"/></w:r>{run(" b")}<w:r><w:endnoteReference w:id="2"/></w:r>'
        '<w:r><w:commentReference w:id="0"/></w:r><w:r><w:footnoteReference w:id="99"/></w:r></w:p>'
    )
    parts = {"footnotes.xml": footnotes, "endnotes.xml": endnotes, "comments.xml": comments}
    assert (
        text_of(body, parts)
        == "A[^1] b[^2][^c1]\n\n[^1]: The note.\n\n[^2]: The end.\n\n[^c1]: Comment by Cy, 2026-02-01: Check."
    )


def test_quotes_listings_and_pictures():
    drawing = '<w:p><w:r><w:drawing><docPr descr="A plan of the meter"/></w:drawing></w:r></w:p>'
    body = p("Said.", "Q") + p("a  = 1", "C") + p("b", "C") + drawing + drawing.replace("A plan of the meter", "")
    page = read(made_docx(body, {"styles.xml": STYLES}))
    assert page.text == "> Said.\n\n```\na  = 1\nb\n```\n\n[IMAGE: A plan of the meter]"
    assert page.dropped == {"image": 1}


def test_a_text_box_is_read_once():
    box = f"<wps:txbx><w:txbxContent>{p('In the box')}</w:txbxContent></wps:txbx>"
    body = (
        "<w:p><w:r><mc:AlternateContent xmlns:mc='urn:mc' xmlns:wps='urn:w'>"
        f"<mc:Choice><w:drawing>{box}</w:drawing></mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback>"
        f"</mc:AlternateContent></w:r>{run('Around it')}</w:p>"
    )
    assert text_of(body) == "Around it\n\nIn the box"


def test_the_table_of_contents_is_left_to_the_outline():
    named = '<w:sdtPr><w:docPartGallery w:val="Table of Contents"/></w:sdtPr>'
    held = f"<w:sdt>{named}<w:sdtContent>{p('One 1')}</w:sdtContent></w:sdt>"
    page = read(made_docx(held + p("Two 2", "TOC1") + p("Text."), {"styles.xml": STYLES}))
    assert page.text == "Text."
    assert page.dropped == {"table of contents": 2}


@pytest.mark.parametrize(
    ("omml", "tex"),
    [
        ("<m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f>", r"\frac{a}{b}"),
        ("<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>", "x^2"),
        ("<m:rad><m:deg/><m:e><m:r><m:t>x_1</m:t></m:r></m:e></m:rad>", r"\sqrt{x\_1}"),
        (
            '<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>i</m:t></m:r></m:sub><m:sup/>'
            "<m:e><m:r><m:t>i</m:t></m:r></m:e></m:nary>",
            r"\sum_i i",
        ),
        ('<m:d><m:dPr><m:begChr m:val="["/></m:dPr><m:e><m:r><m:t>a</m:t></m:r></m:e></m:d>', r"\left[a\right)"),
        ("<m:m><m:mr><m:e><m:r><m:t>1</m:t></m:r></m:e><m:e/></m:mr><m:mr><m:e><m:r><m:t>2</m:t></m:r></m:e></m:mr></m:m>",
         r"\begin{matrix}1 &  \\ 2\end{matrix}".replace("&  ", "& ")),
        ("<m:func><m:fName><m:r><m:t>sin</m:t></m:r></m:fName><m:e><m:r><m:t>x</m:t></m:r></m:e></m:func>", r"\sin x"),
        ('<m:acc><m:accPr><m:chr m:val="&#x20d7;"/></m:accPr><m:e><m:r><m:t>v</m:t></m:r></m:e></m:acc>', r"\vec{v}"),
    ],
)  # fmt: skip
def test_formulas_are_tex(omml, tex):
    assert text_of(f"<w:p>{run('So ')}<m:oMath>{omml}</m:oMath></w:p>") == f"So ${tex}$"


def test_signs_of_our_own_cannot_be_smuggled_in():
    assert "\ufdd6" not in text_of(p("a &#xFDD6;[x]&#xFDD7; b"))
    assert text_of(p("&lt;script&gt; a &amp;")) == r"\<script> a &"


def test_styles_in_a_circle_end():
    assert text_of(p("x", "A")) == "x"


@pytest.mark.parametrize("tags", ["tbl tr tc", "sdt sdtContent", "p ins", "p r drawing"])
def test_what_is_nested_beyond_reason_is_refused(tags):
    first, *names = tags.split()
    opened, closed = "".join(f"<w:{name}>" for name in names), "".join(f"</w:{name}>" for name in reversed(names))
    if first != "p":
        opened, closed, first = f"<w:{first}>{opened}", f"{closed}</w:{first}>", "sdt"
    with pytest.raises(ToolFault) as caught:
        read(made_docx(f"<w:{first}>{opened * 9_000}{run('x')}{closed * 9_000}</w:{first}>"))
    assert caught.value.code == "reading.damaged"
    assert "nested" in caught.value.reason


def test_the_format_that_was_asked_for_is_written():
    data = made_docx(p("Scope", "H1") + f"<w:p>{run('bold', '<w:b/>')}</w:p>", {"styles.xml": STYLES})
    assert read(data, page_format="text").text == "Scope\n\nbold"
    assert "<h1>Scope</h1><p><strong>bold</strong></p>" in read(data, page_format="html").text
