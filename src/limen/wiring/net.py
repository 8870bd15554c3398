"""The network of a process: what may be reached, and the clients that reach it, made when first used."""

import resource
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from limen.config.load import Loaded
from limen.config.problem import Problem
from limen.config.schema import Config
from limen.core.fault import ConfigFault
from limen.core.route import Route
from limen.kit.deferred import load
from limen.kit.log import failed_open
from limen.models.credentials import endpoint_url
from limen.net.canary import CanaryResolver
from limen.net.policy import AddressPolicy
from limen.net.resolve import Resolver, SystemResolver

if TYPE_CHECKING:
    import httpx2


# Replies of many sessions stream side by side from one model server; what goes beyond waits for its turn. So many files are left
# to everything else: a connection that finds none left would fail in place of waiting.
_MOST_CONNECTIONS = 4_096
_OTHER_FILES = 200
_LEAST_CONNECTIONS = 64


def policy_now(config: Config) -> AddressPolicy:
    """The network's policy of settings that changed under a running process; an entry that cannot be read opens nothing."""
    try:
        return _policy(config)
    except ConfigFault as fault:
        failed_open(fault.code, f"{fault.reason}; nothing is opened")
        return AddressPolicy()


def _policy(config: Config) -> AddressPolicy:
    security = config.security
    return AddressPolicy(security.allow_private_hosts, security.fake_ip_ranges, security.proxy)


def address_policy(loaded: Loaded) -> tuple[Loaded, AddressPolicy]:
    """The network's policy. An entry that it cannot read opens nothing at all, and is said."""
    try:
        return loaded, _policy(loaded.config)
    except ConfigFault as fault:
        problem = Problem("error", fault.code, f"{fault.reason}; nothing is opened", fault.mend, fault.place, fault.place)
        return msgspec.structs.replace(loaded, problems=(*loaded.problems, problem)), AddressPolicy()


class Net:
    """The clients of a process, made when first used."""

    def __init__(self, config: Config, policy: AddressPolicy) -> None:
        self.config = config
        self.policy = policy
        self.resolver = _resolver(config)
        self._reading: httpx2.AsyncClient | None = None
        self._named: dict[str, httpx2.AsyncClient] = {}
        self._left: list[httpx2.AsyncClient] = []

    def renew(self, config: Config, policy: AddressPolicy) -> None:
        """Go by other settings from the next request on. What is under way keeps its client, which is closed at the end."""
        changed = (config.security, config.reader, policy) != (self.config.security, self.config.reader, self.policy)
        if config.security.fake_ip_detect != self.config.security.fake_ip_detect:
            self.resolver = _resolver(config)
        self.config, self.policy = config, policy
        if changed:
            self._left += [client for client in (self._reading, *self._named.values()) if client is not None]
            self._reading, self._named = None, {}

    def reading(self) -> "httpx2.AsyncClient":
        """The client for pages."""
        if self._reading is None:
            limits = self.config.reader
            self._reading = self._new_client(
                self.policy, connect_timeout_s=limits.connect_timeout_s, total_timeout_s=limits.total_timeout_s
            )
        return self._reading

    def for_model(self, route: Route) -> "httpx2.AsyncClient":
        """The client for a route's endpoint."""
        return self.for_named(route.endpoint)

    def for_named(self, address: str) -> "httpx2.AsyncClient":
        """The client for a server that an operator named, so that it may be private; nothing else may. Raises ConfigFault."""
        url = endpoint_url(address, "endpoint")
        if url.origin not in self._named:
            host = f"[{url.host}]" if ":" in url.host else url.host
            policy = AddressPolicy((f"{host}:{url.port}",), self.config.security.fake_ip_ranges)
            self._named[url.origin] = self._new_client(policy, connections=_connections())
        return self._named[url.origin]

    def _new_client(self, policy: AddressPolicy, **how: float) -> "httpx2.AsyncClient":
        new_client: Callable[..., httpx2.AsyncClient] = load("limen.net.client:new_client")
        return new_client(policy, resolver=self.resolver, **how)

    async def close(self) -> None:
        for client in (self._reading, *self._named.values(), *self._left):
            if client is not None:
                await client.aclose()


def _connections() -> int:
    """How many connections a server that an operator named may have at once."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = _MOST_CONNECTIONS if files == resource.RLIM_INFINITY else files - _OTHER_FILES
    return max(_LEAST_CONNECTIONS, min(allowed, _MOST_CONNECTIONS))


def _resolver(config: Config) -> Resolver:
    system = SystemResolver()
    return CanaryResolver(system) if config.security.fake_ip_detect else system
