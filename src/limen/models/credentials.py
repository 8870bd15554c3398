"""Keys and where they may go: each is bound to hosts, checked at every send, on the very URL that is dialled."""

import hashlib
import ipaddress
import shlex
from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Any, Literal

import msgspec

from limen.core.fault import ConfigFault, ModelFault, Refusal
from limen.core.route import Route
from limen.models import quirks
from limen.models.oauth.claims import account_of
from limen.models.references import is_placeholder, shown
from limen.net.host import lies_in
from limen.net.url import SafeUrl, parse

ReadSecret = Callable[[str], str | None]
"""Gives the secret behind a reference such as `env:OPENAI_API_KEY`, None where there is none."""

FetchSecret = Callable[[str, bool], Awaitable[None]]
"""Makes the secret behind a reference readable that has to be run or asked for; with True in place of one that was refused."""

_HTTPS_PORT = 443
# Enough to tell two keys of one name apart, too little to tell what they are.
_FINGERPRINT_CHARS = 6
_SHOWN_CHARS = 4


class KeyBinding(msgspec.Struct, frozen=True):
    """Where the key behind `credential` may go: to `hosts` and their true subdomains, by https on its usual port, and to
    exactly the `endpoints` that a person configured for it. `required` says that nothing is sent without it."""

    credential: str
    hosts: tuple[str, ...] = ()
    endpoints: tuple[str, ...] = ()
    required: bool = True


class Key:
    """A secret that never shows itself: not in a repr, not in a traceback's locals."""

    __slots__ = ("_secret",)

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def __repr__(self) -> str:
        return "Key(…)"

    def __reduce__(self) -> Any:
        raise TypeError("a key is not stored")

    def headers(self, route: Route) -> dict[str, str]:
        """The header that a route's protocol carries a key in."""
        if quirks.API_KEY_HEADER in route.quirks:
            return {"api-key": self._secret}
        if route.wire == "anthropic_messages" and quirks.BEARER not in route.quirks:
            return {"x-api-key": self._secret}
        account = account_of(self._secret) if quirks.ACCOUNT_HEADER in route.quirks else None
        named = {"chatgpt-account-id": account} if account is not None else {}
        return {"authorization": f"Bearer {self._secret}", **named}

    def fingerprint(self, salt: str) -> str:
        """Six hex digits that tell this key from another under one `salt`, and say nothing of it.

        A token is known by its account, since it is renewed all the time.
        """
        known_by = account_of(self._secret) or self._secret
        digest = hashlib.sha256(f"{salt}\0{known_by}".encode()).hexdigest()
        return digest[:_FINGERPRINT_CHARS]

    def scrub(self, text: str) -> str:
        """`text` without the secret, for what a vendor echoes in its errors."""
        return text.replace(self._secret, "[key]")


class KeyState(msgspec.Struct, frozen=True):
    """How it stands with a key; `on demand` is one that is looked for only when it is used. `fingerprint` tells it from its
    successor and says nothing of it."""

    state: Literal["set", "on demand", "missing", "unusable"]
    fingerprint: str = ""
    reason: str = ""
    mend: str = ""

    @property
    def usable(self) -> bool:
        """Whether asking with it makes sense, as far as is known."""
        return self.state in ("set", "on demand")


