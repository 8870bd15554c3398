"""The web's types: what is asked of search and page readers, and what they answer."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from limen.core.exchange import Usage
from limen.core.fault import Refusal
from limen.core.ledger import Treatment

PageFormat = Literal["markdown", "text", "html"]
PageType = Literal["", "article", "collection", "documentation", "forum", "listing", "product", "service"]
SearchType = Literal["web", "news", "images"]
ContextSize = Literal["low", "medium", "high"]
Redirects = Literal["", "follow", "same-host"]


class Link(msgspec.Struct, frozen=True):
    """A numbered link of a page; `n` counts from 1."""

    n: int
    text: str
    url: str


class Heading(msgspec.Struct, frozen=True):
    """A line of a page's outline: level 1 to 6, its text, its line in the Markdown, its anchor where it has one."""

    level: int
    text: str
    line: int
    anchor: str = ""


class Shell(msgspec.Struct, frozen=True):
    """What stands where a page should be, by a stable `code` (`reader.*`) and in a sentence.

    `kind` says which wall `reader.wall` is: captcha, blocked, region, age, consent, cookies, login, paywall; a `script` is what
    sends a reader on where no markup does. `targets` are the addresses where to. `partly`: some of the page is there as well.
    `mend` is empty where nobody has looked into what would help here.
    """

    code: str
    reason: str
    kind: str = ""
    targets: tuple[str, ...] = ()
    partly: bool = False
    mend: str = ""


class Page(msgspec.Struct, frozen=True):
    """A document turned into Markdown, or what `format` says. `text` is the whole; `dropped` names what was left out of it and
    how often. Only Markdown has an outline, and what is no HTML is never turned into it. `notices` are short sentences on what
    may be wrong with the text, or where it was taken from. `shell` is there where the text is no page, or only part of one.
    `page_type` is the likeliest type of an HTML page, empty for what is none. `plain` holds where the text has no marks of
    Markdown but is what it was: source, data, lines of a log."""

    url: str = ""
    title: str = ""
    text: str = ""
    media_type: str = "text/html"
    links: tuple[Link, ...] = ()
    outline: tuple[Heading, ...] = ()
    author: str = ""
    published: str = ""
    language: str = ""
    canonical_url: str = ""
    charset: str = ""
    dropped: dict[str, int] = {}
    format: PageFormat = "markdown"
    notices: tuple[str, ...] = ()
    shell: Shell | None = None
    page_type: PageType = ""
    plain: bool = False

    @property
    def is_file(self) -> bool:
        """Whether the text tells facts about a file that holds none: a picture, an archive."""
        return self.shell is not None and self.shell.code == "reader.file"


class Location(msgspec.Struct, frozen=True):
    """Where the person searches from, as far as they said. `country` is ISO 3166-1 alpha-2, `timezone` an IANA name."""

    country: str = ""
    region: str = ""
    city: str = ""
    timezone: str = ""

    def __bool__(self) -> bool:
        return bool(self.country or self.region or self.city or self.timezone)


class SearchRequest(msgspec.Struct, frozen=True):
    """A search. `limit` counts hits; the two domain lists exclude each other.

    `region` is a country with or without a language (`br`, `br-pt`). `context_size` asks for snippets only, for more of each
    page, or for a whole first passage; None leaves it to the provider. `live` asks for pages as they are now rather than as
    an index has them. `max_chars` caps each snippet. What a provider cannot do of all this it names in `SearchSource.ignored`.
    """

    query: str
    limit: int = 5
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    provider: str = ""
    recency_days: int | None = None
    type: SearchType = "web"
    region: str = ""
    context_size: ContextSize | None = None
    live: bool = False
    max_chars: int | None = None


class Hit(msgspec.Struct, frozen=True):
    """One search result. `ref` opens it (an address, or a library reference); `line` is where the snippet stands.

    `published` is ISO 8601 where the provider's date could be read, else as it was given. An image has the address of its file
    in `image_url`, of its page in `url`, and its size in pixels where that was said. `fit` is the share (0 to 1) of the
    question's weight that the hit holds, 0 where nobody measured it. `ref_id` is the session's handle for it, where it has one.
    """

    title: str
    url: str
    snippet: str
    position: int = 0
    ref: str = ""
    site: str = ""
    published: str = ""
    line: int | None = None
    score: float = 0.0
    n: int | None = None
    image_url: str = ""
    width: int | None = None
    height: int | None = None
    fit: float = 0.0
    ref_id: str = ""


