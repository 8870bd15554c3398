"""A runtime whose turns follow a script chosen by the question, for what only the terminal has to get right."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import anyio
import msgspec

from limen.agent.agent import TurnHandle, TurnOutcome
from limen.agent.citation import CitedSource, Quote
from limen.agent.turn import Inbox, TurnEnd
from limen.builtin.providers import provider_table
from limen.config.paths import Home
from limen.config.reload import ReloadingConfig
from limen.core.event import (
    Folded,
    Notice,
    Refused,
    ReplyDelta,
    ReplyRestarted,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from limen.core.evidence import Evidence as EvidenceRecord
from limen.core.evidence import EvidenceAccount, Excerpt, Match
from limen.core.exchange import Usage
from limen.core.fault import ModelFault, Refusal, StoreFault, ToolFault
from limen.core.ledger import Cut, GateVerdict, LedgerEntry, Treatment, Trust
from limen.core.message import Text, ToolCall, ToolResult
from limen.core.refs import Ref
from limen.core.route import Route
from limen.core.session import Session
from limen.core.web import ExtractAnswer, Fetched, Hit, Link, Page, SearchAnswer, SearchSource, Unread
from limen.kit.found_lines import FoundLine
from limen.kit.stream import open_stream
from limen.models.credentials import KeyState
from limen.models.directory import Offer
from limen.models.resolve import Routes, Wishes
from limen.store.ports import Found as FoundMessage
from limen.store.ports import StoredBlock
from limen.web.browse.browser import Found
from limen.web.browse.view import View

ROUTE = Route("limen", "embedded", "extractive", because="the default")
ANSWER = 'Call `task.cancel()`: "cancel() arranges for a CancelledError to be thrown". [1]'
NO = Refusal(
    "network",
    "network.private_address",
    "10.0.0.1 is a private address.",
    "limen config set security.allow_private_hosts 10.0.0.1",
)

BUG = "a bug \x1b[31m with password: Hunter2Kx9"


UNTOUCHED = Treatment()


def entry(n: int, kind: str, source: str, trust: Trust, chars: int, treatment: Treatment = UNTOUCHED) -> LedgerEntry:
    before = chars if treatment.chars_in is None else treatment.chars_in
    return LedgerEntry(
        n, "s1", "t_0123456789ab", "user", "d" * 64, kind, source, trust, None, before, chars, chars // 4, treatment
    )


ENTRIES = (
    entry(1, "identity", "limen", Trust.OPERATOR, 800),
    entry(2, "user", "user", Trust.USER, 40),
    entry(
        3, "web", "https://docs.example.org/" + "long/" * 30 + "asyncio-task.html", Trust.WEB, 12_000,
        Treatment(gates=(GateVerdict("network", "allow"), GateVerdict("compact", "changed", "compact.cut")), chars_in=48_000,
                  cut=Cut(9_000, 3_000), compacted="ev_0123456789ab", redacted=1),
    ),
    entry(4, "model", "limen/extractive", Trust.WEB, 90),
)  # fmt: skip
SOURCES = (
    CitedSource(1, "Coroutines and Tasks", "file:///doc/asyncio-task.html", True, "lib:1", (Quote("cancel() arranges", 412),)),
    CitedSource(2, "Event Loop \x1b[31m", "file:///doc/asyncio-loop.html", False, "lib:2"),
)
SESSION = Session(
    "s1", 1_790_000_000.0, 1_790_000_100.0, "Cancelling \x1b]0;owned\x07 tasks", "limen/extractive", turns=2, blocks=4
)


def tool_block(text: str) -> StoredBlock:
    """A tool's result as the store has it."""
    return StoredBlock("tool", 2, ToolResult("c1", (Text(text),)), (ENTRIES[2],))


class RuntimeOptions(msgspec.Struct, frozen=True):
    home: Path | None = None
    profile: str | None = None
    flags: Mapping[str, str] = {}
    goes_on: bool = False


class ScriptedAgent:
    def __init__(self, home: Path) -> None:
        self._home = home
        self.turns = 0

    @asynccontextmanager
    async def turn(self, text, *, session=None, urls=(), model=None, tools=True, context=True):
        inbox, scope = Inbox(), anyio.CancelScope()
        text = text.encode("utf-8", "replace").decode()
        self.turns += 1

        async def produce(emit):
            end, said, steered = TurnEnd("interrupted", "turn.interrupted", "The turn was interrupted."), [], []
            try:
                with scope:
                    end = await play(text, inbox, emit, said, steered)
            finally:
                with anyio.CancelScope(shield=True):
                    await emit(TurnEnded(end.reason, 1, Usage(), 0.2, end.code, end.text, end.mend))
                    stored = {"question": text, "said": "".join(said), "reason": end.reason, "steered": steered, "model": model}
                    with (self._home / "turns.jsonl").open("ab") as file:
                        file.write(msgspec.json.encode(stored) + b"\n")
            entries = ENTRIES + tuple(entry(5 + i, "steering", "steering", Trust.USER, 4) for i in range(len(steered)))
            refusals = (NO,) if "refus" in text else ()
            sources = SOURCES if end.reason == "answered" else ()
            return TurnOutcome(
                session or "s1", "t_0123456789ab", "".join(said), end, ROUTE, sources, Usage(10, 5), entries, refusals, 0.2
            )

        async with open_stream(produce) as stream:
            yield TurnHandle(session or "s1", "t_0123456789ab", stream, inbox, scope)


