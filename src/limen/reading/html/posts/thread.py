"""A page that is a thread: its posts and its title, without what stands around them."""

from turbohtml import Element, Node

from limen.reading.elements import children_of
from limen.reading.html.posts.find import read_chars
from limen.reading.html.posts.mark import POST_MARK

# A thread's posts hold nearly all that is read rather than clicked on its page, and nothing else on it is a text of its own.
_AROUND_SHARE = 0.8
_OWN_TEXT_CHARS = 500
_BLOCKS = "p,pre,blockquote,td,dd"
_MARKED = f"[{POST_MARK}]"
_FRAMES = (
    "nav,footer,header,aside,form,dialog,[role=navigation],[role=contentinfo],[role=complementary],[role=dialog],[aria-modal],"
    "[hidden],[style*='display:none'],[style*='display: none'],[class*=cookie],[class*=consent]"
)
_LEAST_POSTS = 2
_BETWEEN_CHARS = 200


def thread_of(body: Element) -> Element | None:
    """The part of a page that holds its posts, trimmed to them; None where the page is more than a thread, or none."""
    posts = body.select(_MARKED)
    first = [post for post in posts if post.closest(f"{_MARKED} {_MARKED}") is None]
    if len(posts) < _LEAST_POSTS or first[0].attr(POST_MARK) == "comment":
        return None
    read = sum(map(read_chars, first))
    around = read_chars(body) - read - _frame_chars(body)
    if around > read * _AROUND_SHARE or _has_own_text(body):
        return None
    thread = _around(first)
    if thread is not None:
        _trim(thread, first)
    return thread


def _frame_chars(body: Element) -> int:
    """Characters in what frames a page, and in what it hides."""
    frames = frozenset(body.select(_FRAMES))
    outer = [frame for frame in frames if not any(ancestor in frames for ancestor in frame.ancestors)]
    return sum(read_chars(frame) for frame in outer if frame.closest(_MARKED) is None and frame.select_one(_MARKED) is None)


def _has_own_text(body: Element) -> bool:
    """Whether there is a block of text that is neither a post's nor the frame's."""
    blocks = (block for block in body.select(_BLOCKS) if len(block.text) >= _OWN_TEXT_CHARS)
    return any(
        block.closest(f"{_MARKED},{_FRAMES}") is None
        and block.select_one(_MARKED) is None
        and read_chars(block) >= _OWN_TEXT_CHARS
        for block in blocks
    )


def _around(posts: list[Element]) -> Element | None:
    """The smallest element that holds all of some posts."""
    shared: list[Node] = list(posts[0].ancestors)
    for post in posts[1:]:
        above = frozenset(post.ancestors)
        shared = [ancestor for ancestor in shared if ancestor in above]
    return next((ancestor for ancestor in shared if isinstance(ancestor, Element)), None)


def _trim(thread: Element, posts: list[Element]) -> None:
    """Drop what stands before, between and after the posts, but for headings and for what may be a post unrecognised."""
    path = frozenset(ancestor for post in posts for ancestor in post.ancestors)
    waiting: list[Element] = [thread]
    while waiting:
        children = children_of(waiting.pop())
        kept = [child for child in children if POST_MARK in child.attrs or child in path]
        kinds = {_kind(child) for child in kept}
        waiting += [child for child in kept if POST_MARK not in child.attrs]
        for child in children:
            if child in kept or _kind(child) in kinds or child.tag == "h1" or child.select_one("h1") is not None:
                continue
            if read_chars(child) < _BETWEEN_CHARS:
                child.extract()


def _kind(element: Element) -> str:
    return (element.attr("class") or "").partition(" ")[0] or element.tag