class SearchSource(msgspec.Struct, frozen=True):
    """Who answered a search and what could not be done.

    `provider` is who the answer is from, `also` who else has hits in it, `engines_failed` who was asked and could not, with the
    code. `notices` say what of the request was read otherwise than it was written.
    Where a model made the hits, `made_by` is its route: their words are the model's, their addresses those it was shown.
    `usage` is what it took, to be counted as spend.
    """

    provider: str
    cached: bool = False
    age_s: float = 0.0
    rescued_from: str | None = None
    rescue_cause: str | None = None
    engines_failed: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    dropped: int = 0
    made_by: str = ""
    usage: Usage | None = None
    also: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


class SearchAnswer(msgspec.Struct, frozen=True):
    """Hits, or the refusal that says why there could be none: "no results" and "could not search" stay apart."""

    hits: tuple[Hit, ...]
    source: SearchSource
    refusal: Refusal | None = None
    treatment: Treatment = Treatment()


class Validators(msgspec.Struct, frozen=True):
    """What a server said to recognise this version of a page by; empty when it said nothing."""

    etag: str = ""
    last_modified: str = ""

    def __bool__(self) -> bool:
        return bool(self.etag or self.last_modified)


class Held(msgspec.Struct, frozen=True):
    """A page from an earlier reading that is too old to be shown unasked, with the server's words about it."""

    url: str
    page: Page
    validators: Validators


class Extraction(msgspec.Struct, frozen=True):
    """A wish to read pages. `limit_chars` caps what is shown of each; `fresh` passes by the cache.

    `redirects` says whether a page may lead to another host; empty leaves it to the settings. Of a page `held`, a reader that
    can ask for changes alone may give the held one back. `max_bytes` is for each page where fewer are wanted than the settings
    allow. With `files`, what a page without text is made of comes along where the reader has it.
    """

    urls: tuple[str, ...]
    format: PageFormat = "markdown"
    limit_chars: int = 15_000
    fresh: bool = False
    provider: str = ""
    held: tuple[Held, ...] = ()
    redirects: Redirects = ""
    max_bytes: int | None = None
    files: bool = False


class RawFile(msgspec.Struct, frozen=True):
    """Bytes that hold no text, the address they came from in the end, and the media type that was declared."""

    url: str
    media_type: str
    body: bytes


class Fetched(msgspec.Struct, frozen=True):
    """A page as it came through: who fetched it, when (ISO 8601, UTC), from where, and how much of it is shown.

    What is left out of it begins at `next_line`, and within that line at `next_char`; both count from 1, None is its start.
    `snapshot_at` is when an archived copy was taken, where the page is one (ISO 8601 as far as known). `notices` are short
    sentences on what was done otherwise than asked. `readers_failed` are those asked before who could not give it: `exa: CODE`.
    `moved_to` is where the address has moved for good.
    """

    requested: str
    page: Page
    provider: str
    fetched_at: str
    content: str
    chars_total: int
    chars_shown: int
    next_line: int | None = None
    next_char: int | None = None
    stored_path: str | None = None
    cache_path: str | None = None
    ignored: tuple[str, ...] = ()
    treatment: Treatment = Treatment()
    n: int | None = None
    validators: Validators = Validators()
    rescue_cause: str | None = None
    snapshot_at: str = ""
    notices: tuple[str, ...] = ()
    readers_failed: tuple[str, ...] = ()
    moved_to: str = ""

    @classmethod
    def whole(cls, requested: str, page: Page, provider: str, fetched_at: str, treatment: Treatment) -> "Fetched":
        """A page of which nothing has been left out yet."""
        size = len(page.text)
        return cls(requested, page, provider, fetched_at, page.text, size, size, treatment=treatment)


class Unread(msgspec.Struct, frozen=True):
    """A page that was refused or failed: its place in the batch is kept. `file` is what it is made of, where that was wished."""

    requested: str
    refusal: Refusal
    treatment: Treatment = Treatment()
    file: RawFile | None = None


Entry = Fetched | Unread


class ExtractAnswer(msgspec.Struct, frozen=True):
    """One entry for each requested URL, in the caller's order; or one refusal of the whole call."""

    entries: tuple[Entry, ...] = ()
    refusal: Refusal | None = None


def sent_to(entry: Entry) -> tuple[str, ...]:
    """Readers that were given the page's address, in order: nobody for a file, a page from the cache, or where no gate let it."""
    gates = entry.treatment.gates
    if isinstance(entry, Fetched):
        if entry.page.url.startswith("file:") or any(verdict.code in _AT_HAND for verdict in gates):
            return ()
        return tuple(dict.fromkeys((*_asked(entry.readers_failed), entry.provider)))
    reader = _reader(entry)
    # Whoever refused had let it pass before, or is no gate: it has been out by then.
    if reader is None or (gates[-1].gate in _GATES and gates[-1].gate not in {verdict.gate for verdict in gates[:-1]}):
        return ()
    others = (said for name in ("readers", "rescue") for said in entry.refusal.detail.get(name, {}).items())
    return tuple(dict.fromkeys((reader, *_asked(f"{name}: {said.rpartition('[')[2].rstrip(']')}" for name, said in others))))


