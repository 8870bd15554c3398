"""Telling by canaries whether a fake-IP proxy answers for every name."""

import secrets
from collections.abc import Callable, Sequence

import anyio

from limen.kit.clock import Clock, monotonic_s
from limen.net.address import SENTINELS, parse_ip
from limen.net.policy import AddressPolicy, rules_of
from limen.net.resolve import Resolver

# Public for as long as there has been a web, and run by different people.
PUBLIC_NAMES = ("example.com", "www.wikipedia.org")
# How long a finding holds, in seconds: a proxy is switched on and off by hand.
HOLDS_S = 180.0
_FAKE = rules_of(AddressPolicy(fake_ip_ranges=(SENTINELS,)))


def random_name() -> str:
    """A name that nobody has registered, so that only a resolver which makes answers up has one for it."""
    return f"{secrets.token_hex(10)}.com"


class CanaryResolver:
    """A resolver that can also say whether a fake-IP proxy stands behind it.

    One does where two public names and a name that does not exist are all answered from the sentinel range alone. A single
    poisoned name is no such case. What was found holds for `HOLDS_S`.
    """

    def __init__(self, resolver: Resolver, *, new_name: Callable[[], str] = random_name, clock: Clock = monotonic_s) -> None:
        self._resolver = resolver
        self._new_name = new_name
        self._clock = clock
        self._lock = anyio.Lock()
        self._found: tuple[float, bool] | None = None

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        return await self._resolver(host, port)

    async def fakes(self) -> bool:
        """Whether every name is answered from the sentinel range now."""
        async with self._lock:
            now_s = self._clock()
            if self._found is None or now_s - self._found[0] >= HOLDS_S:
                self._found = (now_s, await self._look())
            return self._found[1]

    async def _look(self) -> bool:
        verdicts: list[bool] = []

        async def ask(name: str) -> None:
            verdicts.append(await self._is_faked(name))

        names = (*PUBLIC_NAMES, self._new_name())
        async with anyio.create_task_group() as tasks:
            for name in names:
                tasks.start_soon(ask, name)
        return all(verdicts)

    async def _is_faked(self, name: str) -> bool:
        try:
            answers = [parse_ip(answer) for answer in await self._resolver(name, 443)]
        except (OSError, UnicodeError):  # TimeoutError among them: a canary that is silent proves nothing
            return False
        return bool(answers) and all(answer is not None and _FAKE.fakes(*answer) for answer in answers)
