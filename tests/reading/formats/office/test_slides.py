"""Presentations become a section a slide."""

from reading.formats.office.made_office import made_pptx, shape

from limen.reading import read

TITLE = shape("Points", kind="title")


def para(text, properties="", level=0):
    return f'<a:p><a:pPr lvl="{level}">{properties}</a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>'


def test_slides_have_their_titles_and_nested_points():
    body = shape(para("One"), para("Nested", level=1), para("Two"), kind="")
    page = read(
        made_pptx(shape("In the body", kind="subTitle") + shape("Opening", kind="ctrTitle"), TITLE + body, shape("No title"))
    )
    assert page.text == (
        "## Slide 1: Opening\n\nIn the body\n\n## Slide 2: Points\n\n- One\n  - Nested\n- Two\n\n## Slide 3\n\nNo title"
    )
    assert [(head.text, head.anchor) for head in page.outline][1] == ("Slide 2: Points", "slide=2")
    assert (page.title, page.author) == ("Tariff", "Ada Quill")


def test_a_point_says_itself_whether_it_has_a_bullet_or_a_number():
    numbered = "<a:buAutoNum type='arabicPeriod' startAt='3'/>"
    body = shape(para("three", numbered), para("four", numbered), para("plain", "<a:buNone/>"), para("dot", "<a:buChar/>"))
    assert read(made_pptx(body)).text == "## Slide 1\n\n3. three\n4. four\n\nplain\n\n- dot"


def test_hidden_slides_and_what_repeats_on_each_are_left_out():
    page = read(made_pptx(shape("seen") + shape("12", kind="sldNum") + shape("Imprint", kind="ftr"), "!" + shape("unseen")))
    assert page.text == "## Slide 1\n\nseen"
    assert page.notices == ("Hidden slides, left out: 2.",)
    assert page.dropped == {"hidden slide": 1}


def test_marks_and_links():
    marked = '<a:p><a:r><a:rPr b="1"><a:hlinkClick r:id="x"/></a:rPr><a:t>bold</a:t></a:r><a:br/><a:r><a:t>next</a:t></a:r></a:p>'
    page = read(made_pptx(shape(marked), links=(("x", "hyperlink", "https://e.example/"),)))
    assert page.text == "## Slide 1\n\n[**bold**](https://e.example/)  \nnext"
    assert page.links[0].url == "https://e.example/"


def frame(graphic, described=""):
    about = f'<p:nvGraphicFramePr><p:cNvPr descr="{described}"/></p:nvGraphicFramePr>'
    return f"<p:graphicFrame>{about}<a:graphic>{graphic}</a:graphic></p:graphicFrame>"


def test_tables_charts_and_diagrams():
    def cell(text, attributes=""):
        return f"<a:tc {attributes}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    table = (
        f"<a:tbl><a:tr>{cell('a')}{cell('b')}</a:tr>"
        f"<a:tr>{cell('wide', 'gridSpan=' + repr('2'))}{cell('', 'hMerge=' + repr('1'))}</a:tr></a:tbl>"
    )
    points = "<c:pt idx='{0}'><c:v>{1}</c:v></c:pt>"
    values = f"<c:val>{points.format(1, '2.5')}</c:val>"
    series = f"<c:tx>{points.format(0, 'Q1')}</c:tx><c:cat>{points.format(0, 'East')}{points.format(1, 'West')}</c:cat>{values}"
    chart = f"<c:x NAMES><c:chart><c:title><a:t>Sales</a:t></c:title><c:ser>{series}</c:ser></c:chart></c:x>"
    diagram = "<x><pt><t><a:t xmlns:a='urn:a'>Plan</a:t></t></pt><pt/><pt><t><a:t xmlns:a='urn:a'>Build</a:t></t></pt></x>"
    slide = frame(table) + frame('<c:chart r:id="c1"/>') + frame('<relIds xmlns="urn:d" r:dm="d1"/>')
    links = (("c1", "chart", "../charts/chart1.xml"), ("d1", "diagramData", "../diagrams/data1.xml"))
    parts = {"ppt/charts/chart1.xml": chart, "ppt/diagrams/data1.xml": diagram}
    assert read(made_pptx(slide, parts=parts, links=links)).text == (
        "## Slide 1\n\n| a | b |\n| --- | --- |\n| wide |  |\n\n"
        "| Sales | Q1 |\n| --- | --- |\n| East |  |\n| West | 2.5 |\n\n- Plan\n- Build"
    )


def test_pictures_groups_notes_and_comments():
    picture = '<p:pic><p:nvPicPr><p:cNvPr descr="{}"/></p:nvPicPr><p:blipFill/></p:pic>'
    slide = f"<p:grpSp>{shape('grouped')}</p:grpSp>" + picture.format("A plan") + picture.format("")
    said = shape("Say hello.", kind="body") + shape("7", kind="sldNum")
    notes = f"<p:notes NAMES><p:cSld><p:spTree>{said}</p:spTree></p:cSld></p:notes>"
    comments = "<p:cmLst NAMES><p:cm><p:text>Shorter?</p:text></p:cm></p:cmLst>"
    links = (("n1", "notesSlide", "../notesSlides/notes1.xml"), ("m1", "comments", "../comments/comment1.xml"))
    parts = {"ppt/notesSlides/notes1.xml": notes, "ppt/comments/comment1.xml": comments}
    page = read(made_pptx(slide, parts=parts, links=links))
    assert page.text == "## Slide 1\n\ngrouped\n\n[IMAGE: A plan]\n\n> **Notes**\n>\n> Say hello.\n\nComment: Shorter?"
    assert page.dropped == {"image": 1}


def test_a_slide_that_is_missing_is_passed_over():
    whole = made_pptx(shape("one"), shape("two"))
    assert read(whole.replace(b"slides/slide0.xml", b"slides/slido0.xml")).text == "## Slide 2\n\ntwo"
