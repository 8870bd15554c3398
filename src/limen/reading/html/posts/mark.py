"""Posts of a page found and put in one form: a line on who wrote it, then what was written."""

from collections import defaultdict

from turbohtml import Document, Element, Text

from limen.reading.html.linked_data import line_of
from limen.reading.html.posts.find import find_posts, lies_in, up_from
from limen.reading.html.posts.parts import Post
from limen.reading.html.posts.quotes import fold_quotes
from limen.reading.html.posts.signs import AMONG_POSTS, ATTACHMENTS, CLUTTER, COMMENTS, REMARKS, TITLES

# Stand on each post that was put in form, saying "comment" or "post", and on the line on its author. Pages cannot set them:
# `forget_marks` goes first.
POST_MARK = "data-limen-post"
LINE_MARK = "data-limen-line"
# So many votes make a remark on an answer worth reading beside the answer.
_WORTH_VOTES = 3
_PARTS_OF_TABLES = frozenset({"tr", "tbody", "table"})
_LISTS = frozenset({"ul", "ol", "menu", "li"})


def forget_marks(document: Document) -> None:
    """Take our marks out of a page that came with them."""
    for element in document.select(f"[{POST_MARK}],[{LINE_MARK}]"):
        for name in {POST_MARK, LINE_MARK}.intersection(element.attrs):
            del element.attrs[name]


def mark_posts(document: Document) -> int:
    """Put the posts of a page in form, in place. A post without a named author is left as it is.

    Answers how many remarks on questions and answers were left out, since next to nobody voted for them.
    """
    posts = find_posts(document)
    remarks = [post for post in posts if post.root.matches(REMARKS) and _votes(post) < _WORTH_VOTES]
    for element in [remark.root for remark in remarks] + (document.select(AMONG_POSTS) if posts else []):
        element.extract()
    posts = [post for post in posts if post not in remarks]
    fold_quotes(posts)
    title = document.select_one("h1") if posts else None
    inner: dict[Element, list[Post]] = defaultdict(list)
    roots = {post.root: post for post in posts}
    above = {post.root: _nearest(post.root, roots) for post in posts}
    answered = _answered(posts, above)
    for post in posts:
        parent = above[post.root]
        if parent is not None:
            inner[parent.root].append(post)
    for post in reversed(posts):  # those inside others first
        _rewrite(post, answered.get(post.root, ""), inner[post.root], title)
    return len(remarks)


def _votes(post: Post) -> int:
    count = post.score.partition(" ")[0]
    return int(count) if count.isdecimal() else 0


def _answered(posts: list[Post], above: dict[Element, Post | None]) -> dict[Element, str]:
    """Whom a post answers: the author of the post that it lies in, or of the one that an item of a list around it starts with."""
    first: dict[Element, Post] = {}
    found = {}
    for post in posts:
        items = [element for element in up_from(post.root) if element.tag == "li"]
        parent = above[post.root] or next((first[item] for item in items if first.get(item, post) != post), None)
        if items:
            first.setdefault(items[0], post)
        if parent is not None and parent.author != post.author:
            found[post.root] = parent.author
    return found


def _nearest(root: Element, roots: dict[Element, Post]) -> Post | None:
    return next((roots[ancestor] for ancestor in list(up_from(root))[1:] if ancestor in roots), None)


def _rewrite(post: Post, answers: str, inner: list[Post], title: Element | None) -> None:
    root = post.root
    kind = "comment" if root.matches(COMMENTS) else "post"
    heading = _heading(post, inner, title)
    files = [link for link in root.select(ATTACHMENTS) if not lies_in(link, frozenset(post.bodies))]
    for body in post.bodies:
        for clutter in body.select(CLUTTER):
            clutter.extract()
    line = line_on(post.author, post.date, post.score, is_accepted=post.is_accepted, answers=answers)
    content = [*heading, line] if title in heading else [line, *heading]
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
    for element in up_from(root):
        if element.tag in _LISTS:
            element.tag = "div"
    if root.tag not in {"tr", "td", "article"}:
        root.tag = "section"


def _heading(post: Post, inner: list[Post], title: Element | None) -> list[Element]:
    """A title of the post itself, as comments and reviews have one; not the thread's, repeated, nor a heading for the author."""
    outside = frozenset((*post.bodies, *(below.root for below in inner)))
    known = line_of(title.text).lower() if title is not None else ""
    for element in post.root.select(TITLES)[:3]:
        if element == title:
            return [element]
        text = line_of(element.text)
        repeated = not text or text.lower() in known or post.author in text or text.lower().startswith("re:")
        if not repeated and element not in outside and not lies_in(element, outside):
            return [Element("p", children=[Element("strong", children=[Text(text)])])]
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
