from turbohtml import parse

from limen.reading.attributes import attribute


def test_the_first_attribute_that_says_anything_counts():
    image = parse('<img alt="" title="A gate" aria-label=other>').select_one("img")
    assert attribute(image, "alt", "title", "aria-label") == "A gate"
    assert attribute(image, "alt", "src") == attribute(None, "alt") == ""
