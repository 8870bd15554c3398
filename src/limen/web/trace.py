"""What each step of a call took, for whoever wants to see it afterwards."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from limen.kit.clock import Clock, monotonic_s
from limen.kit.pipeline import Gate, Proceed


class Trace:
    """The milliseconds of each step by name, in the order in which they began. What a gate takes is without what lies inside."""

    def __init__(self, clock: Clock = monotonic_s) -> None:
        self.took_ms: dict[str, float] = {}
        self.clock = clock

    def add(self, name: str, seconds: float) -> None:
        """Note a step; the same one again adds to itself."""
        self.took_ms[name] = round(self.took_ms.get(name, 0.0) + seconds * 1_000, 3)


class Traced(Protocol):
    """A request that may be traced."""

    @property
    def trace(self) -> Trace | None: ...


Request = TypeVar("Request", bound=Traced)
Answer = TypeVar("Answer")
Result = TypeVar("Result")


def timed(name: str, gate: Gate[Request, Answer]) -> Gate[Request, Answer]:
    """The gate, which notes what it took where its request is traced."""

    async def step(request: Request, proceed: Proceed[Request, Answer]) -> Answer:
        trace = request.trace
        if trace is None:
            return await gate(request, proceed)
        trace.add(name, 0.0)
        inside_s = 0.0

        async def onward(changed: Request) -> Answer:
            nonlocal inside_s
            began_s = trace.clock()
            try:
                return await proceed(changed)
            finally:
                inside_s += trace.clock() - began_s

        began_s = trace.clock()
        try:
            return await gate(request, onward)
        finally:
            trace.add(name, trace.clock() - began_s - inside_s)

    return step


async def taking(trace: Trace | None, name: str, work: Callable[[], Awaitable[Result]]) -> Result:
    """The result of a step that is no gate, noted like one."""
    if trace is None:
        return await work()
    began_s = trace.clock()
    try:
        return await work()
    finally:
        trace.add(name, trace.clock() - began_s)
