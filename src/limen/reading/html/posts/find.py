"""Posts of a page found: by how forum software and comment sections mark them, else by repeated texts with an author each."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache

from turbohtml import Document, Element

from limen.reading.html.posts.parts import Parts, Post
from limen.reading.html.posts.signs import ALONE, BODIES, GENERIC_BODY, MARKED_OTHERWISE, POSTS, TYPED

_POSTS_LIMIT = 3_000
_CLIMB = 30
_DEPTH = 12
# What stands around a post's text beside links: its author's rank, badges, counts, signature.
_FRAME_CHARS = 1_200
# What a list of articles shows of each: a heading that leads to it.
_TEASER = "h1 a[href],h2 a[href],h3 a[href],a[href] h1,a[href] h2,a[href] h3"
_GENERIC = re.compile(rf"(?<![a-z]){GENERIC_BODY}", re.IGNORECASE)
# What a page needs for a selector of bodies to match, where that selector goes by classes alone.
_CLASSES_OF_BODIES = frozenset(
    frozenset(re.findall(r"\.([\w-]+)", re.sub(r":not\(.*?\)+", "", selector)))
    for selector in BODIES.split(",")
    if "[" not in selector
)


def find_posts(document: Document) -> list[Post]:
    """The posts of a page in document order, each with its own text only."""
    classes = {element.attr("class") or "" for element in document.select("[class]")}
    written = " ".join(classes)
    names = frozenset(written.split())
    if any(needed <= names for needed in _CLASSES_OF_BODIES) or _is_marked_otherwise(document):
        bodies = document.select(BODIES)[:_POSTS_LIMIT]
        found = _taken_apart(bodies, _not_too_deep(document.select(POSTS)[:_POSTS_LIMIT])) if bodies else []
        if len(found) > 1 or (found and found[0].root.matches(ALONE)):
            return found
    if _GENERIC.search(written) is None:
        return []
    bodies = [element for element in document.select("[class]") if _names_a_body(element.attr("class") or "")]
    alike = Counter(element.attr("class") for element in bodies)
    bodies = [element for element in bodies if alike[element.attr("class")] > 1][:_POSTS_LIMIT]
    roots = [root for root in _climbed(bodies) if root.select_one(_TEASER) is None]
    found = _taken_apart(bodies, frozenset(roots)) if roots else []
    return found if len(found) > 1 else []


def _not_too_deep(roots: list[Element]) -> frozenset[Element]:
    """Those of some elements that lie in few others of them: what is looked at below each is looked at again for all of those."""
    depths: dict[Element, int] = {}
    for root in roots:
        depths[root] = next((depths[ancestor] for ancestor in list(up_from(root))[1:] if ancestor in depths), -1) + 1
    return frozenset(root for root, depth in depths.items() if depth < _DEPTH)


def _is_marked_otherwise(document: Document) -> bool:
    if document.select_one(MARKED_OTHERWISE) is not None:
        return True
    return document.select_one("[itemtype]") is not None and document.select_one(TYPED) is not None


def _taken_apart(bodies: list[Element], roots: frozenset[Element]) -> list[Post]:
    """A post for each body that lies in a root with an author. Backwards, so that posts inside others are known first."""
    bodies = [body for body in bodies if body.text.strip() or body.select_one("img") is not None]
    nested = frozenset(bodies)
    found: dict[Element, Post] = {}
    more: dict[Element, list[Element]] = defaultdict(list)
    left = set(roots)
    for body in reversed([body for body in bodies if not lies_in(body, nested)]):
        for ancestor in up_from(body):
            if ancestor in found:
                known = (*found[ancestor].bodies, *more[ancestor])
                if all(_letters(body) != _letters(one) for one in known):
                    more[ancestor].insert(0, body)  # a second part of its text
                break
            if ancestor in left:
                left.remove(ancestor)  # looked at once: nobody's for one text in it, nobody's for another
                post = _post(ancestor, body, frozenset(found))
                if post is not None:
                    found[ancestor] = post
                    break
    posts = [_with_more(post, more[post.root]) if post.root in more else post for post in reversed(found.values())]
    return _without_other_text(posts)


def _without_other_text(posts: list[Post]) -> list[Post]:
    """Those of some posts that hold little but what was written and what frames it; others are left as they are."""
    below: dict[Element, int] = defaultdict(int)
    kept = []
    for post in reversed(posts):  # those inside others first
        chars = read_chars(post.root)
        written = sum(map(read_chars, post.bodies))
        if chars - written - below[post.root] <= max(_FRAME_CHARS, written):
            kept.append(post)
            for ancestor in list(up_from(post.root))[1:]:
                below[ancestor] += chars - below[post.root]
    return kept[::-1]


def read_chars(element: Element) -> int:
    """Characters of text that are no link's, blanks not counted."""
    return _chars(element) - sum(map(_chars, element.select("a")))


def _chars(element: Element) -> int:
    return len(_letters(element))


def _letters(element: Element) -> str:
    return "".join(element.text.split())


def _post(root: Element, body: Element, inner: frozenset[Element]) -> Post | None:
    parts = Parts(root, (body,), inner)
    author, date = parts.author(), parts.date()
    if not author:
        author, date = parts.line_before(body)
    return Post(root, (body,), author, date, parts.score(), parts.is_accepted()) if author else None


def _with_more(post: Post, bodies: list[Element]) -> Post:
    return Post(post.root, (*bodies, *post.bodies), post.author, post.date, post.score, post.is_accepted)


def up_from(element: Element) -> Iterable[Element]:
    """An element and those around it, a bounded number of them, inside of the page's main part."""
    yield element
    for steps, ancestor in enumerate(element.ancestors):
        if steps >= _CLIMB or not isinstance(ancestor, Element) or ancestor.tag in {"main", "body", "html"}:
            return
        yield ancestor


def lies_in(element: Element, others: frozenset[Element]) -> bool:
    """Whether one of some elements is around another."""
    return any(ancestor in others for ancestor in list(up_from(element))[1:])


def _climbed(bodies: list[Element]) -> list[Element]:
    """For each of several bodies the largest element that holds no other of them."""
    counts: dict[Element, int] = defaultdict(int)
    for body in bodies:
        for element in up_from(body):
            counts[element] += 1
    found = []
    for body in bodies:
        alone = [element for element in up_from(body) if counts[element] == 1]
        if alone:
            found.append(alone[-1])
    return found


@lru_cache(maxsize=1_024)
def _names_a_body(names: str) -> bool:
    return _GENERIC.search(names) is not None
