"""Posts of a page found and put in one form: a line on who wrote it, then what was written."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache

from turbohtml import Document, Element, Text

from limen.reading.html.posts.parts import Parts, Post
from limen.reading.html.posts.signs import (
    ALONE,
    ATTACHMENTS,
    BODIES,
    CLUTTER,
    COMMENTS,
    GENERIC_BODY,
    MARKED_OTHERWISE,
    POSTS,
    TYPED,
)

# Stand on each post that was put in form, saying "comment" or "post", and on the line on its author. Pages cannot set them:
# `forget_marks` goes first.
POST_MARK = "data-limen-post"
LINE_MARK = "data-limen-line"
_POSTS_LIMIT = 3_000
_CLIMB = 30
# What a list of articles shows of each: a heading that leads to it.
_TEASER = "h1 a[href],h2 a[href],h3 a[href],a[href] h1,a[href] h2,a[href] h3"
_HEADINGS = "h1,h2,h3,h4,h5,h6,.forum_op > .topic"
_GENERIC = re.compile(rf"(?<![a-z]){GENERIC_BODY}", re.IGNORECASE)
_PARTS_OF_TABLES = frozenset({"tr", "tbody", "table"})
# What a page needs for a selector of bodies to match, where that selector goes by classes alone.
_CLASSES_OF_BODIES = frozenset(
    frozenset(re.findall(r"\.([\w-]+)", selector)) for selector in BODIES.split(",") if "[" not in selector
)
_LISTS = frozenset({"ul", "ol", "menu", "li"})


def forget_marks(document: Document) -> None:
    """Take our marks out of a page that came with them."""
    for element in document.select(f"[{POST_MARK}],[{LINE_MARK}]"):
        for name in {POST_MARK, LINE_MARK} & element.attrs.keys():
            del element.attrs[name]


def mark_posts(document: Document) -> int:
    """Put the posts of a page in form, in place; answers how many. A post without a named author is left as it is."""
    posts = find_posts(document)
    inner: dict[Element, list[Post]] = defaultdict(list)
    roots = {post.root: post for post in posts}
    above = {post.root: _nearest(post.root, roots) for post in posts}
    answered = _answered(posts, above)
    for post in posts:
        parent = above[post.root]
        if parent is not None:
            inner[parent.root].append(post)
    for post in reversed(posts):  # those inside others first
        _rewrite(post, answered.get(post.root, ""), inner[post.root])
    return len(posts)


def _answered(posts: list[Post], above: dict[Element, Post | None]) -> dict[Element, str]:
    """Whom a post answers: the author of the post that it lies in, or of the one that an item of a list around it starts with."""
    first: dict[Element, Post] = {}
    found = {}
    for post in posts:
        parent = above[post.root]
        for item in _up_from(post.root):
            if item.tag == "li" and first.setdefault(item, post) != post:
                parent = parent or first[item]
                break
        if parent is not None and parent.author != post.author:
            found[post.root] = parent.author
    return found


def find_posts(document: Document) -> list[Post]:
    """The posts of a page in document order, each with its own text only."""
    classes = {element.attr("class") or "" for element in document.select("[class]")}
    written = " ".join(classes)
    names = frozenset(written.split())
    if any(needed <= names for needed in _CLASSES_OF_BODIES) or _is_marked_otherwise(document):
        bodies = document.select(BODIES)[:_POSTS_LIMIT]
        found = _taken_apart(bodies, frozenset(document.select(POSTS)[:_POSTS_LIMIT])) if bodies else []
        if len(found) > 1 or (found and found[0].root.matches(ALONE)):
            return found
    if not _names_a_body(written):
        return []
    bodies = [element for element in document.select("[class]") if _names_a_body(element.attr("class") or "")]
    alike = Counter(element.attr("class") for element in bodies)
    bodies = [element for element in bodies if alike[element.attr("class")] > 1][:_POSTS_LIMIT]
    roots = [root for root in _climbed(bodies) if root.select_one(_TEASER) is None]
    found = _taken_apart(bodies, frozenset(roots)) if roots else []
    return found if len(found) > 1 else []


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
    for body in reversed([body for body in bodies if not _within(body, nested)]):
        for ancestor in _up_from(body):
            if ancestor in found:
                more[ancestor].insert(0, body)  # a second part of its text
                break
            if ancestor in roots:
                post = _post(ancestor, body, frozenset(found))
                if post is not None:
                    found[ancestor] = post
                    break
    posts = reversed(found.values())
    return [_with_more(post, more[post.root]) if post.root in more else post for post in posts]


def _post(root: Element, body: Element, inner: frozenset[Element]) -> Post | None:
    parts = Parts(root, (body,), inner)
    author, date = parts.author(), parts.date()
    if not author:
        author, date = parts.line_before(body)
    return Post(root, (body,), author, date, parts.score(), parts.is_accepted()) if author else None


def _with_more(post: Post, bodies: list[Element]) -> Post:
    return Post(post.root, (*bodies, *post.bodies), post.author, post.date, post.score, post.is_accepted)


def _up_from(element: Element) -> Iterable[Element]:
    """An element and those around it, a bounded number of them, inside of the page's main part."""
    yield element
    for steps, ancestor in enumerate(element.ancestors):
        if steps >= _CLIMB or not isinstance(ancestor, Element) or ancestor.tag in {"main", "body", "html"}:
            return
        yield ancestor


