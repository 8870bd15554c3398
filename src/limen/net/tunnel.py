"""A declared proxy: it is asked to CONNECT, and told an address that was checked here."""

import base64
import re
import ssl
from urllib.parse import unquote, urlsplit

import httpcore2
import msgspec

from limen.core.fault import ConfigFault, Refusal
from limen.net.host import parse_host
from limen.net.policy import PROXY_KEY
from limen.net.url import DEFAULT_PORTS

# A proxy's answer to CONNECT is a status line and a few headers.
_MAX_ANSWER_BYTES = 16_384


class Proxy(msgspec.Struct, frozen=True):
    """Where the proxy is and how it wants to be greeted. `authorization` is a whole header value, or empty."""

    scheme: str
    host: str
    port: int
    authorization: str = ""


def parse_proxy(url: str) -> Proxy:
    """Read `http(s)://[user:password@]host:port`. Raises ConfigFault `config.bad_value`."""
    mend = f"write http://host:port (limen config set {PROXY_KEY} http://proxy.example:3128)"
    try:
        parts = urlsplit(url)
        port = parts.port
        host = parse_host(f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or "")
    except ValueError as error:
        raise ConfigFault("config.bad_value", "the proxy's address cannot be read", mend, place=PROXY_KEY) from error
    if parts.scheme not in DEFAULT_PORTS or isinstance(host, Refusal) or parts.path.strip("/") or parts.query:
        raise ConfigFault("config.bad_value", "the proxy's address cannot be used", mend, place=PROXY_KEY)
    authorization = ""
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        authorization = f"Basic {base64.b64encode(pair).decode()}"
    return Proxy(parts.scheme, host.text, port or DEFAULT_PORTS[parts.scheme], authorization)


async def open_tunnel(
    stream: httpcore2.AsyncNetworkStream, proxy: Proxy, target: str, port: int, *, timeout_s: float | None
) -> httpcore2.AsyncNetworkStream:
    """Ask the proxy at the other end of `stream` for a tunnel to `target`, an address or a name the proxy may resolve.

    Raises httpcore2.ProxyError when it says no or talks nonsense.
    """
    if proxy.scheme == "https":
        stream = await stream.start_tls(ssl.create_default_context(), proxy.host, timeout_s)
    place = f"[{target}]:{port}" if ":" in target else f"{target}:{port}"
    lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
    if proxy.authorization:
        lines.append(f"Proxy-Authorization: {proxy.authorization}")
    await stream.write("\r\n".join([*lines, "", ""]).encode("ascii"), timeout_s)
    answer = b""
    while b"\r\n\r\n" not in answer:
        chunk = await stream.read(4_096, timeout_s)
        answer += chunk
        if not chunk or len(answer) > _MAX_ANSWER_BYTES:
            raise httpcore2.ProxyError("the proxy's answer is no HTTP answer")
    status_line, _, _rest = answer.partition(b"\r\n")
    words = status_line.split(b" ", 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not re.fullmatch(rb"2[0-9][0-9]", words[1]):
        raise httpcore2.ProxyError(f"the proxy answered {status_line[:80].decode('latin-1')!r}")
    if not answer.endswith(b"\r\n\r\n"):
        raise httpcore2.ProxyError("the proxy sent more than its answer")
    return stream
