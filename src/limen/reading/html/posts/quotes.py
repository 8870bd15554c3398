"""Long quotes of a thread that repeat one of its earlier posts, cut to their beginning, as forum software shows them folded."""

from collections.abc import Iterable

from turbohtml import Element, Text

from limen.kit.text import letters_of
from limen.reading.elements import children_of
from limen.reading.html.posts.parts import Post

_LONG_CHARS = 200
_SHOWN_CHARS = 100
# Of a thread longer than this the rest is not looked through.
_THREAD_CHARS = 500_000
_QUOTES = 500


def fold_quotes(posts: Iterable[Post]) -> None:
    """Cut the quotes in some posts, given in the order of the page, in place. What names who is quoted stays."""
    said, left = "", _QUOTES
    for post in posts:
        own = "".join(letters_of(body.text) for body in post.bodies)
        for body in post.bodies:
            for quote in body.select("blockquote")[:left]:
                left -= 1
                _fold(quote, said)
        if len(said) < _THREAD_CHARS:
            said += own


def _fold(quote: Element, said: str) -> None:
    """Cut the outermost part of a quote that has been said."""
    waiting = [quote]
    for part in waiting:
        letters = letters_of(part.text)
        if len(letters) >= _LONG_CHARS and letters in said:
            start = " ".join(part.text.split())[:_SHOWN_CHARS].rpartition(" ")[0]
            part.clear()
            part.append(Text(f"{start} …"))
            return
        waiting += children_of(part)
