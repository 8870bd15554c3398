"""A vendor's key and where it may go. It shows itself to nobody else."""

from collections.abc import Iterable
from typing import Any

from limen.core.fault import ConfigFault, Refusal
from limen.net.host import lies_in
from limen.net.url import SafeUrl, parse

_HTTPS_PORT = 443


class VendorKey:
    """A key that goes by https to `hosts` and their true subdomains, and to exactly the `endpoints` it was configured for.

    Raises ConfigFault `config.value` for a text that can be no key; the text is not quoted.
    """

    __slots__ = ("_hosts", "_origins", "_secret")

    def __init__(self, secret: str, hosts: Iterable[str] = (), endpoints: Iterable[str] = ()) -> None:
        stripped = secret.strip()
        if not stripped or not stripped.isascii() or not stripped.isprintable() or " " in stripped:
            raise ConfigFault("config.value", "a web provider's key holds spaces or unusual characters", "set the key again")
        self._secret = stripped
        self._hosts = tuple(hosts)
        parsed = [parse(endpoint) for endpoint in endpoints]
        self._origins = frozenset(url.origin for url in parsed if isinstance(url, SafeUrl))

    def __repr__(self) -> str:
        return "VendorKey(…)"

    def __reduce__(self) -> Any:
        raise TypeError("a key is not stored")

    def header(self, name: str) -> tuple[str, str]:
        """The header that carries it: a bearer token for `authorization`, the bare key for any other name."""
        return name, f"Bearer {self._secret}" if name == "authorization" else self._secret

    def may_go(self, url: SafeUrl) -> bool:
        """Whether a request to this URL may carry it."""
        if url.origin in self._origins:
            return True
        if url.scheme != "https" or url.port != _HTTPS_PORT or url.literal:
            return False
        return any(lies_in(url.host, host) for host in self._hosts)

    def homes(self) -> str:
        """Where it belongs, for a message."""
        return ", ".join([*self._hosts, *sorted(self._origins)]) or "no host"

    def scrub(self, text: str) -> str:
        """`text` without the key, for what a vendor echoes."""
        return text.replace(self._secret, "[key]")

    def scrub_body(self, body: bytes) -> bytes:
        """A vendor's answer without the key, before anything is made of it."""
        escaped = self._secret.replace("/", "\\/")
        return body.replace(self._secret.encode(), b"[key]").replace(escaped.encode(), b"[key]")


def scrubbed(refusal: Refusal, key: VendorKey | None) -> Refusal:
    """A refusal without the key in any of its texts."""
    if key is None:
        return refusal
    detail = {name: key.scrub(value) if isinstance(value, str) else value for name, value in refusal.detail.items()}
    return Refusal(refusal.gate, refusal.code, key.scrub(refusal.reason), key.scrub(refusal.mend), detail)
