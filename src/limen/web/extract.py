"""`web_extract`: reads pages. Every address passes the gates on its way out, every page on its way in."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import anyio.to_thread
import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import ExtractProvider
from limen.core.untrusted import Nonce
from limen.core.web import Entry, ExtractAnswer, Extraction, Fetched, Page, Unread
from limen.kit.atomic import write_private
from limen.kit.clock import monotonic_s
from limen.kit.pipeline import pipeline
from limen.net.same_host import cross_host
from limen.net.url import MAX_URL_CHARS, normalise, parse
from limen.web.call import ExtractCall, ExtractGate, ExtractProceed, Wanted, unread, unread_behind
from limen.web.choice import choose
from limen.web.debug import DebugLog, extract_record
from limen.web.log_lines import Say, unsaid
from limen.web.mode import Mode, switched_off
from limen.web.pulling import Pulling
from limen.web.shapers.shape import Shapers, Share
from limen.web.trace import taking, timed

# Outermost first.
EXTRACT_GATES = ("secrets", "network", "resolve", "policy", "permission", "cache", "rescue")
EXTRACT_SHAPERS = ("images", "shelve", "wrap")


class ExtractRules(msgspec.Struct, frozen=True):
    """What an operator sets for page reading. `searchers` are the names of providers that search and read no pages.

    `patience_s` is what a reader may take for every four pages; `same_host` hands back a page that leads to another host.
    """

    backend: str = "local"
    max_url_chars: int = 8_000
    mode: Mode = "live"
    searchers: frozenset[str] = frozenset()
    chain: tuple[str, ...] = ()
    patience_s: float = 120.0
    same_host: bool = False


def wanted_of(url: str, max_url_chars: int) -> Wanted | Unread:
    """An address on its way to the gates, or why it does not even get there.

    Codes: `network.malformed` for an empty one, `network.url_too_long`.
    """
    plain = Wanted(url, url)
    if not url.strip():
        refusal = Refusal("network", "network.malformed", "The address is empty.", "Give a full address: https://…")
        return unread(plain, refusal)
    if len(url) > max_url_chars:
        reason = f"The address has {len(url):,} characters; {max_url_chars:,} are allowed."
        opens = f"limen config set reader.max_url_chars {len(url)}" if len(url) <= MAX_URL_CHARS else "Give a shorter address."
        return unread(plain, Refusal("network", "network.url_too_long", reason, opens))
    normal = normalise(url)
    # An address that cannot be normalised still goes to `secrets` as it is; `network` then refuses it by its code.
    return Wanted(url, url if isinstance(normal, Refusal) else normal)


class ReadingParts(NamedTuple):
    """What page reading is made of: its gates and its readers by name, and what an operator set."""

    gates: Mapping[str, ExtractGate]
    providers: Mapping[str, ExtractProvider]
    rules: ExtractRules


class Extractor:
    """The pipeline of gates. `parts` gives them as they are now: where they change, the next call has the new ones.

    `fenced` False is for people and programs, who get the page's text as it is. `say` keeps the log, `debug` a record of calls.
    `make_room` is called off the loop once something was stored. `command` is how a person calls Limen.
    """

    def __init__(
        self,
        parts: Callable[[], ReadingParts],
        pages: Path,
        nonce: Nonce,
        say: Say = unsaid,
        debug: DebugLog | None = None,
        make_room: Callable[[], None] = lambda: None,
        command: str = "limen",
    ) -> None:
        self._parts = parts
        self._shape = Shapers(pages, nonce, command)
        self._say = say
        self._debug = debug
        self._make_room = make_room
        self._assembled: tuple[ReadingParts, ExtractProceed] | None = None

    def parts(self) -> ReadingParts:
        """Gates, readers and rules as they are now."""
        return self._parts()

    @property
    def backend(self) -> str:
        """Who reads pages when a call does not say."""
        return self._parts().rules.backend

    def unavailable(self) -> Refusal | None:
        """Why no page could be read now, from configuration and installed packages alone."""
        parts = self._parts()
        names = parts.rules.chain or (parts.rules.backend,)
        chosen = [choose(name, parts.providers, "extract", others=parts.rules.searchers) for name in names]
        refusals = [one for one in chosen if isinstance(one, Refusal)]
        return refusals[0] if len(refusals) == len(chosen) else None

    def stored_at(self, page: Page) -> Path:
        """Where the whole of that page is stored once it is cut."""
        return self._shape.stored_at(page)

    async def store(self, page: Page, content: bytes | str, suffix: str = ".md") -> Path:
        """Keep a text, or a file with this ending, where the whole of that page belongs, and make room for it. Raises OSError."""
        path = self.stored_at(page).with_suffix(suffix)
        await anyio.to_thread.run_sync(write_private, path, content)
        await anyio.to_thread.run_sync(self._make_room)
        return path

    async def shaped(self, entry: Entry, limit_chars: int) -> Entry:
        """What a person named and got past no gate, shown as a page is."""
        (shown,) = await self._shape([entry], limit_chars, fenced=False)
        if isinstance(shown, Fetched) and shown.treatment.stored_path:
            await anyio.to_thread.run_sync(self._make_room)
        return shown

    async def extract(
        self, extraction: Extraction, context: CallContext, *, fenced: bool = True, share: Share | None = None
    ) -> ExtractAnswer:
        """One entry for each address, in the caller's order; the same address twice is fetched once and answered twice.

        `share` says how much of each page is shown, where that depends on the others.
        """
        began_s = monotonic_s()
        trace = self._debug.trace() if self._debug is not None else None
        call = ExtractCall((), extraction, context, trace=trace)
        answer = await self._answer(call)
        if answer.refusal is None:
            shaping = partial(self._shape, answer.entries, extraction.limit_chars, fenced=fenced, share=share)
            answer = ExtractAnswer(tuple(await taking(trace, "shapers", shaping)))
            if any(isinstance(entry, Fetched) and entry.treatment.stored_path for entry in answer.entries):
                await anyio.to_thread.run_sync(self._make_room)
        _log(answer, extraction, self._say)
        if self._debug is not None and trace is not None:
            record = extract_record(extraction, answer, trace, EXTRACT_GATES, monotonic_s() - began_s)
            await self._debug.note("web_extract", context, record)
        return answer

    async def _answer(self, call: ExtractCall) -> ExtractAnswer:
        parts, proceed = self._current()
        urls = call.extraction.urls
        if (refusal := switched_off(parts.rules.mode)) is not None:
            return ExtractAnswer(refusal=refusal)
        unique = list(dict.fromkeys(urls))
        shaped = [wanted_of(url, parts.rules.max_url_chars) for url in unique]
        wanted = tuple(one for one in shaped if isinstance(one, Wanted))
        answer = await proceed(msgspec.structs.replace(call, wanted=wanted)) if wanted else ExtractAnswer()
        if answer.refusal is not None:
            return answer
        redirects = call.extraction.redirects
        same_host = redirects == "same-host" or (not redirects and parts.rules.same_host)
        inside = iter([_on_its_host(entry) if same_host else entry for entry in answer.entries])
        entries = {url: next(inside) if isinstance(one, Wanted) else one for url, one in zip(unique, shaped, strict=True)}
        return ExtractAnswer(tuple(entries[url] for url in urls))

    def _current(self) -> tuple[ReadingParts, ExtractProceed]:
        parts = self._parts()
        if self._assembled is None or self._assembled[0] is not parts:
            gates = [timed(name, parts.gates[name]) for name in EXTRACT_GATES if name in parts.gates]
            self._assembled = parts, pipeline(gates, Pulling(parts.rules.patience_s))
        return self._assembled


def _on_its_host(entry: Entry) -> Entry:
    """A page that came from another host than it was asked of is handed back as a choice, whoever read it."""
    if isinstance(entry, Unread):
        return entry
    asked, final = parse(entry.requested), parse(entry.page.url)
    refusal = None if isinstance(asked, Refusal) or isinstance(final, Refusal) else cross_host(asked, final)
    if refusal is None:
        return entry
    return unread_behind(entry.requested, refusal, entry.treatment.gates)


def _log(answer: ExtractAnswer, extraction: Extraction, say: Say) -> None:
    """One line for each hit, each rescue and each refusal by a gate."""
    if answer.refusal is not None:
        say(answer.refusal.code, " ".join(extraction.urls), f"refused by {answer.refusal.gate}")
    for entry in {entry.requested: entry for entry in answer.entries}.values():
        if isinstance(entry, Unread):
            if entry.refusal.gate in EXTRACT_GATES or entry.refusal.gate == "redirect":
                say(entry.refusal.code, entry.requested, f"refused by {entry.refusal.gate}")
            continue
        treatment = entry.treatment
        hit = next((one.code for one in treatment.gates if one.gate == "cache" and one.verdict == "hit"), None)
        if hit:
            say(hit, entry.requested, f"{entry.provider} read it {treatment.age_s:.0f} s ago")
        if treatment.rescued_from:
            code = next((one.code for one in treatment.gates if one.gate == "rescue" and one.code), "rescue.rescued")
            say(code, entry.requested, f"{entry.provider} answered for {treatment.rescued_from}")