async def play(text, inbox, emit, said, steered):
    async def say(words):
        said.append(words)
        await emit(ReplyDelta(words))

    await emit(TurnStarted("s1", "t_0123456789ab", ROUTE))
    if "bug" in text:
        raise ValueError(BUG)
    if "fail" in text:
        return TurnEnd("failed", "model.auth", "The key was not accepted.", "limen credentials add openai")
    if "refuse all" in text:
        await emit(Refused(NO))
        return TurnEnd.refusal("refused", NO)
    if "limit" in text:
        await say("so far")
        return TurnEnd("limit", "limits.steps", "The turn reached its limit of 25 steps.", "limen config set limits.steps 50")
    await emit(ToolStarted(ToolCall("c1", "web_search", '{"query": "cancel asyncio task"}')))
    await emit(ToolProgress("c1", "5 hits"))
    await emit(ToolFinished("c1", "web_search", False, 0.7))
    if "refuse one" in text:
        await emit(ToolStarted(ToolCall("c2", "web_extract", '{"urls": ["http://10.0.0.1/", "http://10.0.0.2/"]}')))
        await emit(ToolFinished("c2", "web_extract", True, 0.01, NO))
        await emit(Refused(NO))
    if "asides" in text:
        await emit(Folded(3, 9, 4, 3, 1_200, 10, "room"))
        await emit(Notice("context.tools_changed", "The tools have changed.", "limen config list"))
        await say("void ")
        await emit(ReplyRestarted("overloaded", ROUTE))
        said.clear()
    if "hostile" in text:
        await say("\x1b]0;owned\x07 \x1b[2J\x9b31m safe")
    if "slow" in text:
        await say("the first words ")
        for _ in range(600):
            await anyio.sleep(0.05)
            for message in inbox.take():
                steered.append(message)
                await say(f"(heard {message}) ")
            if "enough" in "".join(steered):
                break
    await say(f"{text.upper()}: " if "echo" in text else "")
    await say(ANSWER)
    return TurnEnd("answered")


class Sessions:
    def __init__(self):
        self.stored = {"s1": SESSION}

    async def list(self, limit=50):
        return list(self.stored.values())[:limit]

    async def get(self, key):
        return self.stored.get(key)

    async def fork(self, key, into, *, at_turn=None):
        if at_turn is not None and not "t_0123456789ab".startswith(at_turn):
            raise StoreFault("store.no_turn", f"Session {key} has no turn {at_turn}.", f"limen ledger {key} shows its turns.")
        self.stored[into] = msgspec.structs.replace(self.stored[key], key=into, parent=key)
        return self.stored[into]

    async def rename(self, key, title):
        self.stored[key] = msgspec.structs.replace(self.stored[key], title=title)

    async def claim(self, key, owner, ttl_s):
        return key != "busy"

    async def delete(self, key):
        del self.stored[key]

    async def events(self, key, *, turn=None, after=0, limit=10_000):
        return []

    async def latest_event(self, key, kind):
        return TurnStarted(key, "t_0123456789ab", ROUTE) if kind == "turn_started" else None

    async def prompt(self, key):
        return [StoredBlock("stable", -1, Text("You are Limen."), (ENTRIES[0],))]

    async def recent(self, key, *, budget_tokens, head=0, after=0, limit=1_000_000):
        return (await self.blocks(key))[-limit:]

    async def ledger(self, key, *, turn=None):
        return ENTRIES

    async def find_turn(self, turn):
        return "s1" if len(turn) >= 6 and "t_0123456789ab".startswith(turn) else None

    async def blocks(self, key, *, after=0, until=None, limit=1_000_000):
        return [
            StoredBlock("user", 0, Text("How do I cancel a task?\x1b[2J"), (ENTRIES[1],)),
            StoredBlock("assistant", 1, Text(ANSWER), (ENTRIES[3],)),
        ]

    async def sources(self, key):
        return ()

    async def search(self, words, limit=20):
        return [FoundMessage("s1", "Cancelling", 2, "user", "How do I cancel", 1_790_000_000.0)]


class Evidence:
    """One kept text of three lines."""

    kept = EvidenceRecord("ev_0123456789ab", "s1", "web_extract", "https://example.org/", "text/plain", "d" * 64, 30, 3, 1.0)

    async def list(self, *, session=None, limit=50):
        return [self.kept] if session in (None, "s1") else []

    async def get(self, evidence_id):
        return self.kept if evidence_id == self.kept.id else None

    async def show(self, evidence_id, start, end):
        if evidence_id != self.kept.id:
            return None
        lines = ["one", "two \x1b[2J", "three " + "x" * 400 + " needle"]
        last = min(end or 3, 3)
        return Excerpt(evidence_id, start, last, 3, "\n".join(lines[start - 1 : last]))

    async def find(self, phrase, *, evidence_id, session, limit):
        line = "three " + "x" * 400 + " needle"
        return [Match(self.kept.id, 3, line)] if phrase in line else []

    async def account(self, *, session=None):
        return EvidenceAccount(1, 30, 8, 26, 1_790_000_000.0)

    async def purge(self, *, older_than_s, keep_bytes):
        return 1


