"""What the command line needs of the runtime: the only module here that knows its shape."""

from collections.abc import Sequence
from typing import Protocol

from limen.agent.agent import Agent, TurnHandle, TurnOutcome
from limen.agent.citation import CitedSource
from limen.config.paths import Home
from limen.config.problem import Problem
from limen.config.schema import Config
from limen.core.context import CallContext
from limen.core.evidence import Match
from limen.core.ports import Opened
from limen.core.web import ExtractAnswer, Extraction, SearchAnswer, SearchRequest
from limen.store.ports import EvidenceStore, SessionStore

__all__ = ["Agent", "CitedSource", "Loaded", "Opened", "Runtime", "TurnHandle", "TurnOutcome", "Web"]


class Loaded(Protocol):
    """The configuration as it was read, and what was found wrong with it."""

    @property
    def config(self) -> Config: ...
    @property
    def problems(self) -> Sequence[Problem]: ...


class Web(Protocol):
    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer: ...
    async def extract(self, request: Extraction, context: CallContext) -> ExtractAnswer: ...


class Runtime(Protocol):
    """Everything wired."""

    @property
    def home(self) -> Home: ...
    @property
    def loaded(self) -> Loaded: ...
    @property
    def sessions(self) -> SessionStore: ...
    @property
    def evidence(self) -> EvidenceStore: ...
    @property
    def web(self) -> Web: ...
    @property
    def agent(self) -> Agent: ...

    async def open_ref(self, ref: str) -> Opened: ...
    async def find_in(self, ref: str, pattern: str) -> Sequence[Match]: ...
