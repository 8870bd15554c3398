"""Explainers of a home: the gates as its settings have them, without a store and without anything that could fetch."""

from collections.abc import Mapping

from limen.config.load import Loaded, load
from limen.config.paths import Home
from limen.config.secrets import Secrets
from limen.core.late import LateReader
from limen.kit.redact import SecretTable
from limen.web.explain import Explainer
from limen.web.gates.secrets import SecretsGate
from limen.web.rules import block_list, secret_rules
from limen.wiring.net import Net, address_policy
from limen.wiring.reading import ReadingMeans, reading_parts
from limen.wiring.vendors import nobody_reads, vendors_of


class Explainers:
    """One explainer for each environment that is asked about, made when first asked for."""

    def __init__(self, home: Home, env: Mapping[str, str]) -> None:
        self._home = home
        self._env = env
        self._table = SecretTable()
        self._made: dict[tuple[tuple[str, str], ...], Explainer] = {}

    def loaded(self) -> Loaded:
        """The settings with what is wrong with them. Raises ConfigFault."""
        return address_policy(load(self._home, self._env))[0]

    def under(self, changes: Mapping[str, str]) -> Explainer:
        """The explainer of a process whose environment had these variables besides. Raises ConfigFault."""
        key = tuple(sorted(changes.items()))
        if key not in self._made:
            self._made[key] = self._make({**self._env, **changes})
        return self._made[key]

    def _make(self, env: Mapping[str, str]) -> Explainer:
        loaded, policy = address_policy(load(self._home, env))
        config = loaded.config
        net = Net(config, policy)
        reader = LateReader(nobody_reads)
        offer = vendors_of(config, net, reader, Secrets.load(self._home, env).get)
        gate = SecretsGate(self._table, lambda: secret_rules(config))
        blocked = block_list(config, self._home.root)
        parts = reading_parts(config, ReadingMeans(self._home, reader, net, gate, blocked, offer))
        return Explainer(parts.gates, parts.rules, policy, net.resolver)
