"""A conversation in the terminal: turns one after another, what is typed meanwhile, and where it all goes."""

from collections import deque
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from limen.core.fault import Fault
from limen.kit.text import clip
from limen.surfaces.cli.account import account, provider_account, show_sources, warn_of_unverified
from limen.surfaces.cli.app import show_problem
from limen.surfaces.cli.faults import DONE, FAILED, INTERRUPTED, REFUSED, tell, tell_fault
from limen.surfaces.cli.follow import interruptible
from limen.surfaces.cli.render import TurnView
from limen.surfaces.cli.screen import Screen
from limen.surfaces.cli.transcript import said
from limen.surfaces.cli.wiring import Wiring

if TYPE_CHECKING:
    from limen.agent.agent import TurnHandle, TurnOutcome
    from limen.models.directory import Offer
    from limen.runtime import Runtime

# What was typed stands on the screen again as its record; a pasted book would only push the answer away.
_ECHO_ROWS = 8


class Conversation:
    """What a chat holds: its session once there is one, the model it asks, the turn that runs, and what waits behind it.

    `offers` remembers for completion what servers said they offer, by provider.
    """

    def __init__(self, wiring: Wiring, screen: Screen, session: str | None = None) -> None:
        self.wiring = wiring
        self.screen = screen
        self.session = session
        self.model: str | None = None
        self.leaving = False
        self.paused = False
        self.latest: TurnOutcome | None = None
        self.queued: deque[str] = deque()
        self.offers: dict[str, Sequence[Offer]] = {}
        self._handle: TurnHandle | None = None
        self._running = False
        self._stopped = False
        self._added: list[str] = []
        self._stored = False

    @property
    def runtime(self) -> "Runtime":
        """The runtime for what begins now."""
        return self.wiring.runtime

    @property
    def running(self) -> bool:
        """Whether a turn runs, or is about to."""
        return self._running

    @property
    def route(self) -> str:
        """Whom the next turn asks, as people write it; what is wrong where that is nobody."""
        try:
            route = self.runtime.models.wished(self.model)
        except Fault as fault:
            return f"no model: {fault.code}"
        known = self.latest.route if self.latest is not None else None
        if not route.model and known is not None and known.provider == route.provider:
            return known.name
        return route.name if route.model else route.provider

    @property
    def stood_in(self) -> str:
        """What is said behind `route` of who answered last in its place; empty where nobody did."""
        latest = self.latest
        if latest is None or latest.route is None or not latest.failed or latest.failed[0].route != self.route:
            return ""
        return f" ({latest.route.name} stood in)"

    def go_on_with(self, session: str | None, *, stored: bool = False) -> None:
        """Go on with another session, a new one where None. `stored` says that the store has it."""
        self.session = session
        self._stored = stored
        self.latest = None

    def begin(self) -> None:
        """Count as running from now on: `answer` is about to be called."""
        self._running = True

    def take(self, text: str) -> str | None:
        """Give a line its place: in the running turn, behind a pause, or else it is given back, to be asked now."""
        if self._running:
            self.add(text)
        elif self.paused:
            self.queued.append(text)
            self.say_waiting()
        else:
            return text
        return None

    async def answer(self, text: str, *, signals: bool = False) -> int:
        """Run a turn, and after it those that were queued; the exit status of the last. `signals` lets Ctrl-C stop a turn."""
        self._running = True
        try:
            status = await self._turn(text, signals=signals)
            while self.queued and status == DONE and not self.paused:
                text = self.queued.popleft()
                self.echo(text)
                status = await self._turn(text, signals=signals)
        finally:
            self._running = False
        if self.queued and not self.leaving:
            self.say_waiting()
        return status

    def echo(self, text: str) -> None:
        """Show what was typed as a line of the conversation; of a long text only how it begins."""
        self.screen.fresh_line()
        if self.session is not None and not self.running:
            self.screen.say("")
        for row in said(text, rows=_ECHO_ROWS, columns=self.screen.width):
            self.screen.say(row, "bold")

    def add(self, text: str) -> None:
        """Give the running turn one more message."""
        self._added.append(text)
        if self._handle is not None:
            self._handle.steer(text)

    def stop(self) -> None:
        """Stop the running turn, if there is one; what was said is kept."""
        self._stopped = self._running
        if self._handle is not None:
            self._handle.interrupt()

    def say_waiting(self) -> None:
        """Say how many lines wait, and what lets them go on."""
        self.screen.note(f"{waiting(len(self.queued))}: /resume asks, /queue shows, /queue clear drops", "warn")

    def hand_back(self) -> bool:
        """Say what was never asked, when the chat ends; whether there was any."""
        left, self.queued = list(self.queued), deque()
        for text in left:
            self.screen.note(f"! not asked: {clip(text, 200)}", "warn")
        return bool(left)

    async def _turn(self, text: str, *, signals: bool) -> int:
        try:
            with self.wiring.use() as runtime:
                self._look_at_settings(runtime)
                await self._look_for_session(runtime)
                view = TurnView(self.screen, streaming=self.screen.out_is_terminal)
                async with runtime.agent.turn(text, session=self.session, model=self.model) as handle:
                    self._take_up(handle)
                    async with interruptible(handle.interrupt) if signals else nullcontext():
                        async for event in handle:
                            view.show(event)
            self.latest = handle.outcome
        except Fault as fault:
            tell_fault(self.screen, fault)
            return FAILED
        finally:
            self._handle, self._stopped = None, False
            added, self._added = self._added, []
        self._stored = self._stored or bool(handle.outcome.entries)
        self._return_unseen(added, handle.outcome)
        return present(self.screen, handle.outcome)

    def _look_at_settings(self, runtime: "Runtime") -> None:
        """Say once when the settings file has changed under a running conversation, or can no longer be read."""
        refreshed = runtime.settings.refresh()
        if refreshed.problem is not None:
            show_problem(self.screen, refreshed.problem)
        elif refreshed.changed:
            self.screen.note("! the settings have changed: /reload takes them up", "warn")

    async def _look_for_session(self, runtime: "Runtime") -> None:
        """Begin anew, and say so, where somebody has deleted the conversation meanwhile: its context is gone."""
        if self._stored and self.session is not None and await runtime.sessions.get(self.session) is None:
            self.screen.note(f"! {self.session} was deleted meanwhile; a new conversation begins", "warn")
            self.go_on_with(None)

    def _take_up(self, handle: "TurnHandle") -> None:
        self._handle = handle
        self.session = handle.session
        for text in self._added:
            handle.steer(text)
        if self._stopped:
            handle.interrupt()

    def _return_unseen(self, added: list[str], outcome: "TurnOutcome") -> None:
        """What was typed too late for the turn becomes the next question, or is handed back where the turn was stopped."""
        seen = sum(entry.kind == "steering" for entry in outcome.entries)
        unseen = added[seen:]
        if outcome.end.reason == "answered":
            self.queued.extendleft(reversed(unseen))
            return
        for text in unseen:
            self.screen.note(f"! not sent: {clip(text, 200)}", "warn")


