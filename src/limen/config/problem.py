"""What is wrong with a configuration without stopping a start."""

from typing import Literal

import msgspec

Level = Literal["notice", "warning", "error"]


class Problem(msgspec.Struct, frozen=True):
    """A finding: `error` where a security setting is not what its writer meant. `place` is a file,
    `file:line`, a variable or a key; `key` is the setting it is about.

    No field ever quotes a value, since a value may be a secret that stands in the wrong place.
    """

    level: Level
    code: str
    text: str
    mend: str = ""
    place: str = ""
    key: str = ""
