"""The kinds of values that settings have: each a type with the pattern or range that holds for it."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

# The outer shape of what the network's own rules read, so that a slip is found while the section can still fall back.
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
_V4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_V6 = r"[0-9A-Fa-f:]*:[0-9A-Fa-f:]*(?:[0-9.]+)?"
_V6_BITS = r"(?:12[0-8]|1[01][0-9]|[1-9]?[0-9])"
_PORT = r"(?::[0-9]{1,5})?"

Name = Annotated[str, Meta(min_length=1, title="text that is not empty")]
Host = Annotated[str, Meta(pattern=r"^[^\s/@?#]+\Z", title="a host name")]
HostOrNetwork = Annotated[
    str,
    Meta(
        pattern=rf"^(?:(?:\*?\.)?[A-Za-z0-9_][A-Za-z0-9._-]*{_PORT}|{_V4}/(?:3[0-2]|[12]?[0-9]){_PORT}|{_V6}(?:/{_V6_BITS})?"
        rf"|\[{_V6}(?:/{_V6_BITS})?\]{_PORT})\Z",
        max_length=300,
        title="a host, an address or a network, with `:port` where only that is meant, and without `http://` or a path",
    ),
]
Network = Annotated[
    str,
    Meta(
        pattern=rf"^(?:{_V4}/(?:[4-9]|[12][0-9]|3[0-2])|{_V6}/(?!0*[0-6]\Z){_V6_BITS})\Z",
        title="a network such as `198.18.0.0/15`",
    ),
]
Word = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_-]*\Z", title="a lower-case word")]
Endpoint = Annotated[
    str,
    Meta(
        # No place for a secret: what stands before an @ and behind a ? is shown wherever the endpoint is.
        pattern=r"^https?://[^\s/?#@]+(?:/[^\s?#]*)?\Z",
        title="a URL such as `http://127.0.0.1:8080/v1`, without a user name, a password or a query",
    ),
]
Proxy = Annotated[
    str,
    Meta(
        pattern=r"^(?:https?://(?:[^\s/@]+@)?(?:[^\s/@:?#\[\]]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?/?)?\Z",
        title="an address such as `http://host:port`, or empty",
    ),
]
WindowTokens = Annotated[int, Meta(ge=1_000, le=100_000_000)]
Tokens = Annotated[int, Meta(ge=1)]
FoldTokens = Annotated[int, Meta(ge=1_000, le=100_000_000)]
TurnSeconds = Annotated[float, Meta(gt=0, le=31_536_000)]
Dollars = Annotated[float, Meta(ge=0, le=1_000_000)]
VariableName = Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9_]*\Z", title="the name of a variable such as `OPENAI_API_KEY`")]
KeyReference = Annotated[
    str,
    Meta(
        pattern=r"^(?:env:[A-Za-z_][A-Za-z0-9_]*|file:[^\s].*|cmd:[^\s].*|keyring:[^\s/][^/]*/[^\s/].*|oauth:[a-z0-9][a-z0-9._-]*)\Z",
        max_length=1_000,
        title="a reference to a key: `env:NAME`, `file:PATH`, `cmd:COMMAND`, `keyring:SERVICE/NAME` or `oauth:NAME`",
    ),
]
Permission = Literal["allow", "ask", "deny"]
HostPermission = Annotated[
    str, Meta(pattern=r"^domain:[^\s/@?#=]+=(allow|ask|deny)\Z", title="a rule such as `domain:example.org=ask`")
]
AuxiliaryRoute = Annotated[
    str, Meta(pattern=r"^(?:auto|off|[^\s/]+/\S+)\Z", title="`auto`, `off`, or a route such as `openai/gpt-4.1`")
]
RouteName = Annotated[str, Meta(pattern=r"^[^\s/]+/\S+\Z", title="a route such as `openai/gpt-4.1`")]

# `Meta.extra` of a key that can only forbid.
TIGHTENS = {"tightens": True}


def fits(value: object, kind: Any) -> bool:
    """Whether a value is of one of these kinds."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True
