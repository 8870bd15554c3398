"""The Responses API's answer to a search: which pages the model was shown, and what it says of each.

Only addresses that the vendor's search returned become hits: the model's own words name pages, but do not prove them.
"""

import re

import msgspec

from limen.builtin.web.answers.hits import Row
from limen.core.exchange import Usage

_LINK = re.compile(r"\s?\(?\[{1,2}[^\[\]]{0,200}\]{1,2}\([^()\s]{0,8000}\)\)?")
_NUMBER = re.compile(r"\W*\d*\W*")
# How far around a citation its sentence is looked for.
_REACH_CHARS = 600


class Citation(msgspec.Struct, frozen=True):
    """An annotation of a text: which page stands behind the characters from `start_index` to `end_index`."""

    type: str = ""
    url: str = ""
    title: str | None = None
    start_index: int | None = None
    end_index: int | None = None


class Content(msgspec.Struct, frozen=True):
    """A part of the model's message."""

    text: str | None = None
    annotations: tuple[Citation, ...] | None = None


class Source(msgspec.Struct, frozen=True):
    """A page that a search returned."""

    url: str = ""


class Action(msgspec.Struct, frozen=True):
    """What one search did."""

    sources: tuple[Source, ...] | None = None


class Item(msgspec.Struct, frozen=True):
    """One item of the output: a search that was made, a message, or something else."""

    type: str = ""
    content: tuple[Content, ...] | None = None
    action: Action | None = None
    status: str = ""


class Counted(msgspec.Struct, frozen=True):
    """The vendor's count of tokens."""

    input_tokens: int = 0
    output_tokens: int = 0


class Failed(msgspec.Struct, frozen=True):
    """Why a response came to nothing."""

    message: str = ""
    code: str = ""


class ResponsesReply(msgspec.Struct, frozen=True):
    """What is used of a response. `citations` is the plain list that xAI adds."""

    output: tuple[Item, ...]
    citations: tuple[str, ...] | None = None
    usage: Counted | None = None
    error: Failed | None = None

    @property
    def failure(self) -> str:
        """Why it failed under a status of success; empty when it did not."""
        return "" if self.error is None else self.error.message or self.error.code or "no reason given"

    @property
    def searches(self) -> int:
        """How many searches were made. Not every answer of xAI lists them; its citations come from nowhere else."""
        made = sum(item.type == "web_search_call" and item.status != "failed" for item in self.output)
        return made or len(self.citations or ())

    @property
    def spent(self) -> Usage:
        """What it took, for the account."""
        counted = self.usage or Counted()
        return Usage(counted.input_tokens, counted.output_tokens)

    def rows(self) -> list[Row]:
        """Pages in the order the model names them, then those that it was shown and did not name."""
        rows: dict[str, Row] = {}
        for item in self.output:
            for content in item.content or ():
                for citation in content.annotations or ():
                    if citation.type == "url_citation" and citation.url:
                        rows.setdefault(citation.url, _row(citation, content.text or ""))
        shown = [source.url for item in self.output if item.action for source in item.action.sources or ()]
        for url in (*shown, *(self.citations or ())):
            rows.setdefault(url, Row(url))
        return list(rows.values())


def _row(citation: Citation, text: str) -> Row:
    """A citation's page with the line of the model's text that cites it."""
    title = citation.title or ""
    start, end = citation.start_index, citation.end_index
    said = ""
    if start is not None and end is not None and 0 <= start <= end <= len(text):
        first = text.rfind("\n", max(start - _REACH_CHARS, 0), start) + 1 or max(start - _REACH_CHARS, 0)
        last = text.find("\n", end, end + _REACH_CHARS)
        line = text[first : last if last >= 0 else min(end + _REACH_CHARS, len(text))]
        said = " ".join(_LINK.sub("", line).strip(" -*•\t").split())
    return Row(citation.url, "" if _NUMBER.fullmatch(title) else title, said)
