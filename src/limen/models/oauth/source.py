"""Access tokens for `oauth:NAME`: from the file, renewed before they end, once for all processes of a home."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Protocol

import anyio
import anyio.to_thread
import msgspec

from limen.core.fault import ModelFault
from limen.kit.clock import Clock, wall_s
from limen.kit.filelock import LockBusy
from limen.kit.log import failed_open
from limen.models.oauth.tokens import TokenFile, Tokens, again

EARLY_S = 300.0
"""A token is renewed that many seconds before it ends, so that no request carries one that ends on the way; one that holds for
less than ten times as long, a tenth of its life before, or it would be renewed for every request."""


class Ended(Exception):
    """The service takes a refresh token no more."""


class Renews(Protocol):
    """What renews tokens: raises Ended, or ModelFault where the service cannot be asked."""

    async def refresh(self, tokens: Tokens) -> Tokens: ...


class TokenSource:
    """The `Fetch` of one log-in. `service` makes what renews when it is first needed."""

    def __init__(self, file: TokenFile, service: Callable[[], Renews], clock: Clock = wall_s) -> None:
        self._file = file
        self._service = service
        self._clock = clock
        self._unsaved: tuple[Tokens, Tokens] | None = None  # what stands in the file, and what could not be put in its place

    async def __call__(self, _name: str, refused: str | None = None) -> str | None:
        """An access token other than `refused`; None where nobody has logged in. Raises ModelFault."""
        tokens = self._now()
        if tokens is None or self._holds(tokens, refused):
            return None if tokens is None else tokens.access_token
        async with self._alone():
            tokens = self._now()
            if tokens is None or self._holds(tokens, refused):  # another process was quicker
                return None if tokens is None else tokens.access_token
            # The service has used the old tokens up once it is asked: what it gives is kept, whoever has ceased to wait for it.
            with anyio.CancelScope(shield=True):
                tokens = await self._renewed(tokens, refused)
            return tokens.access_token

    def _now(self) -> Tokens | None:
        tokens = self._file.load()
        return self._unsaved[1] if self._unsaved is not None and tokens == self._unsaved[0] else tokens

    def _holds(self, tokens: Tokens, refused: str | None) -> bool:
        early_s = min(EARLY_S, tokens.life_s / 10)
        return not tokens.ended and tokens.access_token != refused and tokens.expires_at - early_s > self._clock()

    async def _renewed(self, tokens: Tokens, refused: str | None) -> Tokens:
        if tokens.ended:
            raise self._over()
        try:
            fresh = await self._service().refresh(tokens)
        except Ended:
            self._save(msgspec.structs.replace(tokens, ended=True))
            raise self._over() from None
        except ModelFault:
            if tokens.access_token != refused and tokens.expires_at > self._clock():
                return tokens  # it still holds for a moment, and the service may be back by then
            raise
        stored = self._file.load()
        self._unsaved = None if self._save(fresh) or stored is None else (stored, fresh)
        return fresh

    def _save(self, tokens: Tokens) -> bool:
        try:
            self._file.save(tokens)
        except OSError as error:
            failed_open("secrets.not_kept", f"the renewed log-in {self._file.name} could not be stored: {error.strerror}")
            return False
        return True

    def _over(self) -> ModelFault:
        return ModelFault("auth", f"the log-in {self._file.name} has ended, or was ended elsewhere", again(self._file.name))

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        lock = self._file.lock()
        try:
            await anyio.to_thread.run_sync(lock.__enter__)
        except LockBusy as error:
            raise ModelFault("network", f"another process has been renewing the log-in {self._file.name} for long", "") from error
        except OSError as error:
            raise ModelFault(
                "auth", f"{self._file.path.parent} cannot be written: {error.strerror}", "make it writable"
            ) from error
        try:
            yield
        finally:
            lock.__exit__(None, None, None)
