"""A whole page as it is written, with nothing chosen or dropped."""

from limen.reading.markup.forms import WRITERS
from limen.reading.markup.unfold import unfolded

HERE = "https://e.example/d/p.html"


def written(html, page_format="markdown"):
    document = unfolded(html)
    return WRITERS[page_format](document, document.find("body"), HERE)


def markdown(html):
    return written(html).text


def plain(html):
    return written(html, "text").text
