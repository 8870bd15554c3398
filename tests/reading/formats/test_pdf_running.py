"""What runs along on a PDF's pages: headers, footers and page numbers go, and are counted."""

from reading.made_pdf import made_pdf

from limen.reading.formats.pdf import read_pdf

WORDS = ("amber", "birch", "cedar", "dusk", "ember", "fern", "grove")


def page_of(number, *more):
    return [*((72, 600 - 20 * row, f"The {WORDS[number - 1]} of {said}.") for row, said in enumerate(WORDS)), *more]


def test_headers_and_page_numbers_of_most_pages_are_dropped_and_the_first_stays():
    pages = [page_of(n, (72, 760, "Annals of Nothing"), (300, 30, f"Page {n} of 6")) for n in range(1, 7)]
    page = read_pdf(made_pdf(*pages), "")
    assert page.text.count("Annals of Nothing") == 1
    assert page.text.count(" of 6") == 1
    assert page.dropped == {"header": 5, "footer": 5}


def test_numbers_alone_all_go():
    page = read_pdf(made_pdf(*(page_of(n, (300, 30, f"- {n} -")) for n in range(1, 5))), "")
    assert "- 2 -" not in page.text
    assert page.dropped == {"footer": 4}


def test_numbers_that_do_not_count_the_pages_stay():
    page = read_pdf(made_pdf(*(page_of(n, (300, 30, said)) for n, said in enumerate(("17", "4", "88", "23"), 1))), "")
    assert all(said in page.text for said in ("17", "4", "88", "23"))
    assert page.dropped == {}


def test_what_one_page_alone_has_stays():
    page = read_pdf(made_pdf(*(page_of(n, *(((72, 760, "Only here"),) if n == 2 else ())) for n in range(1, 6))), "")
    assert "Only here" in page.text


def test_pages_that_hold_nothing_else_keep_what_they_have():
    page = read_pdf(made_pdf("Same", "Same", "Same", "Same"), "")
    assert page.text.count("Same") == 4


def test_numbers_of_lines_in_a_column_of_their_own_go():
    numbers = [(72, 700 - 24 * n, str(n)) for n in range(1, 13)]
    lines = [(120, 700 - 24 * n, f"the {WORDS[n % 7]} said so and") for n in range(1, 13)]
    page = read_pdf(made_pdf([*numbers, *lines]), "")
    assert page.dropped == {"line number": 12}
    assert page.text.startswith("the birch said so")
    assert "7" in read_pdf(made_pdf([*numbers[1:], *lines]), "").text
    assert "7" in read_pdf(made_pdf(numbers), "").text
