"""Whether a page is one, or what stands where it should be: a wall, an error page, an empty frame that scripts would fill.

A few cheap features are counted, and little text is one of them: a long page on captchas is a page. A miss costs less than a page
that is turned away.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import urljoin

import re2
from turbohtml import Document, Element, parse

from limen.core.web import Page, Shell
from limen.reading.elements import attribute
from limen.reading.markup.addresses import NO_NAME

# A text longer than this is read for what it says; no wall that was seen has as much of its own.
_WALL_CHARS = 2_500
_WHOLE_CHARS = 20_000
_MARKUP_HEAD_CHARS = 80_000
_MARKUP_TAIL_CHARS = 20_000
_MACHINERY = ("script", "noscript", "template")

_TARGET = re.compile(r"\]\([^()\s]*(?: \"[^\"\n]{0,300}\")?\)")
_LINKED = re.compile(r"\[[^\[\]\n]{0,300}\]\([^()\s]*\)|<a\b[^<>]{0,2000}>[^<>]{0,300}</a>")
_TAG = re.compile(r"<[^<>\n]{1,2000}>")
_PICTURE = re.compile(r"!\[[^\]\n]*\](?:\([^()\s]*\))?")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_HEADLINE_CHARS = 300
_MOST_HEADINGS = 20
_DIALOGS = "dialog,[role=dialog],[aria-modal=true]"
_MOST_FRAMES = 8
# Matches nothing at all.
_NOTHING = r"[^\x00-\x{10FFFF}]"
_MARKS = frozenset("[]()!*_#>|-…\\`")
_EDGES = " \t\n#*_>-–—…[]()|\"'«».!?:;,。！？"
_PARTS = re.compile(r"\s+[|–—·»«\-]+\s+|\s*\|\s*|:\s+|\s+::\s+")
_EXCLAIMED = re.compile(r"^(?:oops|ooops|whoops|ups|sorry|uh[ -]?oh|hoppla|error|fehler|erreur|oh no)\b[\s!,.:–-]+")
# Where scripts would put a page, by the names that frameworks give it.
_MOUNTS = (
    "#root,#app,#__next,#__nuxt,#___gatsby,#react-root,#app-root,#main-app,#svelte,#q-app,#application,app-root,[ng-app],"
    "[data-reactroot]"
)
_SENT_ON = re.compile(
    r"(?:window|document|top|self|parent)?\.?\blocation(?:\.href)?\s*=\s*[\"']([^\"'\s]{1,2000})[\"']|"
    r"\blocation\.(?:replace|assign)\(\s*[\"']([^\"'\s]{1,2000})[\"']\s*\)"
)
_SENDING_SCRIPT_CHARS = 3_000
# A later refresh is of a page that renews itself.
_REFRESH = re.compile(r"\s*(?:\d|10)?(?:\.\d{0,9})?\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"'\s]{1,2000})", re.IGNORECASE)
_CLOSED = re.compile(r"\"isaccessibleforfree\"\s*:\s*\"?(?:false|no)\b")
_CUT_OFF = ("…", "...", "[…]", "[...]")
_PAYWALL_TAIL_CHARS = 800
_TEASER_CHARS = 1_500
_PAID_NEED = 3
_MOST_ELEMENTS = 5_000
_FEW_CHARS = 300
# A notice to readers without scripts is short; a longer text is read for what it says.
_NOTICE_CHARS = 600
_FOLLOW_UP_CHARS = 80
_NEXT_TO_NOTHING_CHARS = 60
_LITTLE_CHARS = 250
# As much may stand around the place where scripts put a page: menus, a footer.
_FRAMED_CHARS = 1_500
_SCRIPTED_CHARS = 50_000
# A page without text whose source has so much carries what it shows elsewhere than in its text.
_CARRYING_CHARS = 4_000
_SCRIPTS = re.compile(r"java\s?script|\bjs\b")
_FOLLOWS_UP = re.compile(r"\b(?:browser|navigateur|navegador|reload|refresh|enable it|try again|javascript)\b")

EMPTY = Shell("reader.empty_page", "The page holds no text.")
_UNDRAWN = Shell("reader.needs_browser", "The page has no text without running its scripts.")
_PARTLY_DRAWN = Shell("reader.needs_browser", "Most of the page is drawn by its scripts, which were not run.", partly=True)
_PAID_PARTLY = Shell(
    "reader.wall", "Only the beginning of the page is shown; the whole of it is for subscribers.", "paywall", partly=True
)
_PAID = Shell("reader.wall", "The page is shown whole to subscribers alone.", "paywall")


class _Wall(NamedTuple):
    """One kind of page that is none, as `walls.toml` has it."""

    shell: Shell
    headline: "re2.Pattern"
    wording: "re2.Pattern"
    sign: "re2.Pattern"
    hint: "re2.Pattern"
    place: "re2.Pattern"
    need: int
    most: int
    bare: int


class _Words(NamedTuple):
    """All patterns; `telling` is found in a markup where any wall's sign or hint is."""

    walls: tuple[_Wall, ...]
    telling: "re2.Pattern"
    paid: "re2.Pattern"
    paid_place: "re2.Pattern"
    demand: "re2.Pattern"
    waiting: "re2.Pattern"


