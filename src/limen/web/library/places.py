"""What people and models call a document: a path, a file's URL, a URL, or a reference; and how a hit points at one."""

import os
import re
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from limen.net.host import lies_in

# What RFC 3986 lets stand in a fragment, and `%` of what is quoted already.
_ANCHOR_SAFE = "-._~!$&'()*+,;=:@/?%"
_REFERENCE = re.compile(r"lib:([0-9]{1,19})(?::[0-9]+)?\Z")


def is_url(name: str) -> bool:
    """Whether a name is an address on the web."""
    return name[:8].lower().startswith(("http://", "https://"))


def find_number(ref: str) -> int | None:
    """The document's number in `lib:12` or `lib:12:340` (where 340 is a line); None for anything else."""
    found = _REFERENCE.match(ref.strip())
    return int(found[1]) if found else None


def origins_of(name: str) -> tuple[str, ...]:
    """The origins a document of that name may have been stored under: as it stands, and where links lead."""
    if is_url(name):
        return (name, name.partition("#")[0])
    path = path_of(name)
    if not path or "\0" in path:
        return ()
    absolute = os.path.abspath(Path(path).expanduser())  # noqa: PTH100 - as it stands, links not followed
    return tuple(dict.fromkeys((os.path.realpath(absolute), absolute)))


def path_of(name: str) -> str:
    """The path that a name means: a `file:` URL's, without its anchor, or the name itself."""
    if not name.startswith("file:"):
        return name
    try:
        return unquote(urlsplit(name).path)
    except ValueError:
        return ""


def url_of(origin: str, anchor: str = "") -> str:
    """Where a document can be opened: the URL itself, or a path as a `file:` URL, at the anchor."""
    url = origin.partition("#")[0] if is_url(origin) else Path(origin).as_uri()
    return f"{url}#{quote(anchor, safe=_ANCHOR_SAFE)}" if anchor else url


def site_of(origin: str) -> str:
    """The host of a URL in lower case; empty for a file."""
    try:
        return (urlsplit(origin).hostname or "") if is_url(origin) else ""
    except ValueError:
        return ""


def holds_site(domain: str, site: str) -> bool:
    """Whether a site is the domain or lies under it."""
    domain = domain.lower().strip(".")
    return bool(site) and lies_in(site, domain)
