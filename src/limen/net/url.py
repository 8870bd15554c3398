"""URLs: a strict grammar of our own, and a second parser that must agree on host and port."""

import re
from functools import lru_cache

import ada_url
import msgspec

from limen.core.fault import Refusal
from limen.net.host import Host, parse_host

MAX_URL_CHARS = 8_000
# Characters that one character may become: four bytes in UTF-8, three characters each.
_LONGEST_ESCAPE = 12
DEFAULT_PORTS = {"http": 80, "https": 443}

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
# C0 and C1 controls, every kind of white space, surrogates and noncharacters: refused, never repaired.
_UNPRINTABLE = re.compile(
    "[\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_AUTHORITY_END = re.compile("[/?#]")
_PORT = re.compile(r"[1-9][0-9]{0,4}")
# A run of what must be percent-encoded; an existing escape is none. The safe sets are those of the URL
# standard's path, query and fragment, so that a browser and our client leave the result alone.
_PATH_UNSAFE = re.compile(r"%(?![0-9A-Fa-f]{2})|[^%!$&'()*+,\-./0-9:;=@A-Z\[\]^_a-z|~]+")
_QUERY_UNSAFE = re.compile(r"%(?![0-9A-Fa-f]{2})|[^%!$&'()*+,\-./0-9:;=?@A-Z\[\]^_`a-z{|}~]+")
_FRAGMENT_UNSAFE = re.compile(r"%(?![0-9A-Fa-f]{2})|[^%!#$&'()*+,\-./0-9:;=?@A-Z\[\]^_a-z{|}~]+")
_DOT = re.compile(r"\.|%2e", re.IGNORECASE)
_DOTS = re.compile(r"/(?:\.|%2e){1,2}(?:/|\Z)", re.IGNORECASE)


class SafeUrl(msgspec.Struct, frozen=True):
    """A URL that two parsers read alike, in normal form.

    `host` is an address without brackets or a lower-case ASCII name; `port` is always filled in. `path` begins with a slash;
    `query` and `fragment` are None when absent (an empty one is kept). All are percent-encoded.
    """

    scheme: str
    host: str
    literal: bool
    port: int
    path: str
    query: str | None = None
    fragment: str | None = None

    def __str__(self) -> str:
        fragment = "" if self.fragment is None else f"#{self.fragment}"
        return f"{self.request_url}{fragment}"

    @property
    def request_url(self) -> str:
        """The URL as it is sent: without its fragment."""
        query = "" if self.query is None else f"?{self.query}"
        return f"{self.origin}{self.path}{query}"

    @property
    def origin(self) -> str:
        """Scheme, host and port; two URLs may share credentials only when this is the same."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"


# An endpoint is asked for several times in a turn, and an address at every gate.
@lru_cache(maxsize=512)
def parse(url: str) -> SafeUrl | Refusal:
    """Read a URL, or say why it cannot be trusted.

    Codes: `network.malformed`, `network.control_character`, `network.backslash`, `network.scheme`, `network.userinfo`,
    `network.port`, `network.percent_host`, `network.numeric_host`, `network.unicode_digits`, `network.zone_id`,
    `network.parser_disagreement`.
    """
    split = _split(url)
    if isinstance(split, Refusal):
        return split
    scheme, authority, rest = split
    host, port = _authority(authority, scheme)
    if isinstance(host, Refusal):
        return host
    if isinstance(port, Refusal):
        return port
    disagreement = _second_opinion(url, host, port, scheme)
    if disagreement is not None:
        return disagreement
    rest, _, fragment = rest.partition("#")
    path, _, query = rest.partition("?")
    safe = SafeUrl(
        scheme=scheme,
        host=host.text,
        literal=host.literal,
        port=port,
        path=_without_dots(_encode(path or "/", _PATH_UNSAFE)),
        query=_encode(query, _QUERY_UNSAFE) if "?" in rest else None,
        fragment=_encode(fragment, _FRAGMENT_UNSAFE) if "#" in url else None,
    )
    return (_short(str(safe)) if len(url) * _LONGEST_ESCAPE > MAX_URL_CHARS else None) or safe


def normalise(url: str) -> str | Refusal:
    """A URL in its one spelling: scheme and host in lower case, default port and dot segments dropped, path, query and fragment
    percent-encoded once. Doing it again changes nothing."""
    parsed = parse(url)
    return parsed if isinstance(parsed, Refusal) else str(parsed)


def comparable(url: str) -> str:
    """An address in the form in which two mentions of it are compared: normalised, without its fragment and its last slash."""
    normal = normalise(url)
    return (url if isinstance(normal, Refusal) else normal).partition("#")[0].rstrip("/")


def join(base: SafeUrl, reference: str) -> SafeUrl | Refusal:
    """The URL a `reference` means on the page `base` (RFC 3986 section 5.2), as strictly read as any other."""
    if _SCHEME.match(reference):
        return parse(reference)
    if reference.startswith("//"):
        return parse(f"{base.scheme}:{reference}")
    if reference.startswith("/"):
        return parse(f"{base.origin}{reference}")
    if reference.startswith("#") or not reference:
        return parse(f"{base.request_url}{reference}")
    if reference.startswith("?"):
        return parse(f"{base.origin}{base.path}{reference}")
    folder = base.path.rpartition("/")[0]
    return parse(f"{base.origin}{folder}/{reference}")


def _split(url: str) -> tuple[str, str, str] | Refusal:
    """Scheme (lower case), authority, and the rest from the first of `/?#` on."""
    if not url:
        return _refuse("malformed", "the URL is empty", "give a full address such as https://example.com/")
    too_long = _short(url)
    if too_long is not None:
        return too_long
    # Asked first because nearly every address is plain ASCII, for which the long pattern would find nothing.
    plain = url.isascii() and url.isprintable() and " " not in url
    found = None if plain else _UNPRINTABLE.search(url)
    if found:
        return _refuse(
            "control_character", f"the URL holds {found.group()!a}", "remove it, or percent-encode it where it belongs"
        )
    if "\\" in url:
        return _refuse("backslash", "the URL holds a backslash, which readers take differently", "write / or %5C")
    match = _SCHEME.match(url)
    scheme = match.group(1).lower() if match else ""
    if scheme not in DEFAULT_PORTS:
        reason = f"the scheme {scheme}: is not fetched" if scheme else "the URL has no scheme"
        return _refuse("scheme", reason, "use an http:// or https:// address")
    rest = url[len(scheme) + 1 :]
    if not rest.startswith("//"):
        return _refuse("malformed", f"no // after {scheme}:", f"write {scheme}://host/")
    ends = _AUTHORITY_END.search(rest, 2)
    cut = ends.start() if ends else len(rest)
    return scheme, rest[2:cut], rest[cut:]


def _authority(authority: str, scheme: str) -> tuple[Host | Refusal, int | Refusal]:
    default = DEFAULT_PORTS[scheme]
    if "@" in authority:
        return _refuse(
            "userinfo", "the URL holds a user name or password", "give the address without what stands before the @"
        ), 0
    if authority.startswith("["):
        bracket, closing, tail = authority.partition("]")
        host_text, port_text = bracket + closing, tail[1:]
        if tail and not tail.startswith(":"):
            return _refuse("malformed", "something follows the bracketed address", "check the address's spelling"), 0
    else:
        host_text, _, port_text = authority.partition(":")
    if not host_text:
        return _refuse("malformed", "the URL has no host", "give a full address such as https://example.com/"), 0
    port: int | Refusal = default
    if port_text:
        valid = _PORT.fullmatch(port_text) and int(port_text) < 65_536
        port = int(port_text) if valid else _refuse("port", f"{port_text!a} is no port", "use a number from 1 to 65535")
    return parse_host(host_text), port


def _second_opinion(url: str, host: Host, port: int, scheme: str) -> Refusal | None:
    """Ask the URL standard's parser (what a browser would do) for host and port."""
    try:
        theirs = ada_url.parse_url(url, attributes=("hostname", "port"))
    except ValueError:
        return _refuse("parser_disagreement", "a browser's parser refuses this URL", "write the address in its plain form")
    hostname = theirs["hostname"].removesuffix(".")
    agreed = parse_host(hostname) == host if ":" in host.text else hostname == host.text
    if agreed and (theirs["port"] or str(DEFAULT_PORTS[scheme])) == str(port):
        return None
    reason = f"one parser reads the host as {host.text}:{port}, another as {hostname!a}:{theirs['port']}"
    return _refuse("parser_disagreement", reason, "write the address in its plain form")


def _short(url: str) -> Refusal | None:
    if len(url) <= MAX_URL_CHARS:
        return None
    reason = f"the URL has {len(url):,} characters, {MAX_URL_CHARS:,} are the limit"
    return _refuse("malformed", reason, "give a shorter address")


def _encode(text: str, unsafe: re.Pattern[str]) -> str:
    return unsafe.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode())


def _without_dots(path: str) -> str:
    """Remove `.` and `..` segments, also when escaped (RFC 3986 section 5.2.4 and the URL standard)."""
    if not _DOTS.search(path):
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        plain = _DOT.sub(".", segment)
        if plain == "..":
            kept = kept[:-1]
        elif plain != ".":
            kept.append(segment)
    last = _DOT.sub(".", segments[-1])
    return "/" + "/".join([*kept, ""] if last in (".", "..") else kept)


def _refuse(code: str, reason: str, mend: str) -> Refusal:
    return Refusal("network", f"network.{code}", reason, mend)
