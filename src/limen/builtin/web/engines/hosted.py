"""Searches that a model's vendor makes for us: a second call of a model with the vendor's own search tool, counted as spend.

The addresses are those that the vendor's search returned; the words about them are the model's, which the source says.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from limen.builtin.web.answers.hits import Can, Row, answer, joined, refused
from limen.builtin.web.calling.link import Ask, Classify, Reply
from limen.builtin.web.calling.provider import Setup, link_of, no_key
from limen.builtin.web.calling.refusing import Kind, quoted, refuse
from limen.builtin.web.calling.region import region_of
from limen.builtin.web.calling.reply import decode
from limen.builtin.web.engines.responses_reply import ResponsesReply
from limen.builtin.web.vendors import Vendor, vendor_table
from limen.core.context import CallContext
from limen.core.exchange import Usage
from limen.core.fault import Refusal
from limen.core.web import Location, SearchAnswer, SearchRequest

_OPENAI = Can(frozenset({"allowed_domains", "region", "context_size", "live", "location"}), max_hits=20)
_ANTHROPIC = Can(frozenset({"allowed_domains", "blocked_domains", "region", "location"}), max_hits=20)
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


class _Hosted:
    """What the three have in common: a model must be named, and an answer without a search is none."""

    name = ""

    def __init__(self, setup: Setup, model: str, classify: Classify = lambda reply: None) -> None:
        self.vendor: Vendor = vendor_table()[self.name]
        self._setup = setup
        self._model = model
        self._link = link_of(self.vendor, setup, classify)

    def unavailable(self) -> Refusal | None:
        """A key or the model's name is missing: there is no model that is used unasked."""
        if not self._model:
            mend = f"limen config set web.{self.name.replace('-', '_')}.model NAME"
            return Refusal(self.name, "web.no_model", f"No model is named for {self.name}.", mend)
        return no_key(self.vendor, self._setup)

    def _explained(self, refusal: Refusal) -> Refusal:
        """A model that the vendor does not know is a setting to change."""
        if refusal.detail.get("status") != 404:
            return refusal
        mend = f"limen config set web.{self.name.replace('-', '_')}.model NAME"
        reason = f"{refusal.reason} Is {self._model!r} still the name of a model?"
        return Refusal(refusal.gate, "search.model_unknown", reason, mend, refusal.detail)

    def _answer(
        self, rows: Sequence[Row], request: SearchRequest, ignored: tuple[str, ...], usage: Usage, searches: int
    ) -> SearchAnswer:
        if not searches or not rows:
            reason = f"{self.name} did not search." if not searches else f"{self.name} names no page for its answer."
            given = refused(self.name, refuse("search", "ungrounded", self.name, reason))
        else:
            given = answer(self.name, rows, request, ignored=ignored)
        source = msgspec.structs.replace(given.source, made_by=f"{self.name}/{self._model}", usage=usage)
        return msgspec.structs.replace(given, source=source)


class ResponsesSearch(_Hosted):
    """A search through the Responses API."""

    can = _OPENAI

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        """Pages that the model's search returned, with what the model says of each."""
        unfit = self.can.refuse(request, self.name)
        if unfit is not None:
            return refused(self.name, unfit)
        reply = await self._link.send(Ask("/responses", body=self._body(request)), "search", context)
        if isinstance(reply, Refusal):
            return refused(self.name, self._explained(reply))
        said = decode(reply.body, ResponsesReply, "search", self.name)
        if isinstance(said, Refusal):
            return refused(self.name, said)
        return self._answer(said.rows(), request, self._ignored(request), said.spent, self._searches(said))

    def _body(self, request: SearchRequest) -> dict[str, Any]:
        return {
            "model": self._model,
            "input": [{"role": "user", "content": _prompt(request)}],
            "tools": [self._tool(request)],
            "store": False,
            "max_output_tokens": _REPLY_TOKENS,
        }

    def _tool(self, request: SearchRequest) -> dict[str, Any]:
        raise NotImplementedError

    def _ignored(self, request: SearchRequest) -> tuple[str, ...]:
        return self.can.ignored(request, self._setup.location)

    def _searches(self, said: ResponsesReply) -> int:
        return said.searches


class OpenAIHosted(ResponsesSearch):
    """The provider `openai-hosted`."""

    name = "openai-hosted"

    def _body(self, request: SearchRequest) -> dict[str, Any]:
        return {**super()._body(request), "include": ["web_search_call.action.sources"], "tool_choice": "required"}

    def _tool(self, request: SearchRequest) -> dict[str, Any]:
        tool: dict[str, Any] = {"type": "web_search", "search_context_size": request.context_size or "low"}
        place = _place(request, self._setup.location)
        tool |= {"user_location": place} if place else {}
        tool |= {"filters": {"allowed_domains": request.allowed_domains}} if request.allowed_domains else {}
        return tool


class _Result(msgspec.Struct, frozen=True):
    type: str = ""
    url: str = ""
    title: str | None = None
    page_age: str | None = None


class _ResultError(msgspec.Struct, frozen=True):
    error_code: str


class _Cited(msgspec.Struct, frozen=True):
    url: str | None = None
    cited_text: str | None = None


class _Block(msgspec.Struct, frozen=True):
    type: str = ""
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


class AnthropicHosted(_Hosted):
    """The provider `anthropic-hosted`."""

    name = "anthropic-hosted"

    def __init__(self, setup: Setup, model: str) -> None:
        super().__init__(setup, model, _classify)

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        """Pages that the vendor's search returned, with the passages that the model cites."""
        unfit = _ANTHROPIC.refuse(request, self.name)
        if unfit is not None:
            return refused(self.name, unfit)
        ask = Ask("/messages", body=self._body(request), headers={"anthropic-version": "2023-06-01"})
        reply = await self._link.send(ask, "search", context)
        if isinstance(reply, Refusal):
            return refused(self.name, self._explained(reply))
        said = decode(reply.body, _MessagesReply, "search", self.name)
        if isinstance(said, Refusal):
            return refused(self.name, said)
        rows, failure = said.rows(), said.failure()
        if failure and not rows:
            reason = f"{self.name} could not search: {quoted(failure)}."
            return refused(self.name, refuse("search", _ERRORS.get(failure, "failed"), self.name, reason))
        used = said.usage.server_tool_use
        usage = Usage(said.usage.input_tokens, said.usage.output_tokens)
        ignored = _ANTHROPIC.ignored(request, self._setup.location)
        return self._answer(rows, request, ignored, usage, used.web_search_requests if used else len(rows))

    def _body(self, request: SearchRequest) -> dict[str, Any]:
        tool: dict[str, Any] = {"type": "web_search_20250305", "name": "web_search", "max_uses": _SEARCHES}
        place = _place(request, self._setup.location)
        tool |= {"user_location": place} if place else {}
        tool |= {"allowed_domains": request.allowed_domains} if request.allowed_domains else {}
        tool |= {"blocked_domains": request.blocked_domains} if request.blocked_domains else {}
        message = {"role": "user", "content": _prompt(request)}
        return {"model": self._model, "max_tokens": _REPLY_TOKENS, "messages": [message], "tools": [tool]}


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
