"""Package indexes by the clients that are installed here: pip, npm, cargo, each with its own settings of where to ask.

The name or the words go where the client's settings say. A client runs as a child process without a shell; what a question says
is never read as an option, a path or an address, since only names and words of a narrow kind are handed on.
"""

import os
from collections.abc import Mapping

import msgspec

from limen.builtin.web.answers.hits import Can, Row, answer, refused
from limen.builtin.web.calling.child import Child, Ended
from limen.builtin.web.calling.link import Limits
from limen.builtin.web.calling.refusing import quoted, refuse
from limen.builtin.web.domains.package_clients import CLIENTS
from limen.builtin.web.vendors import vendor_table
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import Location, SearchAnswer, SearchRequest

_CAN = Can(max_hits=20)
# What a client needs to start and to find its own settings, certificates and proxies. No other variable of ours reaches it.
_PASSED_ON = frozenset({
    "PATH", "HOME", "USERPROFILE", "APPDATA", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "SYSTEMROOT", "LD_LIBRARY_PATH",
    "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY",
    "NO_PROXY", "ALL_PROXY", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN",
})  # fmt: skip
_PREFIXES = ("PIP_", "NPM_CONFIG_", "CARGO_")


class PackageIndex:
    """The domain searches `pip`, `npm` and `cargo`. `environment` is what the client's own is chosen from; `command`
    is the client where it is another than the one installed."""

    def __init__(
        self,
        name: str,
        limits: Limits | None = None,
        environment: Mapping[str, str] | None = None,
        command: tuple[str, ...] | None = None,
    ) -> None:
        self.name = name
        self.vendor = vendor_table()[name]
        self._client = CLIENTS[name]
        self._limits = limits or Limits(timeout_s=20.0, max_bytes=4_000_000)
        given = os.environ if environment is None else environment
        self._environment = {**{key: value for key, value in given.items() if _passes(key)}, **self._client.settings}
        self._given = command

    def unavailable(self) -> Refusal | None:
        """The client is not installed."""
        if self._command():
            return None
        return Refusal(self.name, "web.not_installed", f"The program {self.name} is not installed.", self.vendor.start)

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        """Packages as the client lists them."""
        unfit = _CAN.refuse(request, self.name) or self.unavailable()
        arguments = unfit or self._client.arguments(request.query, max(1, min(request.limit, _CAN.max_hits)))
        if isinstance(arguments, Refusal):
            return refused(self.name, arguments)
        ended = await Child(self.name, (*self._command(), *arguments), self._environment, self._limits).ask(context)
        rows = ended if isinstance(ended, Refusal) else self._rows(ended)
        if isinstance(rows, Refusal):
            return refused(self.name, rows)
        return answer(self.name, rows, request, ignored=_CAN.ignored(request, Location()))

    def _command(self) -> tuple[str, ...]:
        return self._client.command() if self._given is None else self._given

    def _rows(self, ended: Ended) -> list[Row] | Refusal:
        try:
            rows = self._client.rows(ended)
        except (msgspec.DecodeError, RecursionError):
            return refuse("search", "malformed", self.name, f"{self.name} wrote what is no list of packages.")
        if rows is not None:
            return rows
        said = quoted(self._client.complaint(ended)) or f"status {ended.status}"
        return refuse("search", "failed", self.name, f"{self.name} could not search: {said}.")


def _passes(name: str) -> bool:
    upper = name.upper()
    return upper in _PASSED_ON or upper.startswith(_PREFIXES)