class _Said(NamedTuple):
    """What a page says, in lower case: how it calls itself, a line each; all its text; the sentences of its main part beside
    links, and its size in characters with them; its markup, empty where it tells nothing."""

    headlines: str
    whole: str
    sentences: tuple[str, ...]
    chars: int
    markup: str
    noindex: bool
    says_something: bool

    @property
    def spoken_chars(self) -> int:
        """Characters of its sentences."""
        return sum(map(len, self.sentences))


def shell_of(page: Page, source: str) -> Shell | None:
    """What stands for the page, None where it is one. `source` is the HTML that `page` was read from, whatever its format."""
    plain = _TAG.sub(" ", _TARGET.sub("]", page.text.replace(f"![{NO_NAME}](", "![]("))).strip()
    closed = "sAccessibleForFree" in source and _CLOSED.search(source.lower()) is not None
    if len(plain) > _WALL_CHARS and not closed:
        return None
    document = parse(source, positions=False)
    if len(plain) > _WALL_CHARS:
        return _paid(plain, document, closed=True)
    scripts = _take_scripts(document)
    said = _said(page, plain, document, source)
    return (
        _wall(said, page.url)
        or _frames(document, said, page.url)
        or _paid(plain, document, closed=closed)
        or _sent_on(document, scripts, said, page.url)
        or _undrawn(page, document, scripts, said, len(source))
        or (None if said.says_something else EMPTY)
    )


@cache
def _words() -> _Words:
    """The patterns, compiled at the first page that needs them: that takes 30 ms, and most pages need none."""
    data = tomllib.loads((files("limen.reading.html") / "walls.toml").read_text("utf-8"))
    walls = tuple(map(_wall_of, data["walls"]))
    telling = _compiled(sign for one in data["walls"] for name in ("sign", "hint") for sign in one.get(name, ()))
    paid, scripts = data["paywall"], data["scripts"]
    return _Words(walls, telling, *map(_compiled, (paid["wording"], paid["hint"], scripts["demand"], scripts["waiting"])))


def _wall_of(told: Mapping[str, Any]) -> _Wall:
    """One wall. Codes: `reader.wall`, `reader.not_found`, `reader.parked`, `reader.unavailable`."""
    wording, sign, hint, place = (_compiled(told.get(name, ())) for name in ("wording", "sign", "hint", "place"))
    headline = re2.compile(f"(?m)^(?:{_either(told['headline'])})$")
    shell = Shell(told["code"], told["reason"], told.get("kind", ""))
    return _Wall(shell, headline, wording, sign, hint, place, told["need"], told["most"], told["bare"])


def _compiled(patterns: Iterable[str]) -> "re2.Pattern":
    return re2.compile(_either(patterns) or _NOTHING)


def _either(patterns: Iterable[str]) -> str:
    return "|".join(f"(?:{pattern})" for pattern in patterns)


def _folded(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())


def _take_scripts(document: Document) -> list[str]:
    """The page's own scripts, which are taken out of it with what else is no text."""
    own = (one for one in document.select("script") if "javascript" in (one.attr("type") or "javascript"))
    scripts = [element.text for element in own]
    for element in document.select("script,style,template"):
        element.extract()
    return scripts


