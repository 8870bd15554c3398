"""The text that a page states in data of its own, for pages that show none of it without running their scripts."""

import re
from collections.abc import Iterable, Sequence
from html import escape, unescape

import msgspec
from turbohtml import Document, Element, Text, parse

from limen.kit.text import letters_of
from limen.reading.decode import clean
from limen.reading.html.linked_data import Thing, line_of, text_of, things_in, types_of
from limen.reading.html.posts.mark import line_on
from limen.reading.html.posts.parts import counted, moment
from limen.reading.markup.addresses import mend_images

FROM_DESCRIPTION = "its description (JSON-LD)"
_ARTICLE_CHARS = 200
_SHOWN_SHARE = 0.3
_POSTS = 300
_DEPTH = 8
_MARKUP = re.compile(r"</?(?:p|br|div|h[1-6]|ul|ol|li|table|blockquote|pre|a|em|strong|b|i|img|code)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[a-zA-Z/!][^<>]{0,2000}>")
_PARAGRAPHS = re.compile(r"\n\s*\n")
# Places of a text that are looked for in what a page shows, and how much of it at each.
_SAMPLES = 5
_SAMPLE_CHARS = 24


class StatedPost(msgspec.Struct, frozen=True):
    """One text with who wrote it, when, and how it was judged, where that is stated. `text` is HTML or plain text."""

    text: str
    author: str = ""
    date: str = ""
    score: str = ""
    title: str = ""
    answers: str = ""
    is_accepted: bool = False


class Stated(msgspec.Struct, frozen=True):
    """What the data in a page say that the page says. `source` names the data; a thread is known to be what its page is about,
    an article may be one of several things on it."""

    source: str
    posts: tuple[StatedPost, ...]
    title: str = ""
    is_thread: bool = False

    @property
    def notice(self) -> str:
        """What a reader should know of a text taken from here."""
        return f"The text is what the page states in {self.source}; the page itself shows less."


def best_of(candidates: Iterable[Stated], shown: str) -> Stated | None:
    """Of several statements the longest that a page shows little of; None where it shows them all, or enough else.

    `shown` is the page's text as it was read.
    """
    told = [(sum(len(_plain(post.text)) for post in one.posts), one) for one in candidates]
    page = Letters(shown if told else "")
    for chars, stated in sorted(told, key=lambda pair: pair[0], reverse=True):
        if not stated.is_thread:
            if chars >= _ARTICLE_CHARS and len(shown) < chars * _SHOWN_SHARE:
                return stated
        elif sum(len(_plain(post.text)) for post in stated.posts if not page.hold(post.text)) * 2 > chars:
            return stated
    return None


class Letters:
    """The letters and digits of a page's text, to look for others in: marks, blanks and case do not count."""

    def __init__(self, text: str) -> None:
        self._all = letters_of(text)

    def hold(self, text: str) -> bool:
        """Whether most of some samples of a text, with markup or without, stand among them."""
        own = letters_of(_plain(text))
        step = max(1, (len(own) - _SAMPLE_CHARS) // (_SAMPLES - 1))
        samples = {own[start : start + _SAMPLE_CHARS] for start in range(0, max(1, len(own) - _SAMPLE_CHARS + 1), step)}
        return sum(sample in self._all for sample in samples) * 2 > len(samples)


def _plain(text: str) -> str:
    return unescape(_TAG.sub(" ", text)) if "<" in text or "&" in text else text


def document_of(stated: Stated) -> Document:
    """A statement as a document: its title, then each text below a line on its author. None of it is more trusted than a page."""
    document = parse("<body></body>", positions=False)
    body = document.find("body")
    if body is None:
        return document
    if stated.title:
        body.append(Element("h1", children=[Text(stated.title)]))
    for post in stated.posts:
        section = Element("section")
        if post.title and post.title != stated.title:
            section.append(Element("h2", children=[Text(post.title)]))
        line = line_on(post.author, post.date, post.score, is_accepted=post.is_accepted, answers=post.answers)
        if line.text:
            section.append(line)
        text = Element("div")
        text.set_inner_html(as_html(post.text))  # each apart, so that what one leaves open does not swallow the next
        section.append(text)
        body.append(section)
    mend_images(body)
    return document


def as_html(text: str) -> str:
    """A text as HTML: as it is where it is some, else its paragraphs."""
    if _MARKUP.search(text):
        return text
    text = unescape(text)
    paragraphs = _PARAGRAPHS.split(text) if _PARAGRAPHS.search(text) else text.splitlines()
    return "".join("<p>" + escape(one.strip()).replace("\n", "<br>") + "</p>" for one in paragraphs if one.strip())


def stated_in(things: Sequence[Thing]) -> list[Stated]:
    """Articles and threads of a page's JSON-LD."""
    found = []
    for thing in things:
        types = types_of(thing)
        title = line_of(thing.get("headline") or thing.get("name"))
        if types & {"question", "discussionforumposting", "socialmediaposting"}:
            posts = _thread(thing)
            if len(posts) > 1 or (posts and len(posts[0].text) >= _ARTICLE_CHARS):
                found.append(Stated(FROM_DESCRIPTION, tuple(posts), title, is_thread=len(posts) > 1))
        elif text_of(thing.get("articleBody")):
            found.append(Stated(FROM_DESCRIPTION, (StatedPost(text_of(thing.get("articleBody"))),), title))
    return found


def _thread(thing: Thing) -> list[StatedPost]:
    """A question with its answers, a post with its comments, and what was said of those."""
    found: list[StatedPost] = []
    waiting: list[tuple[Thing, str, int, bool]] = [(thing, "", 0, False)]
    while waiting and len(found) < _POSTS:
        one, answers, depth, is_accepted = waiting.pop()
        text = text_of(one.get("text") or one.get("articleBody"))
        author = ", ".join(filter(None, (line_of(person.get("name")) for person in things_in(one.get("author"))[:3])))
        if text:
            found.append(
                StatedPost(
                    text,
                    author,
                    moment(line_of(one.get("dateCreated") or one.get("datePublished"))),
                    counted(line_of(one.get("upvoteCount")), "votes"),
                    answers=answers,
                    is_accepted=is_accepted,
                )
            )
        below = [
            (name, other)
            for name in ("comment", "suggestedAnswer", "acceptedAnswer")
            for other in reversed(things_in(one.get(name)))
        ]
        if depth < _DEPTH:
            waiting += [(other, author if depth else "", depth + 1, name == "acceptedAnswer") for name, other in below]
    return found


def cleaned(value: object) -> str:
    """A value of a page's data as text that can be stored; empty where it is none."""
    return clean(value).strip() if isinstance(value, str) else ""
