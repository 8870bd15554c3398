"""Addresses of a site: which are one page, which belong to a source, and which only lead a crawler in circles."""

import re
from collections import Counter
from typing import NamedTuple
from urllib.parse import unquote

import msgspec

from limen.core.fault import Refusal
from limen.net.same_host import same_host
from limen.net.url import DEFAULT_PORTS, SafeUrl, parse

# Parameters that say how a visitor came, who they are, or that the page is to be printed: the page is the same without.
_BESIDE = re.compile(
    r"(?:utm_\w+|mtm_\w+|pk_\w+|_ga|_gl|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|twclid|igshid|mc_[ce]id|mkt_tok|_hs(?:enc|mi)"
    r"|ref_src|spm|vero_id|oly_\w+_id|phpsessid|jsessionid|sid|session_?id|aspsessionid\w*|cfid|cftoken"
    r"|print|printable|printer|printer_?friendly|printview)",
    re.IGNORECASE,
)
_FOR_PRINT = re.compile(r"(?:output|view|format|mode|action|layout)=print(?:able|er)?", re.IGNORECASE)
_SESSION_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?#;]*", re.IGNORECASE)
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|xhtml|php\d?|aspx?|jsp|md)$", re.IGNORECASE)
# What a page may link to and no reader reads, and lists that are no documents.
_NO_DOCUMENT = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|avif|ico|bmp|tiff?|mp[34]|m4[av]|web[am]|og[agv]|wav|flac|mov|avi|mkv|css|m?js|map|woff2?|ttf|otf"
    r"|eot|zip|t?gz|tar|bz2|xz|zst|7z|rar|jar|whl|deb|rpm|apk|dmg|iso|exe|msi|bin|so|dll|class|pyc|sig|asc|sha\d*|inv|rss|atom|xml)$",
    re.IGNORECASE,
)
_FILE = re.compile(r"\.[A-Za-z0-9]{1,8}$")
_MOST_STEPS, _MOST_CHARS, _MOST_PARAMETERS = 20, 1_000, 6
# So often may one step of a path stand in it, and so many different queries follow one path.
_MOST_TURNS, _MOST_QUERIES = 2, 40


def cleaned(url: SafeUrl) -> str:
    """The address to ask for: without its fragment and without parameters that do not change the page."""
    path = _SESSION_PATH.sub("", url.path)
    query = _query(url.query)
    return f"{url.origin}{path}{f'?{query}' if query else ''}"


def page_key(url: SafeUrl) -> str:
    """What addresses of one page have in common: no scheme, no `www.`, no last slash or `index.html`, parameters in order."""
    port = "" if url.port in DEFAULT_PORTS.values() else f":{url.port}"
    path = _INDEX.sub("/", _SESSION_PATH.sub("", url.path)).rstrip("/")
    return f"{url.host.removeprefix('www.')}{port}{path}?{'&'.join(sorted(_query(url.query).split('&')))}"


def _query(query: str | None) -> str:
    kept = [part for part in (query or "").split("&") if part and not _is_beside(part)]
    return "&".join(kept)


def _is_beside(part: str) -> bool:
    return _BESIDE.fullmatch(unquote(part.partition("=")[0])) is not None or _FOR_PRINT.fullmatch(part) is not None


class Scope(NamedTuple):
    """The addresses of a source: those of its host, or of any; below its path where it has one."""

    base: SafeUrl
    prefix: str = ""
    any_host: bool = False

    @classmethod
    def below(cls, url: SafeUrl) -> "Scope":
        """What lies below an address: its folder, where its last step is a file."""
        folder, _, last = url.path.rpartition("/")
        return cls(url, f"{folder}/" if not last or _FILE.search(last) else url.path)

    def holds(self, url: SafeUrl) -> bool:
        """Whether an address is one of the source's."""
        if not self.any_host and not (same_host(self.base, url) or same_host(self.base, self.spelled(url))):
            return False
        prefix = self.prefix.rstrip("/")
        return not prefix or url.path == prefix or url.path.startswith(f"{prefix}/")

    def spelled(self, url: SafeUrl) -> SafeUrl:
        """An address of the same host by the scheme that the source is known by: `http:` links are left over from older times."""
        plain = (url.port, self.base.port) == (DEFAULT_PORTS[url.scheme], DEFAULT_PORTS[self.base.scheme])
        if not plain or url.host.removeprefix("www.") != self.base.host.removeprefix("www."):
            return url
        return msgspec.structs.replace(url, scheme=self.base.scheme, port=self.base.port)


class Traps:
    """Tells addresses that lead on for ever from those of pages."""

    def __init__(self) -> None:
        self._queries: Counter[str] = Counter()

    def holds(self, url: SafeUrl) -> bool:
        """Whether an address looks made by a machine for a machine; the queries behind each path are counted."""
        steps = [step for step in url.path.split("/") if step]
        turns = Counter(step for step in steps if len(step) > 1)
        if len(steps) > _MOST_STEPS or max(turns.values(), default=0) > _MOST_TURNS or len(str(url)) > _MOST_CHARS:
            return True
        if not url.query:
            return False
        self._queries[url.path] += 1
        return url.query.count("&") >= _MOST_PARAMETERS or self._queries[url.path] > _MOST_QUERIES


def is_no_document(url: SafeUrl) -> bool:
    """Whether an address speaks of a file that holds no text, a script, a style or a feed."""
    return _NO_DOCUMENT.search(url.path) is not None


def parsed(url: str) -> SafeUrl | None:
    """An address that can be asked for, or None."""
    found = parse(url)
    return None if isinstance(found, Refusal) else found
