"""References to keys: where a key is kept, never the key itself. One reader for all kinds, each of which reads its own way."""

import re
import stat
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from limen.core.fault import ModelFault
from limen.kit.atomic import TooLarge, UnsafePath, read_private
from limen.kit.flights import Flights
from limen.kit.log import logger

Named = Callable[[str], str | None]
"""Gives the secret of a variable's name, None where there is none."""

Fetch = Callable[[str, str | None], Awaitable[str | None]]
"""Gets the secret behind what stands after a reference's kind, None where there is none. Raises ModelFault.

The second argument is a secret that the provider has refused, so that it is not given again where another can be had.
"""

Tell = Callable[[str], None]
"""Told of every secret that is read, so that it is masked wherever it should appear."""

_FILE_BYTES = 64 * 1024
_OTHERS = stat.S_IRWXG | stat.S_IRWXO

# What documentation and other programs write where a key would stand. A short word such as `token-abc123` may be the true key of
# a server at home, so only what says that it is none counts.
_NO_KEY = re.compile(
    r"(?ix)(?:none|null|nil|undefined|unset|empty|todo|fixme|n/?a|placeholder|key|"
    r"(?:sk[-_])?no[-_\ ]?(?:api[-_\ ]?)?key(?:[-_\ ]?(?:required|needed|set))?|"
    r"(?:key[-_\ ]?)?not[-_\ ]?(?:needed|required|set|used)|"
    r"(?:sk[-_])?(?:change|replace)[-_\ ]?(?:me|it|this)|(?:sk[-_])?your(?:[-_\ ].*|\w*key.*)|"
    r"(?:insert|enter|paste|replace|put)[-_\ ](?:.*[-_\ ])?(?:key|token|secret|here)|(?:sk[-_])?api[-_\ ]?key(?:[-_\ ]?here)?|"
    r"(?:[a-z]{1,4}[-_])*(?:x{3,}|\*+|\.{2,}|…+|-+)(?:[-_.]?(?:x{3,}|\*+|\.{2,}|…+))*|<.*>|\[.*\]|\{\{?.*\}|\$\{?\w+\}?|%\w+%|_+)"
)


def is_placeholder(value: str) -> bool:
    """Whether a value only stands where a key should: `none`, `your-api-key`, `sk-...`, `<key>`, `xxxx`."""
    return _NO_KEY.fullmatch(value.strip().strip("'\"`").strip()) is not None


def shown(reference: str) -> str:
    """A reference as it is told: of a command only its program, since what follows may be anybody's business."""
    kind, _, rest = reference.partition(":")
    return f"cmd:{rest.split()[0]} …" if kind == "cmd" and len(rest.split()) > 1 else reference


class References:
    """Reads references: `env:NAME` and `file:PATH` at once, the other kinds by `fetch`, after which they can be read.

    `home` is where relative paths start. What was fetched is kept for as long as this lives, and is written nowhere.
    """

    def __init__(self, named: Named, home: Path, fetchers: Mapping[str, Fetch], tell: Tell) -> None:
        self._named = named
        self._home = home
        self._fetchers = fetchers
        self._tell = tell
        self._held: dict[str, str | None] = {}
        self._failed: dict[str, ModelFault] = {}
        self._flights: Flights[str] = Flights()
        self._warned: set[Path] = set()

    def read(self, reference: str) -> str | None:
        """The secret, None where there is none (yet). Raises ModelFault where its place could not be read."""
        kind, _, rest = reference.partition(":")
        if reference in self._failed:
            failed = self._failed[reference]
            raise ModelFault(failed.kind, failed.reason, failed.mend, failed.status, failed.retry_after_s)
        if kind == "env":
            secret = self._named(rest)
        elif kind == "file":
            secret = self._first_line(rest)
        else:
            secret = self._held.get(reference)
        if secret and not is_placeholder(secret):
            self._tell(secret.strip())
        return secret

    async def fetch(self, reference: str, anew: bool = False) -> None:
        """Make readable what has to be run or asked for; `anew` where what it gave was refused. A failure shows in `read`."""
        kind, _, rest = reference.partition(":")
        fetch = self._fetchers.get(kind)
        if fetch is None:
            return
        refused = self._held.get(reference) if anew else None
        async with self._flights.alone([reference]):
            if refused is not None and self._held.get(reference) != refused:
                return  # somebody else was quicker
            try:
                self._held[reference] = await fetch(rest, refused)
            except ModelFault as fault:
                self._failed[reference] = fault
                self._held.pop(reference, None)
            else:
                self._failed.pop(reference, None)

    def _first_line(self, name: str) -> str | None:
        path = self._home / Path(name).expanduser()
        try:
            data = read_private(path, limit_bytes=_FILE_BYTES, follow=True)
            mode = stat.S_IMODE(path.stat().st_mode)
        except FileNotFoundError:
            return None
        except (UnsafePath, TooLarge, IsADirectoryError) as error:
            raise ModelFault("auth", f"{path} is no file that holds a key", f"put the key alone into {path}") from error
        except OSError as error:
            raise ModelFault("auth", f"the key in {path} cannot be read: {error.strerror}", f"chmod u+r '{path}'") from error
        if mode & _OTHERS and path not in self._warned:
            self._warned.add(path)
            logger.warning("secrets.exposed: others can get at %s (mode %04o): chmod 600 '%s'", path, mode, path)
        return first_line(data, str(path))


def first_line(data: bytes, place: str) -> str | None:
    """The first line that says anything. Raises ModelFault auth, without the bytes, where that is no text."""
    line = next((line for line in data.splitlines() if line.strip()), b"").strip()
    try:
        return line.decode("utf-8-sig").strip() or None
    except UnicodeDecodeError:
        raise ModelFault(
            "auth", f"what {place} gives is no text", f"let the key stand alone in the first line of {place}"
        ) from None


class Held:
    """Fetches once and remembers, until what was given is refused."""

    def __init__(self, fetch: Callable[[str], Awaitable[str | None]]) -> None:
        self._fetch = fetch
        self._given: dict[str, str] = {}

    async def __call__(self, name: str, refused: str | None) -> str | None:
        """The `Fetch` of this. Nothing found is looked for again each time."""
        given = self._given.get(name)
        if given is not None and given != refused:
            return given
        fresh = await self._fetch(name)
        if fresh is None:
            self._given.pop(name, None)
        else:
            self._given[name] = fresh
        return fresh
