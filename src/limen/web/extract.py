"""`web_extract`: reads pages. Every address passes the gates on its way out, every page on its way in."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Fault, Refusal
from limen.core.ledger import Treatment
from limen.core.ports import ExtractProvider, Pulled
from limen.core.untrusted import Nonce
from limen.core.web import Entry, ExtractAnswer, Extraction, Fetched, Page, PageFormat, Unread
from limen.kit.clock import Clock, iso_utc, wall_s
from limen.kit.log import logger
from limen.kit.pipeline import pipeline
from limen.net.policy import AddressPolicy
from limen.net.url import MAX_URL_CHARS, normalise
from limen.web.call import ExtractCall, ExtractGate, Wanted, unread
from limen.web.choice import choose
from limen.web.mode import outside_mode
from limen.web.shapers.shape import Shapers, Share
from limen.web.shapers.shelve import STORE_CHARS
from limen.web.substance import without_text

# Outermost first.
EXTRACT_GATES = ("secrets", "network", "resolve", "policy", "permission", "cache", "rescue")
EXTRACT_SHAPERS = ("images", "shelve", "wrap")


class ExtractRules(msgspec.Struct, frozen=True):
    """What an operator sets for page reading. `searchers` are the names of providers that search and read no pages."""

    backend: str = "local"
    addresses: AddressPolicy = AddressPolicy()
    max_url_chars: int = 8_000
    mode: Literal["off", "cached", "indexed", "live"] = "live"
    searchers: frozenset[str] = frozenset()


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


class Extractor:
    """The pipeline of `gates` by name. `fenced` False is for people and programs, who get the page's text as it is."""

    def __init__(
        self,
        gates: Mapping[str, ExtractGate],
        providers: Mapping[str, ExtractProvider],
        rules: ExtractRules,
        pages: Path,
        nonce: Nonce,
    ) -> None:
        self._rules = rules
        self._providers = providers
        self._shape = Shapers(pages, nonce)
        self._clock: Clock = wall_s
        self._proceed = pipeline([gates[name] for name in EXTRACT_GATES if name in gates], self._fetch)

    @property
    def backend(self) -> str:
        """Who reads pages when a call does not say."""
        return self._rules.backend

    def unavailable(self) -> Refusal | None:
        """Why no page could be read now, from configuration and installed packages alone."""
        chosen = choose(self._rules.backend, self._providers, "extract", others=self._rules.searchers)
        return chosen if isinstance(chosen, Refusal) else None

    def stored_at(self, page: Page) -> Path:
        """Where the whole of that page is stored once it is cut."""
        return self._shape.stored_at(page)

    async def extract(
        self, extraction: Extraction, context: CallContext, *, fenced: bool = True, share: Share | None = None
    ) -> ExtractAnswer:
        """One entry for each address, in the caller's order; the same address twice is fetched once and answered twice.

        `share` says how much of each page is shown, where that depends on the others.
        """
        if (refusal := outside_mode(self._rules.mode)) is not None:
            return ExtractAnswer(refusal=refusal)
        unique = list(dict.fromkeys(extraction.urls))
        shaped = [wanted_of(url, self._rules.max_url_chars) for url in unique]
        wanted = tuple(one for one in shaped if isinstance(one, Wanted))
        call = ExtractCall(wanted, extraction, context)
        answer = await self._proceed(call) if wanted else ExtractAnswer()
        if answer.refusal is not None:
            return answer
        inside = iter(answer.entries)
        entries = {url: next(inside) if isinstance(one, Wanted) else one for url, one in zip(unique, shaped, strict=True)}
        in_order = [entries[url] for url in extraction.urls]
        return ExtractAnswer(tuple(await self._shape(in_order, extraction.limit_chars, fenced=fenced, share=share)))

    async def page(self, url: str, context: CallContext) -> Page | Refusal:
        """One page, whole and unfenced, for a person or the library."""
        answer = await self.extract(Extraction((url,), limit_chars=STORE_CHARS), context, fenced=False)
        if answer.refusal is not None:
            return answer.refusal
        (entry,) = answer.entries
        return entry.refusal if isinstance(entry, Unread) else entry.page

    async def _fetch(self, call: ExtractCall) -> ExtractAnswer:
        provider = call.provider
        if provider is None:
            raise AssertionError("the gate `resolve` stands outside the fetch")
        request = msgspec.structs.replace(call.extraction, urls=tuple(one.url for one in call.wanted))
        try:
            pulled = {one.requested: one for one in await provider.extract(request, call.context)}
        except Fault as fault:
            refusal = Refusal(provider.name, fault.code, fault.reason, fault.mend)
            pulled = {one.url: Pulled(one.url, refusal=refusal) for one in call.wanted}
        except Exception as error:  # noqa: BLE001 - a provider is a plug-in: its failure costs its pages, never the call
            logger.exception("extract provider %s failed", provider.name)
            refusal = Refusal(provider.name, "web.provider_failed", f"{provider.name} failed: {type(error).__name__}: {error}")
            pulled = {one.url: Pulled(one.url, refusal=refusal) for one in call.wanted}
        return ExtractAnswer(
            tuple(self._entry(one, pulled.get(one.url), provider.name, call.extraction.format) for one in call.wanted)
        )

    def _entry(self, wanted: Wanted, pulled: Pulled | None, provider: str, asked_format: PageFormat) -> Entry:
        if pulled is None or pulled.page is None:
            no_answer = Refusal(provider, "web.no_answer", f"{provider} gave no answer for this page.")
            return unread(wanted, (pulled and pulled.refusal) or no_answer)
        empty = without_text(pulled.page, provider)
        if empty is not None:
            return unread(wanted, empty)
        page = pulled.page if pulled.page.url else msgspec.structs.replace(pulled.page, url=wanted.url)
        return Fetched(
            requested=wanted.requested,
            page=page,
            provider=provider,
            fetched_at=iso_utc(self._clock()),
            content=page.text,
            chars_total=len(page.text),
            chars_shown=len(page.text),
            treatment=Treatment(gates=wanted.verdicts),
            validators=pulled.validators,
            ignored=(*pulled.ignored, *(("format",) if asked_format != "markdown" else ())),
        )