def _said(page: Page, plain: str, document: Document, source: str) -> _Said:
    body = document.find("body") or document.root
    title = document.select_one("title")
    headings = document.select("h1,h2")[:_MOST_HEADINGS]
    headings = [one for one in headings if one.closest(_DIALOGS) is None] or headings
    named = [title.text if title is not None else "", *(one.text for one in headings[:2])]
    first = next((line for line in plain.splitlines() if line.strip(_EDGES)), "")
    names = dict.fromkeys(name for text in (*named, first) if len(text) < _HEADLINE_CHARS for name in _names(text))
    spoken = _TARGET.sub("]", _TAG.sub(" ", _LINKED.sub("", _PICTURE.sub("", page.text))))
    markup = (source[:_MARKUP_HEAD_CHARS] + source[_MARKUP_HEAD_CHARS:][-_MARKUP_TAIL_CHARS:]).lower().replace("'", '"')
    return _Said(
        headlines="\n".join(filter(None, names)),
        whole=_folded(body.text[:_WHOLE_CHARS]) if body is not None else "",
        sentences=tuple(filter(None, (_folded(one).strip(_EDGES) for one in _SENTENCE.findall(spoken)))),
        chars=len(plain),
        markup=markup if _words().telling.search(markup) else "",
        noindex="noindex" in attribute(document.select_one('meta[name="robots"]'), "content").lower(),
        says_something=any(not char.isspace() and char not in _MARKS for char in plain),
    )


def _names(text: str) -> Iterable[str]:
    """A headline and its parts, without what stands around them."""
    folded = _folded(text)
    for part in {folded, *_PARTS.split(folded)}:
        bare = part.strip(_EDGES)
        yield bare
        yield _EXCLAIMED.sub("", bare)


def _wall(said: _Said, url: str) -> Shell | None:
    scores = {wall.shell: _score(wall, said, url.lower()) for wall in _words().walls}
    best = max(scores, key=lambda shell: scores[shell])
    return best if scores[best] > 0 else None


def _score(wall: _Wall, said: _Said, url: str) -> int:
    """By how much a page is this wall; 0 where it is not."""
    named = wall.headline.search(said.headlines) is not None
    signed = bool(said.markup) and wall.sign.search(said.markup) is not None
    placed = wall.place.search(url) is not None
    if not (named or signed or placed):
        return 0
    worded = wall.wording.search(said.whole) is not None
    rest = sum(len(one) for one in said.sentences if not (wall.wording.search(one) or wall.headline.search(one)))
    if rest > wall.most or not (named or signed or worded):
        return 0
    structure = 2 if signed else int(bool(said.markup) and wall.hint.search(said.markup) is not None)
    score = 2 * named + worded + structure + placed + said.noindex + (rest <= wall.bare)
    return max(0, score - wall.need + 1)


def _frames(document: Document, said: _Said, url: str) -> Shell | None:
    """A page that shows others in frames, and next to nothing of its own."""
    frames = document.select("frameset frame[src]") or document.select("body iframe[src]")
    if said.spoken_chars > _NEXT_TO_NOTHING_CHARS or not frames or len(frames) > _MOST_FRAMES:
        return None
    targets = _targets((frame.attr("src") or "" for frame in frames if not _is_hidden(frame)), url)
    reason = "The page is made of frames, each a page of its own."
    return Shell("reader.frames", reason, targets=targets) if targets else None


def _is_hidden(frame: Element) -> bool:
    """Whether a frame measures rather than shows."""
    style = (frame.attr("style") or "").replace(" ", "").lower()
    return (
        "display:none" in style
        or "visibility:hidden" in style
        or {frame.attr("width"), frame.attr("height")} & {"0", "1", "0px"} != set()
    )


def _targets(written: Iterable[str], url: str) -> tuple[str, ...]:
    """The web addresses that are written, other than the page's own."""
    found = []
    for one in written:
        with suppress(ValueError):
            address = urljoin(url, one.strip())
            web = address.startswith(("http://", "https://")) and address.isprintable() and " " not in address
            if web and address.partition("#")[0] != url.partition("#")[0]:
                found.append(address)
    return tuple(dict.fromkeys(found))