class Directory:
    """What the servers of the scripted routes offer."""

    async def offers(self, route):
        if route.provider == "gone":
            raise ModelFault("network", "nobody listens")
        return (Offer("fast"), Offer("slow", 32_000))


class Web:
    async def search(self, request, context):
        if "refuse" in request.query:
            return SearchAnswer((), SearchSource("library"), NO)
        if "unavailable" in request.query:
            return SearchAnswer((), SearchSource("library"), Refusal("resolve", "search.unavailable", "no engine answered"))
        if "nothing" in request.query:
            return SearchAnswer((), SearchSource("library"))
        hit = Hit("Coroutines \x1b[31mand Tasks", "file:///doc/asyncio-task.html", "cancel() arranges …", 1, "lib:1", line=412)
        return SearchAnswer((hit,), SearchSource("library"))

    async def extract(self, request, context):
        if any("secret" in url for url in request.urls):
            return ExtractAnswer(refusal=NO)
        return ExtractAnswer(tuple(self._entry(url) for url in request.urls))

    def _entry(self, url):
        if "10.0" in url:
            return Unread(url, NO)
        if "missing" in url:
            return Unread(url, Refusal("network", "network.http_status", "example.org answered with status 404"))
        page = Page(url, "Title", "# Title\x1b[2J\n\ntext")
        return Fetched(url, page, "local", "2026-11-30T10:00:00Z", page.text, 40_000, 15_000, next_line=7)


class Refs:
    """The table of handles of a process in which one search was made, outside of any conversation."""

    async def holder(self, name):
        return {"turn0search0": "", "turn0view0": "s1"}.get(name.lower())


class Handles:
    """Gives each hit and view a handle."""

    async def of_hits(self, answer, kind, context):
        hits = (msgspec.structs.replace(hit, ref_id=f"turn0{kind}{place}") for place, hit in enumerate(answer.hits))
        return msgspec.structs.replace(answer, hits=tuple(hits))

    async def of_view(self, view, context):
        return msgspec.structs.replace(view, ref=msgspec.structs.replace(view.ref, name=view.ref.name or "turn1view0"))


class Browser:
    """One document, and one page of two links, of which the second is refused."""

    handles = Handles()

    async def view(self, target, context, *, again=False):
        if target == "lib:1":
            ref = Ref("view", "file:///doc/a.html", "lib:1", "A")
            return View(ref, "one\ntwo\x1b[2J\nthree\n", "tool", Trust.WORKSPACE, folds=False)
        if "refused" in target:
            return NO
        if target.startswith(("https:", "turn")):
            links = (Link(1, "next \x1b[2J", "https://example.org/next"), Link(2, "inside", "http://10.0.0.1/"))
            text = "# Page\n\ngo [next \x1b[2J](https://example.org/next) or [inside](http://10.0.0.1/)\nlast"
            ref = Ref("view", "https://example.org/", "https://example.org/", "Page", links=links)
            return View(ref, text, "web", Trust.WEB, notices=("It was read anew.",) if "old" in target else ())
        raise ToolFault("library.unknown", f"{target} names nothing.", "limen library list")

    async def click(self, target, number, context):
        return NO if number == 2 else await self.view("https://example.org/next", context)

    async def find(self, target, pattern, context, *, first=1):
        view = await self.view(target, context)
        if pattern == "many":  # neighbours, some far off, and more than are shown
            lines = [FoundLine(n, f"many {n}", f"many {n - 1}", f"many {n + 1}") for n in (first + 1, first + 2, first + 20)]
            return Found(view, pattern, tuple(lines), 99)
        lines = (FoundLine(2, "two \x1b[2J", "one", "three"),) if pattern == "two" else ()
        return Found(view, pattern, lines, len(lines))


class Runtime:
    def __init__(self, home: Home) -> None:
        self.home = home
        self.settings = ReloadingConfig(home, {}, {})
        self.loaded = self.settings.current
        self.sessions = Sessions()
        self.web = Web()
        self.browser = Browser()
        self.refs = Refs()
        self.agent = ScriptedAgent(home.path)
        self.evidence = Evidence()
        routes = Routes(provider_table(), self.loaded.config.providers)
        configured = self.loaded.config.model.route
        self.models = SimpleNamespace(
            routes=routes,
            directory=Directory(),
            key_state=lambda route: (
                KeyState("missing", "", f"no key at {route.credential}") if route.credential else KeyState("set")
            ),
            wished=lambda wish=None: routes.resolve(Wishes(explicit=wish or "", configured=configured)),
        )

    async def last_request(self, session):
        return ENTRIES[:3]


@asynccontextmanager
async def open_runtime(options: RuntimeOptions) -> AsyncIterator[Runtime]:
    home = Home.resolve(options.home, options.profile)
    home.ensure()
    yield Runtime(home)
