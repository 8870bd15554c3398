"""Headings of PDFs: by bookmarks, by size, by weight."""

from reading.made_pdf import column, made_pdf, stream

from limen.core.web import Heading
from limen.reading.formats.pdf import read_pdf

# Letters as they are, but a bullet for `b`.
CMAP_OF_A_BULLET = (
    b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange "
    b"<00> <FF> endcodespacerange 3 beginbfrange <20> <61> <0020> <62> <62> <2022> <63> <7e> <0063> endbfrange endcmap end end"
)
TEXT = [
    "These are the words of a line that is as long as its column",
    "and these as well, to the end of what the column holds.",
    "So.",
]


def body(top):
    return column(72, top, TEXT) + column(72, top - 50, TEXT)


def headings(*pages, **options):
    page = read_pdf(made_pdf(*pages, **options), "")
    lines = page.text.split("\n")
    assert all(lines[one.line - 1].lstrip("#").strip() == one.text for one in page.outline if "[Page" not in lines[one.line - 1])
    return page.outline


def test_larger_type_makes_headings_whose_levels_go_by_size():
    page = [(72, 720, "The Whole", 24), *body(690), (72, 580, "A Part", 16), *body(560), (72, 450, "Another", 16), *body(430)]
    assert [(one.level, one.text) for one in headings(page)] == [(1, "The Whole"), (2, "A Part"), (2, "Another")]


def test_a_heading_of_two_lines_is_one():
    page = [(72, 720, "A Title That Needs More", 24), (72, 694, "Than One Line", 24), *body(660)]
    assert [one.text for one in headings(page)] == ["A Title That Needs More Than One Line"]


def test_bold_lines_alone_are_headings_and_bold_words_in_a_line_are_not():
    page = [(72, 720, "Results", 10, "bold"), *body(700), *body(590), (72, 490, "Warning:", 10, "bold"), (120, 490, "hot.")]
    assert [one.text for one in headings(page)] == ["Results"]


def test_bookmarks_find_their_lines_and_set_the_levels():
    pages = [
        [(72, 720, "1 Begin", 16), *body(700)],
        [(72, 720, "1.1 More", 14), *body(700), (72, 560, "1.2 Others", 14), *body(540)],
    ]
    found = headings(*pages, bookmarks=(("Begin", 0), ("More", 1, 2), ("Appendix", 1)))
    assert [(one.level, one.text, one.anchor) for one in found] == [
        (1, "1 Begin", "page=1"),
        (1, "Appendix", "page=2"),
        (2, "1.1 More", "page=2"),
        (2, "1.2 Others", "page=2"),
    ]
    assert isinstance(found[0], Heading)


def test_what_stands_large_on_each_page_is_no_heading():
    pages = [[*body(690 - number), (72, 500, "DRAFT", 30), *body(460)] for number in range(5)]
    assert all(one.text.startswith("Page") for one in headings(*pages))


def test_a_page_of_large_lines_has_no_headings():
    page = [
        item
        for row in range(12)
        for item in ((72, 740 - 50 * row, f"Big {row} thing", 18), (72, 720 - 50 * row, "small text here"))
    ]
    assert headings(page) == ()


def test_a_large_item_of_a_list_is_no_heading():
    bullet = {4: stream(CMAP_OF_A_BULLET)}
    page = [(72, 720, "The Whole", 24), *body(690), (72, 580, "b A point", 16), *body(560)]
    assert [one.text for one in headings(page, private_use=True, more=bullet)] == ["The Whole"]
