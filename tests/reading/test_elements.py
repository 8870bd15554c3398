from turbohtml import parse

from limen.reading.elements import attribute, children_of


def test_the_first_attribute_that_says_anything_counts():
    image = parse('<img alt="" title="A gate" aria-label=other>').select_one("img")
    assert attribute(image, "alt", "title", "aria-label") == "A gate"
    assert attribute(image, "alt", "src") == attribute(None, "alt") == ""


def test_children_are_the_elements_right_below():
    listing = parse("<ul>a<li>b<ul><li>c</ul></li><p>d</ul>").select_one("ul")
    assert [child.tag for child in children_of(listing)] == ["li", "p"]
    assert [child.text for child in children_of(listing, "li", "dt")] == ["bc"]
