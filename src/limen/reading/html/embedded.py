"""The texts in the data that scripts of a page would draw it from: posts of a forum, the one largest body of an app's state."""

import re
from collections import defaultdict, deque
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
from turbohtml import Document

from limen.reading.html.linked_data import Thing, decode_json, each, line_of
from limen.reading.html.posts.parts import counted, moment
from limen.reading.html.stated import Stated, StatedPost, cleaned

_SOURCES = 6
_SOURCE_CHARS = 8_000_000
_LEAST_CHARS = 300
_STATES = (
    'script[type="application/json" i],script[type="application/vnd.api+json" i],script#__NEXT_DATA__,script#__NUXT_DATA__,'
    "script:not([src]):not([type]),script[type='text/javascript']:not([src])"
)
# `window.__STATE__ = {`, `__APOLLO_STATE__=JSON.parse("`: what a script begins with that does nothing but set data.
_ASSIGNED = re.compile(
    r"\s*(?://[^\n]*\n\s*)?(?:(?:var|let|const)\s+)?(?:window|self|globalThis)?\.?[\w$]*(?:\.[\w$]+|\[[\"'][\w$.-]+[\"']\])*\s*=\s*"
    r"(JSON\.parse\(\s*(?=[\"'])|(?=[\[{]))"
)
_NODES = 300_000
_NAMED_CHARS = 60
_LEAST_TEXT_CHARS = 200
_BLOCKS = re.compile(r"<(?:p|br|div|h[1-6]|ul|ol|blockquote|pre)\b", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{1,2000}>")
_CODE = re.compile(r"[{};=]|https?://|data:")
_LEAST_WORDS = 30
_DIGITS = re.compile(r"\d+|[0-9a-f]{8}-[0-9a-f-]{27}|(?<=:)\S+")
# Keys below which an app keeps the words of its surface, its settings and its styles, not what a page says.
_SURFACE = frozenset(
    {
        "i18n", "translations", "messages", "locales", "locale", "labels", "config", "settings", "featureflags", "styles", "css",
        "theme", "consent", "cookies", "legal", "footer", "header", "navigation", "menu", "seo", "schema", "tracking",
        "_nexti18next",
    }
)  # fmt: skip
_CLEARLY = 2.0
_AUTHORS = ("author", "username", "user", "displayname", "creator", "postedby", "byline", "owner", "authorname")
_NAMES = ("name", "displayname", "username", "login", "fullname", "title", "nickname")
_DATES = (
    "createdat", "created", "createdutc", "publishedat", "datepublished", "datecreated", "published", "date", "postedat",
    "timestamp",
)  # fmt: skip
_SCORES = {
    "likecount": "likes", "likes": "likes", "upvotes": "votes", "votecount": "votes", "score": "points", "points": "points",
}  # fmt: skip
_TITLES = ("title", "headline", "name", "subject")
_EPOCH = range(10**8, 10**10)


class Source(msgspec.Struct, frozen=True):
    """Data in a page that has not been decoded: what it is called, and its text."""

    name: str
    text: str


def sources_in(document: Document) -> list[Source]:
    """The data in a page's scripts and attributes, the largest few; needs the page before its scripts are dropped."""
    found = [
        Source("data-preloaded", element.attr("data-preloaded") or "") for element in document.select("[data-preloaded]")[:1]
    ]
    for script in document.select(_STATES):
        name = script.attr("id") or ""
        text = script.text
        if len(text) < _LEAST_CHARS:
            continue
        if "json" not in (script.attr("type") or "").lower():
            assigned = _ASSIGNED.match(text[:_LEAST_CHARS])
            if assigned is None:
                continue
            name = re.sub(r"\W*=.*|^.*?(?=[\w$]+\W*=)|\W", "", assigned.group(0), flags=re.DOTALL) or name
            text = _assigned(text, assigned)
        found.append(Source(name or "embedded JSON", text))
    usable = [source for source in found if _LEAST_CHARS <= len(source.text) <= _SOURCE_CHARS]
    return sorted(usable, key=lambda source: len(source.text), reverse=True)[:_SOURCES]


def _assigned(text: str, assigned: re.Match[str]) -> str:
    if not assigned.group(1):
        return text[assigned.end() :]
    quote, rest = text[assigned.end()], text[assigned.end() + 1 :]
    if quote == "'":  # a JavaScript string, not a JSON one
        rest = rest.rpartition("'")[0].replace("\\'", "'").replace('"', '\\"').replace('\\\\"', '\\\\\\"')
        rest += '"'
    inner = decode_json(f'"{rest}')
    return inner if isinstance(inner, str) else ""


def embedded_in(sources: list[Source], title: str) -> list[Stated]:
    """What a page's data state as its text: the posts of a Discourse topic, else the clearly largest body of any data."""
    found = []
    for source in sources:
        value = decode_json(source.text)
        if source.name == "__NUXT_DATA__" and isinstance(value, list):
            value = _joined(value)
        stated = _topic(value) if source.name == "data-preloaded" and isinstance(value, dict) else None
        stated = stated or _largest(value, source.name, title)
        if stated is not None:
            found.append(stated)
    return found


def _topic(preloaded: Thing) -> Stated | None:
    """The posts of the topic that a Discourse page was sent with."""
    name = next((name for name in preloaded if name.startswith("topic_") and isinstance(preloaded[name], str)), "")
    topic = decode_json(preloaded.get(name, "")) if name else None
    stream = topic.get("post_stream") if isinstance(topic, dict) else None
    posts = [
        _topic_post(post) for post in each(stream.get("posts") if isinstance(stream, dict) else None) if isinstance(post, dict)
    ]
    shown = tuple(post for post in posts if post.text)
    title = line_of(topic.get("title") or topic.get("fancy_title")) if isinstance(topic, dict) else ""
    return Stated("the data of its topic (data-preloaded)", shown, title, is_thread=True) if shown else None


def _topic_post(post: Thing) -> StatedPost:
    actions = [action for action in each(post.get("actions_summary")) if isinstance(action, dict)]
    likes = next((line_of(action.get("count")) for action in actions if action.get("id") == _DISCOURSE_LIKE), "")
    answered = post.get("reply_to_user")
    return StatedPost(
        cleaned(post.get("cooked")),
        line_of(post.get("username") or post.get("name")),
        moment(line_of(post.get("created_at"))),
        counted(likes, "likes"),
        answers=line_of(answered.get("username")) if isinstance(answered, dict) else "",
        is_accepted=post.get("accepted_answer") is True,
    )


_DISCOURSE_LIKE = 2  # the number of that kind of post action in Discourse


def _joined(values: list[Any]) -> Any:
    """A value from the flat form of Nuxt's payload, in which each object and list holds the places of its members."""

    def at(place: Any) -> Any:
        return built[place] if isinstance(place, int) and not isinstance(place, bool) and 0 <= place < len(built) else None

    built: list[Any] = [{} if isinstance(value, dict) else [] if isinstance(value, list) else value for value in values]
    for made, value in zip(built, values, strict=True):
        if isinstance(value, dict):
            made.update((name, at(place)) for name, place in value.items())
        elif isinstance(value, list):
            made.extend(at(place) for place in value)
    return built[0] if built else None


# A text of some data, the object it lies in, and the object around that.
_Found = tuple[str, Thing, Thing]


def _walk(root: Any, at: str = "") -> Iterator[tuple[str, _Found]]:
    """Each long text in some data, or each text at one place, with the pattern of its place."""
    waiting: deque[tuple[Any, str, Thing, Thing]] = deque([(root, "", {}, {})])
    seen: dict[int, Any] = {}  # holds what it has seen, so that no other value takes its number
    left = _NODES
    while waiting and left > 0:
        value, place, owner, outer = waiting.popleft()
        if isinstance(value, str):
            inner = decode_json(value) if len(value) >= _LEAST_TEXT_CHARS and value[0] in "{[" else None
            if inner is None and (place == at if at else len(value) >= _LEAST_TEXT_CHARS and _is_text(value)):
                yield place, (value, owner, outer)
            value = inner
        if not isinstance(value, dict | list) or id(value) in seen:
            continue
        seen[id(value)] = value
        left -= len(value)
        if isinstance(value, list):
            waiting.extend((one, f"{place}/*", owner, outer) for one in value if isinstance(one, str | dict | list))
            continue
        for name, one in value.items():
            if isinstance(one, str | dict | list) and name.lower() not in _SURFACE:
                waiting.append((one, f"{place}/{_DIGITS.sub('#', name[:_NAMED_CHARS])}", value, owner))


def _is_text(value: str) -> bool:
    """Whether a string is a body rather than code, a style sheet, an address or data."""
    start = value[:2_000]
    if _BLOCKS.search(start):
        start = _TAG.sub(" ", start)
    words = start.split()
    return len(words) >= _LEAST_WORDS and len(_CODE.findall(start)) * 20 < len(words) and max(map(len, words)) < 200


def _largest(value: Any, name: str, page_title: str) -> Stated | None:
    """The place in some data that clearly holds most of its text, as one post or several."""
    texts: dict[str, list[_Found]] = defaultdict(list)
    for place, found in _walk(value):
        texts[place].append(found)
    place = _clearly_largest(texts)
    found_there = [one for _, one in _walk(value, place)] if place else []
    posts = tuple(post for post in (_post(text, owner) for text, owner, _ in found_there) if post.text)
    if not posts:
        return None
    _, owner, outer = found_there[0]
    title = next(filter(None, (line_of(_value(owner if len(posts) == 1 else outer, key)) for key in _TITLES)), "")
    is_thread = len(posts) > 1 and any(post.author for post in posts)
    return Stated(f"data of its scripts ({name})", posts, title or page_title, is_thread)


def _clearly_largest(texts: dict[str, list[_Found]]) -> str:
    """The place of most text, if no other holds half as much of anything else; as HTML where it is told as HTML as well."""
    sizes = {place: sum(len(text) for text, *_ in found) for place, found in texts.items()}
    best = max(sizes, key=sizes.__getitem__, default="")
    if not best:
        return ""
    owners = {id(owner) for _, owner, _ in texts[best]}
    same = {place for place, found in texts.items() if owners & {id(owner) for _, owner, _ in found}}
    if any(size * _CLEARLY > sizes[best] for place, size in sizes.items() if place not in same):
        return ""
    in_html = (place for place in same if sizes[place] * 2 > sizes[best] and _BLOCKS.search(texts[place][0][0]))
    return max(in_html, key=sizes.__getitem__, default=best)


def _value(thing: Thing, key: str) -> Any:
    return next((value for name, value in thing.items() if name.replace("_", "").replace("-", "").lower() == key), None)


def _post(text: str, owner: Thing) -> StatedPost:
    author = next(filter(None, (_person(_value(owner, key)) for key in _AUTHORS)), "")
    date = next(filter(None, (_moment(_value(owner, key)) for key in _DATES)), "")
    score = next(filter(None, (counted(line_of(_value(owner, key)), unit) for key, unit in _SCORES.items())), "")
    return StatedPost(cleaned(text), author, date, score, line_of(_value(owner, "title")))


def _person(value: Any) -> str:
    if isinstance(value, dict):
        value = next((found for found in (_value(value, name) for name in _NAMES) if isinstance(found, str)), None)
    return line_of(value) if isinstance(value, str) and len(value) <= _NAMED_CHARS else ""


def _moment(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1_000 if _EPOCH.stop <= value < _EPOCH.stop * 1_000 else value
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}" if _EPOCH.start <= seconds < _EPOCH.stop else ""
    return moment(value) if isinstance(value, str) else ""