def _within(element: Element, others: frozenset[Element]) -> bool:
    return any(ancestor in others for ancestor in list(_up_from(element))[1:])


def _nearest(root: Element, roots: dict[Element, Post]) -> Post | None:
    return next((roots[ancestor] for ancestor in list(_up_from(root))[1:] if ancestor in roots), None)


def _climbed(bodies: list[Element]) -> list[Element]:
    """For each of several bodies the largest element that holds no other of them."""
    counts: dict[Element, int] = defaultdict(int)
    for body in bodies:
        for element in _up_from(body):
            counts[element] += 1
    found = []
    for body in bodies:
        alone = [element for element in _up_from(body) if counts[element] == 1]
        if alone:
            found.append(alone[-1])
    return found


@lru_cache(maxsize=1_024)
def _names_a_body(names: str) -> bool:
    return _GENERIC.search(names) is not None


def _rewrite(post: Post, answers: str, inner: list[Post]) -> None:
    root = post.root
    kind = "comment" if root.matches(COMMENTS) else "post"
    heading = _heading(post, inner)
    files = [link for link in root.select(ATTACHMENTS) if not _within(link, frozenset(post.bodies))]
    for body in post.bodies:
        for clutter in body.select(CLUTTER):
            clutter.extract()
    content = [line_on(post.author, post.date, post.score, is_accepted=post.is_accepted, answers=answers), *heading]
    content += [part if part != root else Element("div", children=list(part.children)) for part in post.bodies]
    content += [Element("p", children=[link]) for link in files]
    content += [below.root for below in inner]
    for part in content:
        part.extract()
    root.clear()
    if root.tag in _PARTS_OF_TABLES:
        content = [Element("td", children=content)] if root.tag == "tr" else content
    for part in content:
        root.append(part)
    _as_block(root)
    root.attrs[POST_MARK] = kind


def _as_block(root: Element) -> None:
    """Posts are blocks, not items of lists or rows of tables, which would indent all that is written in them."""
    for element in _up_from(root):
        if element.tag in _LISTS:
            element.tag = "div"
    if root.tag not in {"tr", "td", "article"}:
        root.tag = "section"


def _heading(post: Post, inner: list[Post]) -> list[Element]:
    """A title of the post itself, as comments and reviews have one; not the thread's, repeated, nor a heading for the author."""
    outside = frozenset((*post.bodies, *(below.root for below in inner)))
    for element in post.root.select(_HEADINGS)[:3]:
        text = " ".join(element.text.split())
        if not text or element in outside or _within(element, outside) or post.author in text or text.lower().startswith("re:"):
            continue
        return [Element("p", children=[Element("strong", children=[Text(text)])])] if element.tag != "h1" else [element]
    return []


def line_on(author: str, date: str, score: str, *, is_accepted: bool = False, answers: str = "") -> Element:
    """The line that a post starts with: who, to whom, when, how it was judged."""
    facts = [
        f" to {answers}" if answers else "",
        *(f" · {fact}" for fact in (date, score, "accepted answer" if is_accepted else "") if fact),
    ]
    children = (
        [Element("strong", children=[Text(author)]), Text("".join(facts))] if author else [Text("".join(facts).lstrip(" ·"))]
    )
    return Element("p", {LINE_MARK: ""}, children)
