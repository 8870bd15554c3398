"""Loading: defaults, then the file, then the environment, then a command's options; the last one that speaks is heard."""

from collections.abc import Mapping

import msgspec

from limen.config.file import read_text
from limen.config.from_environment import environment_layer
from limen.config.from_file import file_layer
from limen.config.from_flags import flag_layer
from limen.config.layer import Layer, default_layer, merge, nest
from limen.config.migrate import migrate
from limen.config.paths import Home
from limen.config.problem import Problem
from limen.config.schema import Config


class Loaded(msgspec.Struct, frozen=True):
    """The configuration that holds, what is wrong with its sources, and the layers it was made of, lowest first."""

    config: Config
    problems: tuple[Problem, ...]
    layers: tuple[Layer, ...]


def load(home: Home, env: Mapping[str, str], flags: Mapping[str, str] | None = None) -> Loaded:
    """The configuration of a home. A missing file is no fault; a wrong setting is a Problem, and its default holds.

    Raises ConfigFault `config.unreadable`, `config.newer` or `config.bad_version` for the file as a whole, and
    `config.unknown_key` or `config.bad_value` for `flags`.
    """
    return layered(read_text(home.config_file) or "", home, env, flags or {})


def layered(text: str, home: Home, env: Mapping[str, str], flags: Mapping[str, str]) -> Loaded:
    """The configuration that a file's text, an environment and options make together."""
    migration = migrate(text, home)
    file = file_layer(migration.parsed, str(home.config_file))
    providers = dict.fromkeys(name.split(".")[1] for name in file.layer.values if name.startswith("providers."))
    environment = environment_layer(env, providers)
    layers = (default_layer(), file.layer, environment.layer, flag_layer(flags))
    config = msgspec.convert(nest(merge(layers)), Config)
    return Loaded(config, (*migration.problems, *file.problems, *environment.problems), layers)
