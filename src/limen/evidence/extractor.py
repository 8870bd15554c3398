"""The port of extractors: each knows the output of one family of programs, and reads it line by line, once."""

from typing import Protocol

import msgspec

from limen.evidence.findings import Findings


class Told(msgspec.Struct, frozen=True):
    """What is known of an output before it is read: the command that made it, as it was typed, and how that ended.

    `head` and `tail` are its first and last 200 lines at most, no line longer than 2,000 characters.
    """

    command: str = ""
    exit_code: int | None = None
    head: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()


class Reading(Protocol):
    """One output being read. Holds only what it will report, however long the output is."""

    def line(self, number: int, text: str) -> None:
        """The next line, its number from 1, without its end; escape codes and overwritten text are resolved already."""
        ...

    def findings(self) -> Findings:
        """What was found, once every line has been given."""
        ...


class Extractor(Protocol):
    """Knows one family of outputs. Pure: the same output gives the same findings, and takes time in proportion to its length."""

    @property
    def name(self) -> str:
        """The family, such as `pytest` or `gcc`."""
        ...

    def fits(self, told: Told) -> float:
        """How surely the output is of this family, from 0 to 1, by its command and by how it begins and ends.

        From 0.5 on it is read by this extractor, and of several by the surest.
        """
        ...

    def read(self, told: Told) -> Reading:
        """Begin to read an output."""
        ...
