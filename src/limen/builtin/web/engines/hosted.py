"""Searches that a model's vendor makes for us: a second call of a model with the vendor's own search tool, counted as spend.

The addresses are those that the vendor's search returned; the words about them are the model's, which the source says.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import msgspec

from limen.builtin.web.answers.hits import Can, Row, answer, joined, refused
from limen.builtin.web.calling.link import Ask, Reply
from limen.builtin.web.calling.provider import Setup, VendorProvider
from limen.builtin.web.calling.refusing import Kind, kind_of_words, quoted, refuse
from limen.builtin.web.calling.region import region_of
from limen.builtin.web.calling.reply import decode
from limen.builtin.web.engines.responses_reply import ResponsesReply
from limen.builtin.web.vendors import lacking
from limen.core.context import CallContext
from limen.core.exchange import Usage
from limen.core.fault import Refusal
from limen.core.web import Location, SearchAnswer, SearchRequest

# The tokens a reply may have; the searches of one call.
_REPLY_TOKENS = 4_096
_SEARCHES = 2
_ERRORS: dict[str, Kind] = {"too_many_requests": "rate_limited", "invalid_input": "request", "query_too_long": "request"}


def _prompt(request: SearchRequest) -> str:
    when = f" Only pages of the last {request.recency_days} days." if request.recency_days is not None else ""
    news = " News only." if request.type == "news" else ""
    return (
        f"Search the web for what stands between the two lines of dashes.{when}{news} Then list up to {request.limit} of the "
        "most relevant pages that you found, one line each: what the page says about it, in one or two sentences, with its "
        f"citation. No introduction, no conclusion.\n---\n{request.query}\n---"
    )


class Said(NamedTuple):
    """What a model's reply holds: pages, how many searches were made for it, what it took, and why a search failed."""

    rows: list[Row]
    searches: int
    usage: Usage
    failure: Refusal | None = None


class HostedSearch(VendorProvider, ABC):
    """What they have in common: a model must be named, and an answer without a search, or without a page, is none.

    A domain list longer than `most_domains` is left to be sorted out from the hits; `blocked` is the vendor's name for one.
    """

    most_domains: ClassVar[int] = 100
    blocked: ClassVar[str] = "blocked_domains"

    def __init__(self, setup: Setup, model: str) -> None:
        super().__init__(setup)
        self._model = model

    def unavailable(self) -> Refusal | None:
        """A key or the model's name is missing: there is no model that is used unasked."""
        return lacking(self.vendor, key=self._setup.key is not None, address=False, model=bool(self._model))

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        """Pages that the vendor's search returned, with what the model says of each; the spend is told whatever came of it."""
        reply = self.can.refuse(request, self.name) or await self._link.send(self._ask(request), "search", context)
        said = self._explained(reply) if isinstance(reply, Refusal) else self._said(reply.body)
        if isinstance(said, Refusal):
            return refused(self.name, said)
        lost = said.failure if said.failure is not None and not said.rows else self._ungrounded(said)
        given = refused(self.name, lost) if lost else answer(self.name, said.rows, request, ignored=self._ignored(request))
        source = msgspec.structs.replace(given.source, made_by=f"{self.name}/{self._model}", usage=said.usage)
        return msgspec.structs.replace(given, source=source)

    @abstractmethod
    def _ask(self, request: SearchRequest) -> Ask: ...

    @abstractmethod
    def _said(self, body: bytes) -> Said | Refusal: ...

    def _filters(self, request: SearchRequest) -> dict[str, tuple[str, ...]]:
        """The domain lists, as far as the vendor has room for them."""
        lists = {"allowed_domains": request.allowed_domains, self.blocked: request.blocked_domains}
        return {name: domains for name, domains in lists.items() if 0 < len(domains) <= self.most_domains}

    def _ignored(self, request: SearchRequest) -> tuple[str, ...]:
        lists = {"allowed_domains": request.allowed_domains, "blocked_domains": request.blocked_domains}
        return (*super()._ignored(request), *(name for name, domains in lists.items() if len(domains) > self.most_domains))

    def _ungrounded(self, said: Said) -> Refusal | None:
        if said.searches and said.rows:
            return None
        reason = f"{self.name} did not search." if not said.searches else f"{self.name} names no page for its answer."
        return refuse("search", "ungrounded", self.name, reason)

    def _explained(self, refusal: Refusal) -> Refusal:
        """A model that the vendor does not know is a setting to change."""
        if refusal.detail.get("status") != 404:
            return refusal
        mend = f"limen config set web.{self.name.replace('-', '_')}.model NAME"
        reason = f"{refusal.reason} Is {self._model!r} still the name of a model?"
        return Refusal(refusal.gate, "search.model_unknown", reason, mend, refusal.detail)