def waiting(count: int) -> str:
    """How many lines wait, in words."""
    return f"{count} line{' waits' if count == 1 else 's wait'}"


def present(screen: Screen, outcome: "TurnOutcome") -> int:
    """Print what stands under an answer and how its turn ended, as an exit status. A pipe gets the answer only now."""
    end = outcome.end
    screen.fresh_line()
    if not screen.out_is_terminal and outcome.answer:
        screen.line(outcome.answer)
    show_sources(screen, outcome.sources)
    warn_of_unverified(screen, outcome.unverified)
    if outcome.entries:
        if screen.out_is_terminal:
            screen.note("")
        screen.note(account(outcome, screen.width))
    if asked := provider_account(outcome):
        screen.note(asked)
    if end.reason == "interrupted":
        screen.note("interrupted; what was said is kept", "warn")
    elif end.reason != "answered":
        tell(screen, end.code or f"turn.{end.reason}", end.text, end.mend)
    screen.flush()  # whoever talks to a chat through pipes waits for this answer before asking on
    return status_of(outcome)


def status_of(outcome: "TurnOutcome") -> int:
    """The exit status that says how a turn ended."""
    statuses: dict[str, int] = {"answered": DONE, "interrupted": INTERRUPTED, "refused": REFUSED}
    return statuses.get(outcome.end.reason, FAILED)
