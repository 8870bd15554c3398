"""A conversation in the terminal: turns one after another, what is typed meanwhile, and where it all goes."""

from collections import deque
from typing import TYPE_CHECKING

import anyio

from limen.core.fault import Fault
from limen.kit.text import clip
from limen.surfaces.cli.account import account, show_sources
from limen.surfaces.cli.app import show_problem
from limen.surfaces.cli.faults import DONE, FAILED, INTERRUPTED, REFUSED, tell, tell_fault
from limen.surfaces.cli.follow import watch_signals
from limen.surfaces.cli.render import TurnView
from limen.surfaces.cli.screen import Screen

if TYPE_CHECKING:
    from limen.agent.agent import TurnHandle, TurnOutcome
    from limen.runtime import Runtime


class Conversation:
    """What a chat holds: its session once there is one, the model it asks, and the turn that runs."""

    def __init__(self, runtime: "Runtime", screen: Screen, session: str | None = None) -> None:
        self.runtime = runtime
        self.screen = screen
        self.session = session
        self.model: str | None = None
        self.leaving = False
        self.latest: TurnOutcome | None = None
        self.queued: deque[str] = deque()
        self._handle: TurnHandle | None = None
        self._running = False
        self._stopped = False
        self._added: list[str] = []

    @property
    def running(self) -> bool:
        """Whether a turn runs, or is about to."""
        return self._running

    def begin(self) -> None:
        """Count as running from now on: `answer` is about to be called."""
        self._running = True

    async def answer(self, text: str, *, signals: bool = False) -> int:
        """Run a turn, and after it those that were queued; the exit status of the last. `signals` lets Ctrl-C stop a turn."""
        self._running = True
        try:
            status = await self._turn(text, signals=signals)
            while self.queued and status != INTERRUPTED:
                text = self.queued.popleft()
                self.echo(text)
                status = await self._turn(text, signals=signals)
        finally:
            self._running = False
        return status

    def echo(self, text: str) -> None:
        """Show what was typed as a line of the conversation."""
        self.screen.fresh_line()
        if self.session is not None and not self.running:
            self.screen.say("")
        self.screen.say("› ", "accent", end="")
        self.screen.say(text, "bold")

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

    async def _turn(self, text: str, *, signals: bool) -> int:
        self._look_at_settings()
        view = TurnView(self.screen, streaming=self.screen.out_is_terminal)
        try:
            async with self.runtime.agent.turn(text, session=self.session, model=self.model) as handle:
                self._take_up(handle)
                async with anyio.create_task_group() as group:
                    if signals:
                        group.start_soon(watch_signals, handle)
                    async for event in handle:
                        view.show(event)
                    group.cancel_scope.cancel()
            self.latest = handle.outcome
        except Fault as fault:
            tell_fault(self.screen, fault)
            return FAILED
        finally:
            self._handle, self._stopped = None, False
            added, self._added = self._added, []
        self._return_unseen(added, handle.outcome)
        return present(self.screen, handle.outcome)

    def _look_at_settings(self) -> None:
        """Say once when the settings file has changed under a running conversation, or can no longer be read."""
        refreshed = self.runtime.settings.refresh()
        if refreshed.problem is not None:
            show_problem(self.screen, refreshed.problem)
        elif refreshed.changed:
            self.screen.note("! the settings have changed; they hold from the next start", "warn")

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


def present(screen: Screen, outcome: "TurnOutcome") -> int:
    """Print what stands under an answer and how its turn ended, as an exit status. A pipe gets the answer only now."""
    end = outcome.end
    screen.fresh_line()
    if not screen.out_is_terminal and outcome.answer:
        screen.line(outcome.answer)
    show_sources(screen, outcome.sources)
    if outcome.entries:
        if screen.out_is_terminal:
            screen.note("")
        screen.note(account(outcome, screen.width))
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
