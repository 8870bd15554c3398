"""What `limen config check` says beyond what loading finds: settings that are valid and still not what was meant."""

from limen.config.load import Loaded
from limen.config.problem import Problem
from limen.config.secrets import Secrets

_EVERYTHING = frozenset({"0.0.0.0/0", "::/0", "0.0.0.0/1", "128.0.0.0/1"})


def check(loaded: Loaded, secrets: Secrets) -> tuple[Problem, ...]:
    """All findings on a configuration and its secrets file, the loader's own first. Reads nothing further."""
    return (
        *loaded.problems,
        *secrets.problems,
        *_blocklist(loaded),
        *_open_network(loaded),
        *_missing_keys(loaded, secrets),
        *_older_chain(loaded),
    )


def _blocklist(loaded: Loaded) -> list[Problem]:
    blocklist = loaded.config.security.website_blocklist
    name = "security.website_blocklist.enabled"
    if blocklist.enabled or not (blocklist.domains or blocklist.shared_files):
        return []
    if any(name in layer.values for layer in loaded.layers if layer.name != "default"):
        return []  # switched off on purpose
    text = "`security.website_blocklist` has rules, but nothing switches it on, so they do not hold"
    return [Problem("warning", "config.blocklist_off", text, f"limen config set {name} true", name)]


def _open_network(loaded: Loaded) -> list[Problem]:
    name = "security.allow_private_hosts"
    if _EVERYTHING.isdisjoint(loaded.config.security.allow_private_hosts):
        return []
    text = f"`{name}` opens the whole network, your own machines included"
    return [Problem("warning", "config.open_network", text, f"name hosts one by one: limen config set {name} HOST,HOST", name)]


def _older_chain(loaded: Loaded) -> list[Problem]:
    name = "fallback_model"
    place = next((layer.places[name] for layer in loaded.layers if name in layer.places), "")
    if not place:
        return []
    text = f"`{name}` is the older name of `fallback_providers`; it holds"
    return [Problem("notice", "config.older_name", text, "limen fallback add ROUTE moves it", place, name)]


def _missing_keys(loaded: Loaded, secrets: Secrets) -> list[Problem]:
    problems = []
    for name, provider in loaded.config.providers.items():
        variable = provider.api_key_env
        if variable is not None and secrets.get(variable) is None:
            key = f"providers.{name}.api_key_env"
            text = f"`{key}` names {variable}, which is neither in the environment nor in the secrets file"
            problems.append(Problem("warning", "secrets.missing", text, f"add the line {variable}=… to the secrets file", key))
    return problems
