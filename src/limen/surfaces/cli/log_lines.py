"""Log records on the screen, without credentials, where they cannot run into an answer or a prompt."""

import logging
from functools import cached_property
from typing import Any

from limen.kit import log
from limen.surfaces.cli.options import Load
from limen.surfaces.cli.screen import Screen, Style


class LogLines(logging.Handler):
    """Writes each record as a line of its own, masked. The table of credentials is loaded for the first one."""

    def __init__(self, screen: Screen, load: Load) -> None:
        super().__init__()
        self._screen = screen
        self._load = load

    def emit(self, record: logging.LogRecord) -> None:
        style: Style = "warn" if record.levelno >= logging.WARNING else "dim"
        text = self._masked(record.getMessage())
        try:
            self._screen.fresh_line()
            self._screen.say(f"! {text}" if style == "warn" else text, style)
            if record.exc_info and self._screen.verbose:
                self._screen.say(self._masked(logging.Formatter().formatException(record.exc_info)))
        except OSError:
            self.handleError(record)

    @cached_property
    def _table(self) -> Any:
        return self._load("limen.kit.redact:SecretTable")()

    def _masked(self, text: str) -> str:
        masked: str = self._load("limen.kit.redact:mask")(text, self._table).text
        return masked


def show_log(screen: Screen, verbosity: int, load: Load) -> None:
    """Send the program's log to a screen: warnings by default, errors alone when quiet, more with each `-v`."""
    log.configure(verbosity)
    log.logger.handlers[:] = [LogLines(screen, load)]
