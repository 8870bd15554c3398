"""What whoever carries out the commands of the tool `web` must do, as checks over one staged by its author, and a double of one.

A check takes a `BrowseCase` and raises AssertionError. With pytest: parametrize a test over `BROWSE_CHECKS`.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import msgspec

from limen.core.browse import BrowseEntry, BrowseRequest, Click, Command, Find, Open, SearchQuery, Time
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import Origin, Trust
from limen.core.ports import BrowseNamespace


class BrowseCase(Protocol):
    """Stages one namespace. `page` is an address that it can open, and that holds `phrase`."""

    @property
    def page(self) -> str: ...

    @property
    def phrase(self) -> str: ...

    @property
    def namespace(self) -> BrowseNamespace: ...

    @property
    def context(self) -> CallContext: ...


BrowseCheck = Callable[[BrowseCase], Awaitable[None]]


async def _run(case: BrowseCase, *commands: Command) -> Sequence[BrowseEntry]:
    request = BrowseRequest(case.context.session, commands)
    return await case.namespace.run(request, case.context)


async def each_command_has_its_entry_in_order(case: BrowseCase) -> None:
    """Whatever takes longest: the entries name their commands, and each is a JSON object."""
    entries = await _run(case, SearchQuery("anything"), Open(case.page), Find(case.page, case.phrase), Time("+00:00"))
    assert [entry.body.get("command") for entry in entries] == ["search_query", "open", "find", "time"]
    assert all(isinstance(msgspec.json.decode(msgspec.json.encode(entry.body)), dict) for entry in entries)


async def a_failure_costs_its_own_entry(case: BrowseCase) -> None:
    """What names nothing is refused with a code and a reason; what stands beside it is done."""
    entries = await _run(case, Open("turn999view999"), Open(case.page), Click("turn999view999", 1))
    first, good, last = entries
    for entry in (first, last):
        assert entry.refusal is not None
        assert "." in entry.refusal.code
        assert entry.refusal.reason
    assert good.refusal is None
    assert good.body.get("content")


async def nothing_asked_is_nothing_answered(case: BrowseCase) -> None:
    assert list(await _run(case)) == []


async def what_strangers_wrote_is_the_webs(case: BrowseCase) -> None:
    """A page's text comes fenced, from the web, with the web's trust."""
    (entry,) = await _run(case, Open(case.page))
    assert (entry.origin.kind, entry.origin.trust) == ("web", Trust.WEB)
    assert str(entry.body["content"]).startswith("⟦untrusted ")


async def it_says_who_it_is_and_whether_it_can_be_used(case: BrowseCase) -> None:
    assert case.namespace.name
    unavailable = case.namespace.unavailable()
    assert unavailable is None or unavailable.mend


BROWSE_CHECKS: tuple[BrowseCheck, ...] = (
    each_command_has_its_entry_in_order,
    a_failure_costs_its_own_entry,
    nothing_asked_is_nothing_answered,
    what_strangers_wrote_is_the_webs,
    it_says_who_it_is_and_whether_it_can_be_used,
)


class ScriptedNamespace:
    """A namespace that answers each command with `answer`'s text or refusal, and keeps every request it was given."""

    def __init__(self, answer: Callable[[Command], str | Refusal], name: str = "scripted") -> None:
        self.name = name
        self.requests: list[BrowseRequest] = []
        self._answer = answer

    def unavailable(self) -> Refusal | None:
        """It is always there."""
        return None

    async def run(self, request: BrowseRequest, _context: CallContext) -> Sequence[BrowseEntry]:
        """An entry for each command."""
        self.requests.append(request)
        return [self._entry(command) for command in request.commands]

    def _entry(self, command: Command) -> BrowseEntry:
        answer = self._answer(command)
        origin = Origin("tool", self.name, Trust.TOOL)
        if isinstance(answer, Refusal):
            return BrowseEntry({"command": command.name, "error": answer.published()}, origin, refusal=answer)
        return BrowseEntry({"command": command.name, "content": answer}, origin)
