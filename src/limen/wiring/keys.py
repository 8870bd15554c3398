"""Keys as they are wired: where each kind of reference is read, and log-ins that renew themselves."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from limen.config.paths import Home
from limen.config.schema import Provider
from limen.config.secrets import Secrets
from limen.kit.deferred import load
from limen.kit.redact import SecretTable
from limen.models.credentials import Keyring
from limen.models.key_command import KeyCommand
from limen.models.oauth.source import TokenSource
from limen.models.oauth.tokens import TokenFile
from limen.models.references import Fetch, Held, References
from limen.models.resolve import Routes
from limen.models.system_keyring import GetPassword, SystemKeyring
from limen.wiring.net import Net

# Only for the types: what speaks HTTP is named below and loaded at its first use.
if TYPE_CHECKING:
    from limen.models.oauth.service import OAuthService

# The optional package, which is not there to be named in an import.
_PACKAGE = ("keyring:get_password", "keyring.errors:KeyringError")


class LogIns:
    """The services one can log in at, by name, and the tokens of those where one has."""

    def __init__(self, home: Home, net: Net, settings: Mapping[str, Provider]) -> None:
        self._folder = home.path / "oauth"
        self._net = net
        self._settings = settings
        self._sources: dict[str, TokenSource] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return ("codex",)

    def file(self, name: str) -> TokenFile:
        """Where the tokens of a log-in are kept."""
        return TokenFile(self._folder, name)

    def service(self, name: str) -> "OAuthService":
        """The service of that name, at the address that the settings give it. Raises LookupError for any other name."""
        if name not in self.names:
            raise LookupError(name)
        service: type[OAuthService] = load("limen.models.oauth.service:OAuthService")
        client = load("limen.models.oauth.service:CODEX")
        setting = self._settings.get(name)
        return service(client.at(setting.issuer if setting is not None else None), self._net.for_named)

    async def token(self, name: str, refused: str | None) -> str | None:
        """The `Fetch` of `oauth:NAME`."""
        if name not in self.names:
            return None
        if name not in self._sources:
            self._sources[name] = TokenSource(self.file(name), lambda: self.service(name))
        return await self._sources[name](name, refused)


class Keys(NamedTuple):
    """All keys of a process, the log-ins that stand in place of some, and the table that knows what was read of either."""

    ring: Keyring
    log_ins: LogIns
    table: SecretTable


def keys_of(routes: Routes, home: Home, secrets: Secrets, table: SecretTable, log_ins: LogIns) -> Keys:
    """The keys of all routes. Each is made known to `table` once it is read; those at hand at once."""
    fetchers: dict[str, Fetch] = {
        "cmd": Held(KeyCommand()),
        "keyring": Held(SystemKeyring(_package)),
        "oauth": log_ins.token,
    }
    bindings = routes.bindings()
    references = References(secrets.get, home.path, fetchers, table.know)
    for name in {binding.credential for binding in bindings}:
        if name.startswith("env:"):
            references.read(name)
    return Keys(Keyring(bindings, references.read, references.fetch), log_ins, table)


def _package() -> tuple[GetPassword, type[Exception]]:
    get_password, failure = _PACKAGE
    return load(get_password), load(failure)