class Keyring:
    """Hands out keys for URLs. `bindings` are looked at for every key: routes that are read later may add to them."""

    def __init__(self, bindings: Collection[KeyBinding], read: ReadSecret, fetch: FetchSecret | None = None) -> None:
        self._bindings = bindings
        self._read = read
        self._fetch = fetch

    async def ready(self, credential: str | None) -> None:
        """Fetch a key that has to be fetched, so that `key_for` knows it. What went wrong is raised there."""
        if credential is not None and self._fetch is not None:
            await self._fetch(credential, False)

    async def renew(self, credential: str) -> bool:
        """Whether a key that was refused could be replaced by another from the same place."""
        if self._fetch is None:
            return False
        before = self._secret(credential)
        await self._fetch(credential, True)
        return self._secret(credential) not in (None, before)

    def subject(self, credential: str, url: str) -> str | None:
        """What the key that stands at a reference now is called for one host, among rests and uses. Answers and raises as
        `key_for` does."""
        address = parse(url)
        key = self._key_for(credential, address)
        if key is None or isinstance(address, Refusal):
            return None
        return f"key {credential} {key.fingerprint(f'{credential} {address.origin}')} {address.origin}"

    def state(self, credential: str, url: str) -> KeyState:
        """How it stands with a key, for people. Never raises."""
        try:
            key = self.key_for(credential, url)
        except ModelFault as fault:
            return KeyState("unusable" if self._stands(credential) else "missing", "", fault.reason, fault.mend)
        return KeyState("missing") if key is None else KeyState("set", key.fingerprint(credential)[:_SHOWN_CHARS])

    def _stands(self, credential: str) -> bool:
        """Whether anything stands at a reference, or at least something went wrong with it."""
        try:
            return bool(self._read(credential))
        except ModelFault:
            return True

    def key_for(self, credential: str | None, url: str) -> Key | None:
        """The key for a request to `url`; None when the route has no credential, or an optional one that is not set.

        Raises ModelFault auth when the key is bound elsewhere, is missing though required, or can be no key.
        """
        return None if credential is None else self._key_for(credential, parse(url))

    def _key_for(self, credential: str, address: SafeUrl | Refusal) -> Key | None:
        bindings = [binding for binding in self._bindings if binding.credential == credential]
        secret = self._secret(credential)
        if secret is None:
            if bindings and not any(binding.required for binding in bindings):
                return None
            what = "only a placeholder for a key" if (self._read(credential) or "").strip() else "no key"
            raise ModelFault("auth", f"{what} at {shown(credential)}", _how_to_set(credential))
        if isinstance(address, Refusal) or not any(_may_go(binding, address) for binding in bindings):
            raise ModelFault(
                "auth",
                f"the key {shown(credential)} is not sent to {_origin(address)}: it belongs to {_homes(bindings)}",
                "use the provider's own endpoint over https, or configure this endpoint together with a key for it",
            )
        return Key(secret)

    def _secret(self, credential: str) -> str | None:
        secret = (self._read(credential) or "").strip()
        if not secret or is_placeholder(secret):
            return None
        if not secret.isascii() or not secret.isprintable() or " " in secret:
            raise ModelFault(
                "auth",
                f"what stands at {shown(credential)} can be no key: it holds spaces or unusual characters",
                _how_to_set(credential),
            )
        return secret


def endpoint_url(endpoint: str, place: str) -> SafeUrl:
    """An endpoint, parsed. Raises ConfigFault `config.value` naming `place`."""
    parsed = parse(endpoint)
    if isinstance(parsed, Refusal):
        raise ConfigFault("config.value", f"{place}: {parsed.reason}", parsed.mend, place=place)
    if parsed.query is not None or parsed.fragment is not None:
        reason = f"{place}: an endpoint ends with its path, and what stands behind a ? would be shown wherever it is"
        raise ConfigFault("config.value", reason, "give it without a query; a key: limen credentials add PROVIDER", place=place)
    return parsed


def origin_of(endpoint: str, place: str) -> str:
    """Scheme, host and port of an endpoint in one spelling. Raises ConfigFault `config.value` naming `place`."""
    return endpoint_url(endpoint, place).origin


def _may_go(binding: KeyBinding, url: SafeUrl) -> bool:
    if url.scheme != "https" and not _is_loopback(url):
        return False
    if any(url.origin == _origin(parse(endpoint)) for endpoint in binding.endpoints):
        return True
    if url.scheme != "https" or url.port != _HTTPS_PORT or url.literal:
        return False
    return any(lies_in(url.host, host) for host in binding.hosts)


def _is_loopback(url: SafeUrl) -> bool:
    if url.literal:
        return ipaddress.ip_address(url.host).is_loopback
    return url.host == "localhost"


def _origin(url: SafeUrl | Refusal) -> str:
    return "an address that cannot be read" if isinstance(url, Refusal) else url.origin


def _homes(bindings: Iterable[KeyBinding]) -> str:
    homes = [
        home for binding in bindings for home in (*binding.hosts, *(_origin(parse(endpoint)) for endpoint in binding.endpoints))
    ]
    return ", ".join(dict.fromkeys(homes)) or "no host"


def _how_to_set(credential: str) -> str:
    kind, _, name = credential.partition(":")
    if kind == "env":
        return f"set it: export {name}=…, or choose another route: limen model list"
    if kind == "oauth":
        return f"log in: limen credentials add {name}"
    if kind == "cmd":
        return (
            f"let {shown(credential)} print nothing but the key; no shell runs it, so a pipe or a variable is 'cmd:sh -c \"…\"'"
        )
    if kind == "keyring":
        return f"put the key there: keyring set {shlex.join(name.split('/', 1))}"
    return f"put the key alone into {shlex.quote(name)}, or choose another route: limen model list"
