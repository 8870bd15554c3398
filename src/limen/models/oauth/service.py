"""A service where one logs in with a code shown here and entered there, as OpenAI's does for Codex."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar
from urllib.parse import urlencode

import anyio
import httpx2
import msgspec

from limen.core.fault import ModelFault
from limen.kit.clock import Clock, wall_s
from limen.models.oauth.claims import account_of, claims_of
from limen.models.oauth.source import Ended
from limen.models.oauth.tokens import Tokens
from limen.net.client import Refused
from limen.net.failure import explain

ClientFor = Callable[[str], httpx2.AsyncClient]
Shape = TypeVar("Shape", bound=msgspec.Struct)

_BODY_BYTES = 256 * 1024
# For a whole answer; less than other processes wait for one that renews a log-in.
_TIMEOUT_S = 20.0
_DEFAULT_LIFE_S = 3_600.0
# What the service and RFC 6749 call a refresh token that is used up, withdrawn or too old.
_ENDED = frozenset({"invalid_grant", "refresh_token_expired", "refresh_token_reused", "refresh_token_invalidated"})


class OAuthClient(msgspec.Struct, frozen=True):
    """Who logs in where. `issuer` is the service's base URL."""

    name: str
    client_id: str
    issuer: str

    def at(self, issuer: str | None) -> "OAuthClient":
        """The same at another address, where one is given."""
        return self if issuer is None else msgspec.structs.replace(self, issuer=issuer)


CODEX = OAuthClient("codex", "app_EMoamEEZ73f0CkXaXp7hrann", "https://auth.openai.com")
"""Codex with a ChatGPT account; the id is the one that OpenAI's own open-source client is registered under."""


class DeviceCode(msgspec.Struct, frozen=True):
    """A code that a person enters at `page`. Polled every `interval_s` seconds for `life_s` seconds at most."""

    device_auth_id: str
    user_code: str
    page: str
    interval_s: float
    life_s: float


class Grant(msgspec.Struct, frozen=True):
    """What the service gives once the code was entered; it is exchanged for tokens."""

    authorization_code: str
    code_verifier: str


Waiting = Literal["pending", "slow down"]


class _Code(msgspec.Struct, frozen=True):
    device_auth_id: str = ""
    user_code: str = ""
    usercode: str = ""
    interval: float | None = None
    expires_in: float | None = None


class _Tokens(msgspec.Struct, frozen=True):
    access_token: str = ""
    refresh_token: str = ""
    id_token: str = ""
    expires_in: float | None = None


class _Answer(msgspec.Struct, frozen=True):
    status: int
    body: bytes


