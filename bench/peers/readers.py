"""Page readers as `score.py` calls them: HTML and an address in, Markdown out. Each is imported when it is first asked."""

import io
from functools import cache


@cache
def _trafilatura():
    import trafilatura

    return trafilatura


@cache
def _readability():
    from markitdown import MarkItDown
    from readability import Document

    return Document, MarkItDown()


@cache
def _markitdown():
    from markitdown import MarkItDown

    return MarkItDown()


def trafilatura(html: str, url: str) -> str:
    """trafilatura's own Markdown, with what it has switches for: tables, links, formatting."""
    return (
        _trafilatura().extract(
            html, url=url, output_format="markdown", include_links=True, include_formatting=True, include_tables=True
        )
        or ""
    )


def readability(html: str, url: str) -> str:
    """readability-lxml's region; it writes HTML, so markitdown turns it into Markdown."""
    document, converter = _readability()
    part = document(html, url=url).summary(html_partial=True)
    return converter.convert_stream(io.BytesIO(part.encode()), file_extension=".html").text_content


def markitdown(html: str, url: str) -> str:
    """The whole page, as markitdown writes it: it chooses no region."""
    return _markitdown().convert_stream(io.BytesIO(html.encode()), file_extension=".html").text_content


def limen(html: str, url: str) -> str:
    """What Limen's reader makes of it."""
    from limen.reading import read

    return read(html, url, "text/html").text
