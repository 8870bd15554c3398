"""What the command line needs of the runtime: the only module here that knows its shape."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

from limen.agent.citation import CitedSource
from limen.core.context import CallContext
from limen.core.event import Event, TurnEndReason
from limen.core.exchange import Usage
from limen.core.ledger import LedgerEntry
from limen.core.route import Route
from limen.core.web import ExtractAnswer, Extraction, SearchAnswer, SearchRequest
from limen.store.ports import EvidenceStore, SessionStore


class TurnOutcome(Protocol):
    """What a finished turn leaves behind."""

    @property
    def answer(self) -> str: ...
    @property
    def reason(self) -> TurnEndReason: ...
    @property
    def code(self) -> str | None: ...
    @property
    def sources(self) -> Sequence[CitedSource]: ...
    @property
    def usage(self) -> Usage: ...
    @property
    def route(self) -> Route: ...
    @property
    def ledger(self) -> Sequence[LedgerEntry]: ...


class TurnHandle(Protocol):
    """A running turn: iterate for its events; `outcome` is there once they have ended."""

    session: str
    turn: str
    outcome: TurnOutcome | None

    def __aiter__(self) -> AsyncIterator[Event]: ...
    def steer(self, text: str) -> None: ...
    def interrupt(self) -> None: ...


class Agent(Protocol):
    def turn(
        self,
        text: str,
        *,
        session: str | None = None,
        urls: Sequence[str] = (),
        model: str | None = None,
        tools: bool = True,
        context: bool = True,
    ) -> AbstractAsyncContextManager[TurnHandle]: ...


class Web(Protocol):
    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer: ...
    async def extract(self, request: Extraction, context: CallContext) -> ExtractAnswer: ...


class Opened(Protocol):
    """A document behind a reference, whole."""

    @property
    def ref(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def text(self) -> str: ...


class Runtime(Protocol):
    """Everything wired."""

    home: Path
    sessions: SessionStore
    evidence: EvidenceStore
    web: Web
    agent: Agent

    async def open_ref(self, ref: str) -> Opened: ...
    async def find_in(self, ref: str, pattern: str) -> Sequence[Any]: ...
