"""A world for the model gates: routes that break and mend, keys, sessions, processes over one store, and a clock to be moved.

Whatever crosses it is written down, and after each turn the laws that must hold for any of them are judged.
"""

from collections import Counter

import anyio
import msgspec

from limen.core.event import Notice, ReplyDelta, ReplyFinished, ReplyRestarted
from limen.core.exchange import ModelReply, ModelRequest, PartialReply, TextDelta, Usage
from limen.core.fault import ModelFault, StoreFault
from limen.core.message import Message, Text, Thinking, ToolCall, ToolResult
from limen.core.prompt import Prompt
from limen.core.route import Route
from limen.models.credentials import KeyBinding, Keyring
from limen.models.fallback import Fallback, FallbackRules
from limen.models.gates import model_gates
from limen.models.health import Health, route_subject
from limen.models.history import render
from limen.models.model import Model
from limen.models.pool import Credentials, KeyChoice
from limen.models.recovery import RECOVERY, recovery_of
from limen.models.resting import rest_of
from limen.models.retelling import History
from limen.models.retry import Retry, RetryLimits
from limen.models.spending import Budget, Spending
from limen.testing.health import MemoryHealth
from limen.testing.spend import MemorySpend

WIRES = ("chat_completions", "anthropic_messages", "codex_responses")
RETRIES = 2
WAIT_S = 10.0
HISTORY = (
    Message("user", (Text("Look it up."),)),
    Message("assistant", (Thinking("hm", "signed", "p1/m1"), ToolCall("call:1", "open", '{"ref":"lib:1"}'))),
    Message("user", (ToolResult("call:1", (Text("found"),)),)),
    Message("user", (Text("And now?"),)),
)

THOUGHTLESS = tuple(
    msgspec.structs.replace(message, blocks=tuple(block for block in message.blocks if not isinstance(block, Thinking)))
    for message in HISTORY
)


class Answer(msgspec.Struct, frozen=True):
    """What a route does with one request: shows `text`, then fails or is done."""

    text: str = "whole"
    fault: ModelFault | None = None


class FlakyHealth(MemoryHealth):
    """A store whose calls fail while `down`, and at each of which a turn may be cancelled."""

    def __init__(self, clock, passing):
        super().__init__(clock)
        self.passing = passing
        self.down = False

    async def _point(self):
        await self.passing("store")
        if self.down:
            raise StoreFault("store.unreadable", "the disk is gone")

    async def rests(self):
        await self._point()
        return await super().rests()

    async def rest(self, rest):
        await self._point()
        await super().rest(rest)

    async def claim_trial(self, subject, until):
        await self._point()
        return await super().claim_trial(subject, until)

    async def works(self, subject):
        await self._point()
        return await super().works(subject)

    async def least_used(self, subjects):
        await self._point()
        return await super().least_used(subjects)