class OAuthService:
    """Asks the service. Nothing it is sent or sends stands in a fault but a status and a code."""

    def __init__(self, client: OAuthClient, client_for: ClientFor, clock: Clock = wall_s, timeout_s: float = _TIMEOUT_S) -> None:
        self._client = client
        self._client_for = client_for
        self._clock = clock
        self._timeout_s = timeout_s
        self._issuer = client.issuer.rstrip("/")

    async def code(self) -> DeviceCode:
        """A fresh code. Raises ModelFault."""
        answer = await self._post("/api/accounts/deviceauth/usercode", json={"client_id": self._client.client_id})
        if answer.status == 404:
            mend = "allow it in your account's security settings, or ask whoever runs your workspace"
            raise ModelFault("auth", f"{self._issuer} lets nobody log in by a code here", mend, 404)
        if answer.status != 200:
            raise self._failed("gave no code", answer)
        said = self._read(answer, _Code)
        user_code = said.user_code or said.usercode
        if not said.device_auth_id or not user_code or not user_code.isprintable():
            raise self._failed("gave no code", answer)
        interval_s = min(max(said.interval or 5.0, 1.0), 60.0)
        life_s = min(max(said.expires_in or 900.0, 1.0), 1_800.0)
        return DeviceCode(said.device_auth_id, user_code, f"{self._issuer}/codex/device", interval_s, life_s)

    async def poll(self, code: DeviceCode) -> Grant | Waiting:
        """Whether the code has been entered. Raises ModelFault: auth where that was refused or is too late, else as `code`."""
        asked = {"device_auth_id": code.device_auth_id, "user_code": code.user_code}
        answer = await self._post("/api/accounts/deviceauth/token", json=asked)
        if answer.status == 200:
            return self._read(answer, Grant)
        match _error_code(answer.body):
            case "slow_down":
                return "slow down"
            case "access_denied" | "authorization_declined":
                raise ModelFault("auth", "the log-in was declined", f"limen credentials add {self._client.name}", answer.status)
            case "expired_token":
                raise self.too_late()
        if answer.status == 429:
            return "slow down"
        if answer.status in (400, 403, 404):  # so it says that nobody has entered the code yet
            return "pending"
        raise self._failed("could not say whether the code was entered", answer)

    def too_late(self) -> ModelFault:
        """The fault for a code that nobody entered in time."""
        return ModelFault("auth", "nobody entered the code in time", f"limen credentials add {self._client.name}")

    async def redeem(self, grant: Grant) -> Tokens:
        """Tokens for a grant. Raises ModelFault: auth where the grant is not taken, as one that was redeemed before."""
        form = {
            "grant_type": "authorization_code",
            "code": grant.authorization_code,
            "redirect_uri": f"{self._issuer}/deviceauth/callback",
            "client_id": self._client.client_id,
            "code_verifier": grant.code_verifier,
        }
        answer = await self._post("/oauth/token", form=form)
        if answer.status in (400, 401, 403):
            reason = f"{self._issuer} does not take what it gave for the code"
            raise ModelFault("auth", reason, f"limen credentials add {self._client.name}", answer.status)
        if answer.status != 200:
            raise self._failed("gave no tokens", answer)
        return self._tokens(self._read(answer, _Tokens), answer, "")

    async def refresh(self, tokens: Tokens) -> Tokens:
        """Fresh tokens. A refresh token that is not given anew goes on. Raises Ended, ModelFault."""
        form = {
            "grant_type": "refresh_token",
            "refresh_token": tokens.refresh_token,
            "client_id": self._client.client_id,
        }
        answer = await self._post("/oauth/token", form=form)
        if answer.status == 401 or (answer.status in (400, 403) and _error_code(answer.body) in _ENDED):
            raise Ended
        if answer.status != 200:
            raise self._failed("did not renew the log-in", answer)
        return self._tokens(self._read(answer, _Tokens), answer, tokens.refresh_token, tokens.account)

    def _tokens(self, said: _Tokens, answer: _Answer, refresh_token: str, account: str = "") -> Tokens:
        refresh_token = said.refresh_token or refresh_token
        if not said.access_token or not refresh_token:
            raise self._failed("gave no tokens", answer)
        now, claims = self._clock(), claims_of(said.access_token)
        if said.expires_in is not None and said.expires_in > 0:
            expires_at = now + said.expires_in
        else:
            expires_at = (claims.exp if claims is not None else None) or now + _DEFAULT_LIFE_S
        account = account_of(said.access_token) or account_of(said.id_token) or account
        return Tokens(said.access_token, refresh_token, expires_at, account, life_s=max(expires_at - now, 0.0))

    async def _post(self, path: str, *, json: Any = None, form: Mapping[str, str] | None = None) -> _Answer:
        url = self._issuer + path
        body = msgspec.json.encode(json) if form is None else urlencode(form).encode()
        kind = "application/json" if form is None else "application/x-www-form-urlencoded"
        headers = {"content-type": kind, "accept": "application/json"}
        try:
            with anyio.fail_after(self._timeout_s):
                async with self._client_for(url).stream(
                    "POST", url, content=body, headers=headers, timeout=self._timeout_s, follow_redirects=False
                ) as response:
                    return _Answer(response.status_code, await self._body(response))
        except TimeoutError:
            reason = f"{self._issuer} gave no whole answer within {self._timeout_s:g} s"
            raise ModelFault("network", reason, "try again later") from None
        except Refused as error:
            raise ModelFault("network", error.refusal.reason, error.refusal.mend) from None
        except httpx2.HTTPError as error:
            raise ModelFault("network", explain(error, self._issuer).reason, "check the network and try again") from None

    async def _body(self, response: httpx2.Response) -> bytes:
        pieces: list[bytes] = []
        size = 0
        async for piece in response.aiter_bytes():
            size += len(piece)
            if size > _BODY_BYTES:
                raise ModelFault("upstream", f"{self._issuer} answered with more than {_BODY_BYTES:,} bytes")
            pieces.append(piece)
        return b"".join(pieces)

    def _read(self, answer: _Answer, shape: type[Shape]) -> Shape:
        try:
            return msgspec.json.decode(answer.body, type=shape, strict=False)
        except (msgspec.DecodeError, UnicodeError):
            raise self._failed("answered what cannot be read", answer) from None

    def _failed(self, what: str, answer: _Answer) -> ModelFault:
        code = _error_code(answer.body)
        named = f", {code}" if code else ""
        return ModelFault("upstream", f"{self._issuer} {what} (HTTP {answer.status}{named})", "try again later", answer.status)


class _Coded(msgspec.Struct, frozen=True):
    code: str | None = None
    type: str | None = None


class _Wrong(msgspec.Struct, frozen=True):
    error: str | _Coded | None = None
    code: str | None = None


def _error_code(body: bytes) -> str:
    """The code of an error, in the shapes that RFC 6749 and the service have for it; empty where there is none."""
    try:
        wrong = msgspec.json.decode(body, type=_Wrong)
    except (msgspec.DecodeError, UnicodeError):
        return ""
    inner = wrong.error
    code = (inner.code or inner.type if isinstance(inner, _Coded) else inner) or wrong.code or ""
    return code if code.isascii() and code.replace("_", "").isalnum() and len(code) <= 60 else ""
