"""Commands that are offered to a person, ready to be pasted: with the home that this command was told to use."""

import re
from collections.abc import Iterable

from limen.core.fault import ConfigFault
from limen.surfaces.cli.options import CliOptions


class Offered:
    """Puts the home into each command of a text. `commands` are the names that can follow our own."""

    def __init__(self, options: CliOptions, commands: Iterable[str]) -> None:
        self._options = options
        self._call = re.compile(rf"(?<![\w./'\"-])limen(?= (?:{'|'.join(map(re.escape, commands))})\b)")

    def __call__(self, text: str) -> str:
        options = self._options
        if (options.home is None and options.profile is None) or "limen " not in text:
            return text
        try:
            home = options.load("limen.config.paths:Home").resolve(options.home, options.profile)
        except ConfigFault:  # of which the text may tell
            return text
        command: str = home.command()
        return self._call.sub(lambda _: command, text)