class World:
    """`pools` gives each route its number of keys, none for a route that takes none."""

    def __init__(self, pools, processes=2, **rules):
        self.now = 1_000_000.0
        self.ticks = 0.0
        self.routes = [_route(number, keys) for number, keys in enumerate(pools)]
        self.secrets = {ref: f"secret-{ref[4:]}" for route in self.routes for ref in references(route)}
        self.keyring = Keyring(
            [KeyBinding(ref, (f"{route.provider}.example",)) for route in self.routes for ref in references(route)],
            self.secrets.get,
        )
        self.store = FlakyHealth(lambda: self.now, self.passing)
        self.rules = FallbackRules(**rules)
        self.steps = {route.name: [] for route in self.routes}
        self.modes = {}
        self.sessions = {}
        self.hits = []
        self.reply = 0
        self.events = []
        self.waits = []
        self.left = None
        self.scope = None
        self.points = 0
        self.processes = [self._process() for _ in range(processes)]

    def _process(self):
        health = Health(self.store, lambda: self.now, lambda: self.ticks)
        clock = self.clock
        fallback = Fallback(
            self.routes[1:], health, self._settle, lambda route: rest_of(route, health, self.keyring, clock), self.rules, clock
        )
        gates = model_gates(
            fallback=fallback,
            budget=Budget(Spending(MemorySpend())),
            history=History(),
            credentials=Credentials(self.keyring, health, KeyChoice(health), WAIT_S, sleep=self._sleep, clock=lambda: self.now),
            retry=Retry(RetryLimits(RETRIES, WAIT_S), sleep=self._sleep, chance=lambda: 0.999),
        )
        return fallback, Model({wire: _Wire(self, wire) for wire in WIRES}, gates), health

    def clock(self):
        return self.now

    def pass_time(self, seconds):
        self.now += seconds
        self.ticks += seconds

    async def passing(self, _what):
        """Every point at which a turn may be cancelled."""
        self.points += 1
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                self.scope.cancel()
        await anyio.lowlevel.checkpoint()

    async def _settle(self, route):
        await self.passing("settle")
        return route

    async def _sleep(self, seconds):
        self.waits.append((len(self.hits), seconds))
        await self.passing("sleep")
        self.pass_time(seconds)

    async def _emit(self, event):
        self.events.append(event)
        await self.passing("emit")

    def answer(self, route):
        """What a route does now: its next step, or what is its way."""
        if self.steps[route.name]:
            return self.steps[route.name].pop(0)
        return self.modes.get(route.credential) or self.modes.get(route.name) or Answer(f"whole from {route.name}")

    async def turn(self, process=0, session="s", replies=1):
        """One turn as the agent takes it. Gives the replies, and the fault it ended with."""
        fallback, model, _ = self.processes[process]
        self.hits, self.events, self.waits, self.asked = [], [], [], []
        got = []
        try:
            with anyio.fail_after(30):
                start = await fallback.begin(self.routes[0], self.sessions.get(session))
                route, course = start.route, start.course
                for self.reply in range(replies):
                    partial = PartialReply()
                    request = ModelRequest(route, Prompt(), HISTORY, input_tokens=9_000, course=course)
                    reply = await model.ask(request, self._emit, partial)
                    assert partial.blocks() == reply.blocks
                    got.append(reply)
                    route, course = reply.route, reply.course
        except ModelFault as fault:
            return got, fault
        finally:
            finished = [event for event in self.events if isinstance(event, ReplyFinished)]
            if finished:
                self.sessions[session] = finished[-1]
        return got, None

    async def rests(self):
        """What rests now, by subject, whether the store is down or not."""
        return {subject: rest for subject, rest in self.store._rests.items() if rest.until > self.now}

    def was_fit(self, route, resting):
        """Whether a route and one of its keys are not among what rested."""
        keys = self.subjects(route).values()
        return route_subject(route) not in resting and (not keys or any(key not in resting for key in keys))

    def subjects(self, route):
        """What a route's keys are called among the rests."""
        return {ref: self.keyring.subject(ref, route.endpoint) for ref in references(route)}


class Hit(msgspec.Struct, frozen=True):
    """One request as it reached a wire, when, for which reply of the turn, and what came of it."""

    route: Route
    at: float
    reply: int
    answer: Answer


class _Wire:
    def __init__(self, world, name):
        self.world = world
        self.name = name

    async def send(self, request):
        world, route = self.world, request.route
        (own,) = [one for one in world.routes if one.name == route.name]
        assert (route.model, route.wire, route.endpoint) == (own.model, self.name, own.endpoint)
        assert request.messages in (render(HISTORY, own).messages, render(THOUGHTLESS, own).messages)
        assert (route.credential in references(own)) if references(own) else route.credential is None
        key = world.keyring.key_for(route.credential, route.endpoint)
        if key is not None:
            (header,) = key.headers(route).values()
            assert header.removeprefix("Bearer ") == world.secrets[route.credential]
        answer = world.answer(route)
        world.hits.append(Hit(route, world.now, world.reply, answer))
        await world.passing("wire")
        if answer.text:
            for piece in (answer.text[:3], answer.text[3:]):
                yield TextDelta(piece)
                await world.passing("wire")
        if answer.fault is not None:
            raise answer.fault
        yield ModelReply((Text(answer.text),), "end", Usage(10, 5), route)


