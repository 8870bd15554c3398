"""A log-in service on loopback: device codes, grants and tokens as OpenAI's service for Codex documents them by its client.

It gives tokens that look like its own, renews each refresh token once, and withdraws a log-in whose old token comes again.
"""

import base64
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal
from urllib.parse import parse_qs

import anyio
from anyio.abc import SocketAttribute, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from limen.kit.clock import Clock, wall_s
from limen.kit.group import background_tasks
from limen.testing.network import Received, receive

Poll = Literal["pending", "silent", "slow_down", "denied", "expired", "drop", "error", "granted"]
"""How one question after a code is answered: `silent` is pending as a bare 403, `drop` closes the connection."""

ACCOUNT = "acct-scripted"

_POLLS: dict[str, tuple[int, dict[str, Any]]] = {
    "pending": (403, {"error": {"code": "deviceauth_authorization_pending"}}),
    "silent": (403, {}),
    "slow_down": (429, {"error": "slow_down"}),
    "denied": (403, {"error": {"code": "access_denied"}}),
    "expired": (400, {"error": "expired_token"}),
    "error": (500, {"error": {"message": "scripted"}}),
    "granted": (200, {"authorization_code": "grant-1", "code_verifier": "verifier-1", "code_challenge": "challenge-1"}),
}


def token(number: int, expires_at: float, account: str = ACCOUNT) -> str:
    """An access token of the shape the service gives: a JSON web token, signed by nobody."""
    claims = {"exp": int(expires_at), "n": number, "https://api.openai.com/auth": {"chatgpt_account_id": account}}
    return ".".join(_part(part) for part in ({"alg": "none"}, claims)) + ".unsigned"


class OAuthServer:
    """What a test holds: `issuer` to log in at, every request in `received`, the latest `access_token`, and how often tokens
    were `renewed`.

    `polls` is how questions after a code are answered, the last one again and again; `life_s` how long tokens hold; `lost` how
    many questions for tokens are still to get a closed connection for an answer.
    """

    def __init__(self, polls: Sequence[Poll], life_s: float, clock: Clock) -> None:
        self.issuer = ""
        self.received: list[Received] = []
        self.access_token = ""
        self.renewed = 0
        self.withdrawn = False
        self.broken = False
        self.lost = 0
        self.delay_s = 0.0
        self.life_s = life_s
        self._polls = list(polls)
        self._clock = clock
        self._given = 0

    @property
    def refresh_token(self) -> str:
        """The one refresh token that is taken now."""
        return f"refresh-{self._given}"

    def tokens(self) -> dict[str, Any]:
        """Fresh tokens; those before are worth nothing now."""
        self._given += 1
        self.access_token = token(self._given, self._clock() + self.life_s)
        return {
            "access_token": self.access_token,
            "refresh_token": self.refresh_token,
            "id_token": self.access_token,
            "expires_in": self.life_s,
        }

    async def serve(self, stream: SocketStream) -> None:
        """Answer one connection."""
        async with stream:
            try:
                reader = BufferedByteReceiveStream(stream)
                while True:
                    request = await receive(reader)
                    self.received.append(request)
                    answer = await self._answer(request)
                    if answer is None:
                        return
                    await stream.send(_encoded(*answer))
            except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError):
                return  # the client has left

    async def _answer(self, request: Received) -> tuple[int, dict[str, Any]] | None:
        if self.broken:
            return 503, {"error": {"message": "scripted"}}
        match request.path:
            case "/api/accounts/deviceauth/usercode":
                return 200, {"device_auth_id": "device-1", "user_code": "ABCD-EFGH", "interval": "1"}
            case "/api/accounts/deviceauth/token":
                poll = self._polls.pop(0) if len(self._polls) > 1 else self._polls[0]
                return None if poll == "drop" else _POLLS[poll]
            case "/oauth/token":
                await anyio.sleep(self.delay_s)
                if self.lost:
                    self.lost -= 1
                    return None
                return self._token({name: values[0] for name, values in parse_qs(request.body.decode()).items()})
        return 404, {"error": "not_found"}

    def _token(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        if form.get("grant_type") == "authorization_code":
            right = form.get("code") == "grant-1" and form.get("code_verifier") == "verifier-1"
            right = right and form.get("redirect_uri") == f"{self.issuer}/deviceauth/callback" and bool(form.get("client_id"))
            return (200, self.tokens()) if right else (400, {"error": "invalid_grant"})
        if self.withdrawn or form.get("refresh_token") != self.refresh_token:
            self.withdrawn = True  # an old one that comes again has been stolen, so nobody is trusted any more
            return 401, {"error": {"code": "refresh_token_reused"}}
        self.renewed += 1
        return 200, self.tokens()


@asynccontextmanager
async def oauth_server(*polls: Poll, life_s: float = 3_600.0, clock: Clock = wall_s) -> AsyncIterator[OAuthServer]:
    """A service for the length of a block; without `polls` every code has been entered already."""
    server = OAuthServer(polls or ("granted",), life_s, clock)
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, background_tasks() as group:
        server.issuer = f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}"  # noqa: S610 - a socket's attribute
        group.start_soon(listener.serve, server.serve)
        yield server


def _part(shape: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(shape).encode()).decode().rstrip("=")


def _encoded(status: int, shape: dict[str, Any]) -> bytes:
    body = json.dumps(shape).encode()
    head = f"HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body