# What the gate `cache` says of a page for which nobody had to be asked.
_AT_HAND = frozenset({"cache.hit", "cache.library", "cache.stored"})
_GATES = frozenset({"secrets", "network", "resolve", "policy", "permission", "cache", "rescue"})
# What is said of a reader by others than itself, once it has been asked; any other code of this area says why it could not be.
_OF_THE_ASKED = frozenset({"web.no_answer", "web.provider_failed", "web.timeout", "web.interrupted"})


def _asked(said: Iterable[str]) -> Iterator[str]:
    """Those readers of `NAME: CODE` that were asked at all."""
    for name, _, code in (one.partition(": ") for one in said):
        if code in _OF_THE_ASKED or not code.startswith(("web.", "rescue.")):
            yield name


def _reader(entry: Unread) -> str | None:
    """Who was to read a page that could not be read, as the gate `resolve` chose."""
    codes = (verdict.code for verdict in entry.treatment.gates if verdict.gate == "resolve" and verdict.verdict == "allow")
    chosen = next((code for code in codes if code is not None), None)
    return None if chosen is None else chosen.partition(".")[2]


def _rescue_notice(entry: Fetched) -> tuple[str, ...]:
    others = [name for name in sent_to(entry) if name not in (entry.treatment.rescued_from, "local")]
    if entry.treatment.rescued_from is None or not others:
        return ()
    notice = f"{entry.treatment.rescued_from} failed, so the address also went to {' and '.join(others)}, whom nobody chose."
    return (f"{notice} Setting: web.keyless_rescue.",)


def published_entry(entry: Entry) -> dict[str, Any]:
    """An entry in the shape of `limen extract --json`."""
    return _published_unread(entry) if isinstance(entry, Unread) else _published_page(entry)


def published_facts(page: Page) -> dict[str, Any]:
    """All that is known of a page beside its text, in the shape of `page` in `limen extract --json`."""
    facts = {name: getattr(page, name) for name in _FACTS}
    return msgspec.to_builtins({**facts, "shell": page.shell})  # type: ignore[no-any-return]  # a dict stays one


_FACTS = ("author", "published", "language", "canonical_url", "page_type", "charset", "outline", "links", "dropped")


def _published_unread(entry: Unread) -> dict[str, Any]:
    shape: dict[str, Any] = {"url": entry.requested, "title": "", "content": "", "error": entry.refusal.published()}
    if "blocked_by_policy" in entry.refusal.detail:
        shape["blocked_by_policy"] = entry.refusal.detail["blocked_by_policy"]
    return {**shape, "source": {"provider": _reader(entry), "sent_to": list(sent_to(entry))}}


def _published_page(entry: Fetched) -> dict[str, Any]:
    treatment = entry.treatment
    return {
        "url": entry.requested,
        "title": entry.page.title,
        "content": entry.content,
        "error": None,
        **{name: said for name in ("author", "published") if (said := getattr(entry.page, name))},
        **({"n": entry.n} if entry.n is not None else {}),
        "source": {
            "final_url": entry.page.url,
            "provider": entry.provider,
            "media_type": entry.page.media_type,
            "format": entry.page.format,
            "fetched_at": entry.fetched_at,
            "cached": treatment.cached,
            "age_s": treatment.age_s,
            "rescued_from": treatment.rescued_from,
            "rescue_cause": entry.rescue_cause,
            "readers_failed": list(entry.readers_failed),
            "sent_to": list(sent_to(entry)),
            "ignored": list(entry.ignored),
            "chars_total": entry.chars_total,
            "chars_shown": entry.chars_shown,
            "stored_path": entry.stored_path,
            "cache_path": entry.cache_path,
            "next_line": entry.next_line,
            "next_char": entry.next_char,
            "snapshot_at": entry.snapshot_at or None,
            "notices": [*entry.page.notices, *entry.notices, *_rescue_notice(entry)],
        },
    }


def published_search(answer: SearchAnswer) -> dict[str, Any]:
    """A search answer in the shape of `limen search --json`."""
    if answer.refusal is not None:
        return {"error": answer.refusal.published(), "results": []}
    hits = [
        {
            "title": hit.title,
            "url": hit.url,
            "snippet": hit.snippet,
            "position": hit.position,
            "ref": hit.ref,
            "site": hit.site,
            "published": hit.published,
            **({"line": hit.line} if hit.line is not None else {}),
            **({"n": hit.n} if hit.n is not None else {}),
            **({"ref_id": hit.ref_id} if hit.ref_id else {}),
            **({"image_url": hit.image_url, "width": hit.width, "height": hit.height} if hit.image_url else {}),
        }
        for hit in answer.hits
    ]
    return {"results": hits, "source": msgspec.to_builtins(answer.source)}