class XaiSearch(HostedSearch):
    """The provider `xai`: the Responses API with its `web_search` tool (docs.x.ai)."""

    name = "xai"
    can = Can(frozenset({"allowed_domains", "blocked_domains"}), max_hits=20)
    most_domains = 5
    blocked = "excluded_domains"

    def _ask(self, request: SearchRequest) -> Ask:
        wish = {
            "model": self._model,
            "input": [{"role": "user", "content": _prompt(request)}],
            "tools": [self._tool(request)],
            "store": False,
            "max_output_tokens": _REPLY_TOKENS,
        }
        return Ask("/responses", body=wish)

    def _tool(self, request: SearchRequest) -> dict[str, Any]:
        filters = self._filters(request)
        return {"type": "web_search", "filters": filters} if filters else {"type": "web_search"}

    def _said(self, body: bytes) -> Said | Refusal:
        said = decode(body, ResponsesReply, "search", self.name)
        if isinstance(said, Refusal):
            return said
        failure = refuse("search", kind_of_words(said.failure), self.name, f"{self.name} failed: {quoted(said.failure)}.")
        return Said(said.rows(), said.searches, said.spent, failure if said.failure else None)


class OpenAIHosted(XaiSearch):
    """The provider `openai-hosted`: the same API, with a place and a size, and the pages that were looked at."""

    name = "openai-hosted"
    can = Can(frozenset({"allowed_domains", "blocked_domains", "region", "context_size", "live", "location"}), max_hits=20)
    most_domains = 100
    blocked = "blocked_domains"

    def _ask(self, request: SearchRequest) -> Ask:
        ask = super()._ask(request)
        more = {"include": ["web_search_call.action.sources"], "tool_choice": "required"}
        return Ask(ask.path, body={**ask.body, **more})

    def _tool(self, request: SearchRequest) -> dict[str, Any]:
        place = _place(request, self._setup.location)
        wish = {**super()._tool(request), "search_context_size": request.context_size or "low"}
        return wish | ({"user_location": place} if place else {})


class _Result(msgspec.Struct, frozen=True):
    url: str = ""
    title: str | None = None
    page_age: str | None = None


class _ResultError(msgspec.Struct, frozen=True):
    error_code: str


class _Cited(msgspec.Struct, frozen=True):
    url: str | None = None
    cited_text: str | None = None


class _Block(msgspec.Struct, frozen=True):
    content: _ResultError | tuple[_Result, ...] | None = None
    citations: tuple[_Cited, ...] | None = None


class _ServerUse(msgspec.Struct, frozen=True):
    web_search_requests: int = 0


class _Counted(msgspec.Struct, frozen=True):
    input_tokens: int = 0
    output_tokens: int = 0
    server_tool_use: _ServerUse | None = None


class _MessagesReply(msgspec.Struct, frozen=True):
    content: tuple[_Block, ...]
    usage: _Counted = _Counted()

    def rows(self) -> list[Row]:
        """Pages in the order of the search, each with the passages of it that the model cites to the letter."""
        cited: dict[str, list[str]] = {}
        for block in self.content:
            for one in block.citations or ():
                if one.url and one.cited_text and one.cited_text not in cited.get(one.url, ()):
                    cited.setdefault(one.url, []).append(one.cited_text)
        results = [result for block in self.content if isinstance(block.content, tuple) for result in block.content]
        return [Row(one.url, one.title, joined(cited.get(one.url, ())), one.page_age) for one in results if one.url]

    def failure(self) -> str:
        """The first failed search's error; empty when none failed."""
        return next((block.content.error_code for block in self.content if isinstance(block.content, _ResultError)), "")


class AnthropicHosted(HostedSearch):
    """The provider `anthropic-hosted`, with the passages that the model cites to the letter."""

    name = "anthropic-hosted"
    can = Can(frozenset({"allowed_domains", "blocked_domains", "region", "location"}), max_hits=20)

    def _ask(self, request: SearchRequest) -> Ask:
        tool: dict[str, Any] = {
            "type": "web_search_20250305",
            "name": "web_search",
            "max_uses": _SEARCHES,
            **self._filters(request),
        }
        place = _place(request, self._setup.location)
        tool |= {"user_location": place} if place else {}
        message = {"role": "user", "content": _prompt(request)}
        wish = {"model": self._model, "max_tokens": _REPLY_TOKENS, "messages": [message], "tools": [tool]}
        return Ask("/messages", body=wish, headers={"anthropic-version": "2023-06-01"})

    def _said(self, body: bytes) -> Said | Refusal:
        said = decode(body, _MessagesReply, "search", self.name)
        if isinstance(said, Refusal):
            return said
        rows, failed, used = said.rows(), said.failure(), said.usage.server_tool_use
        reason = f"{self.name} could not search: {quoted(failed)}."
        failure = refuse("search", _ERRORS.get(failed, "failed"), self.name, reason) if failed else None
        usage = Usage(said.usage.input_tokens, said.usage.output_tokens)
        return Said(rows, used.web_search_requests if used else len(rows), usage, failure)

    @staticmethod
    def _classify(reply: Reply) -> Kind | None:
        """This vendor says that it is overloaded with a status of its own."""
        return "rate_limited" if reply.status == 529 else None


def _place(request: SearchRequest, location: Location) -> dict[str, str]:
    """Where the person is, as both vendors want it; empty when nothing is known."""
    country = region_of(request, location).country.upper()
    same = not request.region or country == location.country.upper()
    finer = {"region": location.region, "city": location.city, "timezone": location.timezone} if same else {}
    known = {name: value for name, value in {"country": country, **finer}.items() if value}
    return {"type": "approximate", **known} if known else {}