def references(route):
    return route.pool or ((route.credential,) if route.credential else ())


def _route(number, keys):
    refs = tuple(f"env:P{number}K{key}" for key in range(keys))
    return Route(
        f"p{number}", WIRES[number % 3], f"m{number}", f"https://p{number}.example/v1",
        credential=refs[0] if refs else None, pool=refs if len(refs) > 1 else (),
    )  # fmt: skip


def most_hits(route):
    """As often a route may be asked in a turn: once with each other key, then with one key as often as there are retries."""
    return max(len(references(route)) - 1, 0) + RETRIES + 1


def shown(events):
    """The text that a listener has in the end."""
    text = ""
    for event in events:
        if isinstance(event, ReplyRestarted | ReplyFinished):
            last, text = text, ""
            if isinstance(event, ReplyFinished):
                assert last == event.blocks[0].text
        elif isinstance(event, ReplyDelta):
            text += event.text
    return text


def judge_hits(world):
    """No route more often than its keys and retries allow, each at one stretch, and nothing waited for too long."""
    asked = [hit.route.name for hit in world.hits]
    for route in world.routes:
        hits = Counter(hit.reply for hit in world.hits if hit.route.name == route.name)
        assert max(hits.values(), default=0) <= most_hits(route), asked
    for route in world.routes:
        stretch = [at for at, name in enumerate(asked) if name == route.name]
        assert stretch == list(range(stretch[0], stretch[0] + len(stretch))) if stretch else True, asked


def judge_notices(world, told_before, answered):
    """Each route that failed is told once for as long as it is out, and its return once; told is what is true in the end."""
    told = set(told_before)
    for event in world.events:
        if not isinstance(event, Notice):
            continue
        if event.code == "model.fell_back":
            named = {route.name for route in world.routes if f"{route.name} does not answer" in event.text}
            assert named
            assert not named & told, (event, told)
            told |= named
        elif event.code == "model.restored":
            assert told
            told.clear()
    if answered:
        failed = {failure.route for failure in answered.failed}
        assert failed <= told
        assert failed or not told


def judge_rests(world, before, after):
    """A failure is booked to who sent it, a named time is kept to the second, a guess doubles at the most and has an end."""
    for subject, rest in after.items():
        if before.get(subject) == rest:
            continue
        sent = [
            hit.answer.fault for hit in world.hits
            if hit.answer.fault is not None
            and subject in (route_subject(hit.route), world.subjects(hit.route).get(hit.route.credential))
        ]  # fmt: skip
        old = before.get(subject)
        if old is not None and rest == msgspec.structs.replace(old, until=rest.until, known=False):
            continue  # a trial
        assert any(fault.fault_class == rest.kind and fault.reason == rest.reason for fault in sent), (subject, rest, sent)
        rests = RECOVERY[rest.kind].rests
        keyless = any(route_subject(hit.route) == subject and not references(hit.route) for hit in world.hits)
        assert subject.split()[0] == ("route" if keyless else rests)
        assert rest.failures <= (old.failures if old is not None else 0) + 1
        fault = [fault for fault in sent if fault.reason == rest.reason][-1]
        row = recovery_of(fault)
        guess_s = min(row.rest_s * 2 ** (rest.failures - 1), row.longest_rest_s)
        named = [fault.retry_after_s for fault in sent if fault.retry_after_s]
        earlier = [] if old is None or not old.known else [old.until - rest.since]
        if fault.retry_after_s:
            allowed = [max(fault.retry_after_s, guess_s)] if rest.failures > 1 else [fault.retry_after_s]
        else:
            allowed = [max(guess_s, kept) for kept in (*named, *earlier)] if rest.known else [guess_s]
        assert rest.known or not fault.retry_after_s
        assert any(
            abs(rest.until - rest.since - one) < 60 * (one not in (guess_s, fault.retry_after_s)) + 1e-6 for one in allowed
        )
    if world.hits and world.hits[-1].answer.fault is None and not world.store.down:
        hit = world.hits[-1]
        assert route_subject(hit.route) not in after
        assert world.subjects(hit.route).get(hit.route.credential) not in after
