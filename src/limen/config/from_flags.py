"""The layer of a command's own options: what somebody just typed, so a mistake in it stops the command."""

from collections.abc import Mapping

from limen.config.keys import changed_elsewhere, find, unknown
from limen.config.layer import Layer
from limen.config.value import parse_value


def flag_layer(flags: Mapping[str, str]) -> Layer:
    """Dotted keys and texts as a layer. Raises ConfigFault `config.unknown_key`, `config.own_command` or `config.bad_value`."""
    values = {}
    for name, text in flags.items():
        key = find(name)
        if key is None or name == "version":
            raise unknown(name)
        if key.own_command:
            raise changed_elsewhere(key)
        values[name] = parse_value(key, text)
    return Layer("flag", values, dict.fromkeys(values, "this command"))