def _paid(plain: str, document: Document, *, closed: bool) -> Shell | None:
    """A page of which only subscribers see the whole: it says so to machines, or to people, and the text is cut."""
    words = _words()
    body = document.find("body")
    tail = _folded(plain[-_PAYWALL_TAIL_CHARS:])
    asked = words.paid.search(tail) is not None
    if not asked and len(plain) <= _WALL_CHARS and body is not None:
        asked = words.paid.search(_folded(body.text[:_WHOLE_CHARS])) is not None
    cut = plain.rstrip(' "”»)_*').endswith(_CUT_OFF)
    if len(plain) > _WALL_CHARS:
        return _PAID_PARTLY if asked or cut else None
    if not (asked or closed):
        return None
    places = " ".join(f"{one.attr('class')} {one.attr('id')}" for one in document.select("[class],[id]")[:_MOST_ELEMENTS])
    walled = words.paid_place.search(places.lower()) is not None
    if 2 * closed + asked + walled + cut + (len(plain) < _TEASER_CHARS) < _PAID_NEED or not (closed or (asked and walled)):
        return None
    return _PAID if len(plain) < _FEW_CHARS else _PAID_PARTLY


def _sent_on(document: Document, scripts: Iterable[str], said: _Said, url: str) -> Shell | None:
    """A page that only sends its reader on, by its head or by a script."""
    if said.spoken_chars > _FEW_CHARS:
        return None
    refreshes = (
        found
        for element in document.select("meta[http-equiv][content]")
        if _is_refresh(element) and (found := _REFRESH.match(element.attr("content") or ""))
    )
    targets, kind = _targets((found.group(1) for found in refreshes), url), ""
    source = "\n".join(scripts)
    if not targets and len(source) < _SENDING_SCRIPT_CHARS and said.spoken_chars <= _NEXT_TO_NOTHING_CHARS:
        targets, kind = _targets((one or other for one, other in _SENT_ON.findall(source)), url), "script"
    if len(targets) != 1:
        return None
    return Shell("reader.redirect", "The page only sends its reader on to another one.", kind, targets)


def _is_refresh(element: Element) -> bool:
    return (element.attr("http-equiv") or "").strip().lower() == "refresh"


def _undrawn(page: Page, document: Document, scripts: Sequence[str], said: _Said, size: int) -> Shell | None:
    """A page that is drawn by its scripts, or most of which is."""
    mount = document.select_one(_MOUNTS)
    mounted = mount is not None and not mount.text.strip()
    if not said.says_something:
        machinery = any(page.dropped.get(name) for name in _MACHINERY)
        return _UNDRAWN if machinery or mounted or size > _CARRYING_CHARS else None
    if not page.dropped.get("script"):
        return None
    title = _folded(page.title).strip(_EDGES)
    told = [one for one in said.sentences if one != title and any(map(str.isalnum, one))]
    rest = [one for one in told if not _asks_for_scripts(one)]
    left = sum(map(len, rest))
    asks = len(rest) < len(told) and all(len(one) < _FOLLOW_UP_CHARS and _FOLLOWS_UP.search(one) for one in rest)
    if asks and len(page.text) <= _NOTICE_CHARS:
        return _UNDRAWN
    bulky = size > _SCRIPTED_CHARS
    bare = len(said.whole) <= (_FRAMED_CHARS if mounted else _LITTLE_CHARS)  # what was left out is no script's to draw
    if max(left, said.chars) > _LITTLE_CHARS or not bare or not (mounted or bulky):
        return None
    demanded = any(map(_asks_for_scripts, _SENTENCE.findall(said.whole)))
    return _UNDRAWN if left <= _NEXT_TO_NOTHING_CHARS and mounted and (demanded or bulky) else _PARTLY_DRAWN


def _asks_for_scripts(sentence: str) -> bool:
    words = _words()
    return bool(words.waiting.fullmatch(sentence) or (_SCRIPTS.search(sentence) and words.demand.search(sentence)))
