"""What goes wrong on the network, as refusals: the one place where the client's errors are translated."""

import ssl

import httpx2

from limen.core.fault import Refusal
from limen.net.transport import Refused


def explain(error: httpx2.HTTPError | httpx2.InvalidURL | TimeoutError, host: str) -> Refusal:
    """The refusal that an error of the HTTP client means.

    Codes: `network.timeout`, `network.tls`, `network.connect_failed`, `network.reset`, `network.protocol`,
    `network.encoding`, `network.proxy`, or that of the Refused it carries.
    """
    if isinstance(error, Refused):
        return error.refusal
    code, reason, mend = _meaning(error)
    return Refusal("network", f"network.{code}", f"{host} {reason}", mend, {"host": host})


def _meaning(error: Exception) -> tuple[str, str, str]:
    certificate = _tls_reason(error)
    if certificate is not None:
        return "tls", f"could not be reached securely: {certificate}", "check the address and the site's certificate"
    match error:
        case httpx2.ConnectTimeout():
            return "timeout", "did not accept a connection in time", "try again later"
        case httpx2.TimeoutException() | TimeoutError():
            return "timeout", "took too long to answer", "try again later, or raise the time limit"
        case httpx2.ProxyError():
            return "proxy", f"could not be reached through the proxy: {error}", "check security.proxy"
        case httpx2.ConnectError():
            return "connect_failed", "did not accept the connection", "check the address, and that the server runs"
        case httpx2.DecodingError():
            return "encoding", "sent a body that cannot be decompressed", "try again, or read another source"
        case httpx2.RemoteProtocolError() if "without sending complete" in str(error):
            return "reset", "ended its answer early", "try again"
        case httpx2.ReadError() | httpx2.WriteError() | httpx2.CloseError():
            return "reset", "broke off the connection", "try again"
        case httpx2.RemoteProtocolError() if "disconnected" in str(error):
            return "reset", "closed the connection without an answer", "try again"
        case _:
            return "protocol", f"did not answer as HTTP demands: {str(error)[:120]}", "read another source"


def _tls_reason(error: BaseException) -> str | None:
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ssl.SSLCertVerificationError):
            return seen.verify_message
        if isinstance(seen, ssl.SSLError):
            return (seen.reason or "the TLS handshake failed").replace("_", " ").lower()
        seen = seen.__cause__ or seen.__context__  # the pool raises "from None"
    return None
