"""The one pattern: gates around an endpoint, shapers behind it.

A gate is called with a request and `proceed`. It refuses by answering without calling `proceed`, changes the request
by handing on another, retries by calling `proceed` again, or passes it on. A shaper only reshapes an answer.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

Request = TypeVar("Request")
Answer = TypeVar("Answer")
Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

Proceed = Callable[[Request], Awaitable[Answer]]
Gate = Callable[[Request, Proceed[Request, Answer]], Awaitable[Answer]]
Shaper = Callable[[Answer], Awaitable[Answer]]


def pipeline(
    gates: Iterable[Gate[Request, Answer]],
    endpoint: Proceed[Request, Answer],
    shapers: Iterable[Shaper[Answer]] = (),
) -> Proceed[Request, Answer]:
    """Fold `gates`, outermost first, over `endpoint`; `shapers` run on the endpoint's answer, in order, inside every gate."""
    shaping = tuple(shapers)

    async def shaped(request: Request) -> Answer:
        answer = await endpoint(request)
        for shape in shaping:
            answer = await shape(answer)
        return answer

    proceed: Proceed[Request, Answer] = shaped if shaping else endpoint
    for gate in reversed(tuple(gates)):
        proceed = _bind(gate, proceed)
    return proceed


def _bind(gate: Gate[Request, Answer], proceed: Proceed[Request, Answer]) -> Proceed[Request, Answer]:
    async def step(request: Request) -> Answer:
        return await gate(request, proceed)

    return step


Judge = Callable[[Item], Awaitable[Outcome | None]]


def each(
    judge: Judge[Item, Outcome],
) -> Gate[Sequence[Item], Sequence[Outcome]]:
    """A gate for batches from a judge of one entry: entries it answers stay behind, the rest go on; order is the caller's.

    Raises AssertionError when what lies inside loses or adds an entry: a page must never vanish unnoticed.
    """

    async def gate(items: Sequence[Item], proceed: Proceed[Sequence[Item], Sequence[Outcome]]) -> Sequence[Outcome]:
        verdicts = [await judge(item) for item in items]
        onward = [item for item, verdict in zip(items, verdicts, strict=True) if verdict is None]
        answers = await proceed(onward) if onward else ()
        if len(answers) != len(onward):
            raise AssertionError(f"{len(onward)} entries went on, {len(answers)} came back")
        rest = iter(answers)
        return [next(rest) if verdict is None else verdict for verdict in verdicts]

    return gate
