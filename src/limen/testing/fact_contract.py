"""What every provider of facts must do, as checks that a plug-in's author runs over a provider of their own.

A check takes a `StagedFact` and raises AssertionError. With pytest: parametrize a test over `FACT_CHECKS` and await each.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import anyio
import anyio.abc
import msgspec

from limen.core.context import CallContext
from limen.core.facts import FactAnswer, FactRequest
from limen.testing.network import Answer, Received, redirect, serve
from limen.testing.vendor_stage import IMPATIENT_S, PATIENT_S, Make, Thinking, faults, staged


class Knows(Protocol):
    """As much of a `FactProvider` as the checks need."""

    async def look_up(self, request: FactRequest, context: CallContext) -> FactAnswer: ...


class StagedFact(msgspec.Struct, frozen=True, kw_only=True):
    """A provider and its vendor's side.

    `answer` is what the vendor says to all that `request` leads to, `hostile` the same with words in it that would pass for
    ours or break a line, `nothing` when it knows nothing. `requests` counts what one look-up sends. `ignores` names
    what of `request` is not honoured. `codes` are the vendor's own meanings of a status.
    """

    make: Make[Knows]
    request: FactRequest
    answer: Answer
    hostile: Answer
    nothing: Answer
    requests: int = 1
    ignores: frozenset[str] = frozenset()
    codes: Mapping[int, str] = {}


FactCheck = Callable[[StagedFact], Awaitable[None]]


async def _ask(
    case: StagedFact, answer: Answer, context: CallContext | None = None, *, hasty: bool = False
) -> tuple[FactAnswer, Sequence[Received]]:
    async with staged(case.make, answer, timeout_s=IMPATIENT_S if hasty else PATIENT_S) as stage:
        return await stage.provider.look_up(case.request, context or CallContext()), stage.received


async def it_says_what_it_knows_and_from_where(case: StagedFact) -> None:
    """Lines, a page where a person finds the same, the credit that is asked for, and when it was true where that is known."""
    answer, received = await _ask(case, case.answer)
    assert answer.refusal is None, answer.refusal
    assert answer.lines
    assert all(line.strip() == line and line for line in answer.lines)
    assert answer.provider
    assert answer.source_url.startswith("https://")
    assert answer.credit
    assert not answer.as_of or datetime.fromisoformat(answer.as_of)
    assert set(answer.ignored) == case.ignores
    assert len(received) == case.requests


async def nothing_known_is_told(case: StagedFact) -> None:
    """A vendor that knows nothing of it leads to a refusal with a way out, or to a line that says so; never to silence."""
    answer, _ = await _ask(case, case.nothing)
    if answer.refusal is None:
        assert answer.lines
    else:
        assert answer.refusal.code == "facts.unknown", answer.refusal
        assert answer.refusal.mend


async def its_words_stay_on_their_lines(case: StagedFact) -> None:
    """What a vendor sends breaks no line, steers no terminal, opens no fence, and is no longer than a line may be."""
    answer, _ = await _ask(case, case.hostile)
    for line in (*answer.lines, answer.as_of, answer.refusal.reason if answer.refusal else ""):
        assert not set(line) & set("\n\r\x1b⟦"), line[:200]
        assert len(line) < 1_500


async def every_fault_has_its_code(case: StagedFact) -> None:
    """Whatever goes wrong is a refusal with its code and a way out, and never a fact."""
    for fault in faults("facts", case.codes, json=True):
        answer, _ = await _ask(case, fault.answer, hasty=fault.impatient)
        assert answer.refusal is not None, fault.name
        assert answer.refusal.code in fault.codes, f"{fault.name}: {answer.refusal}"
        assert answer.refusal.mend, fault.name
        assert answer.lines == (), fault.name


async def an_interrupt_ends_it(case: StagedFact) -> None:
    """A call that was given up ends with `web.interrupted`, before anything was sent and while the vendor thinks."""
    answer, received = await _ask(case, case.answer, CallContext(cancelled=lambda: True))
    assert answer.refusal is not None
    assert (answer.refusal.code, len(received)) == ("web.interrupted", 0)
    thinking = Thinking()
    answer, _ = await _ask(case, thinking, CallContext(cancelled=thinking.asked.is_set))
    assert answer.refusal is not None
    assert answer.refusal.code == "web.interrupted"


async def a_deadline_of_the_call_holds(case: StagedFact) -> None:
    """The call's deadline ends the wait although the provider would wait longer."""
    answer, _ = await _ask(case, Thinking(), CallContext(deadline=anyio.current_time() + IMPATIENT_S))
    assert answer.refusal is not None
    assert answer.refusal.code == "network.timeout"


async def a_redirect_is_not_followed(case: StagedFact) -> None:
    """Nothing is sent where the vendor points."""
    async with serve({"*": case.answer}) as elsewhere:
        for status in (301, 302, 307, 308):
            answer, received = await _ask(case, redirect(elsewhere.url("/"), status=status))
            assert answer.refusal is not None
            assert answer.refusal.code == "facts.redirected"
            assert len(received) == 1
        assert elsewhere.received == []


FACT_CHECKS: tuple[FactCheck, ...] = (
    it_says_what_it_knows_and_from_where,
    nothing_known_is_told,
    its_words_stay_on_their_lines,
    every_fault_has_its_code,
    an_interrupt_ends_it,
    a_deadline_of_the_call_holds,
    a_redirect_is_not_followed,
)
