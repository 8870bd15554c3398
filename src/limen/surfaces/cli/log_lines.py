"""Log records on the screen, where they cannot run into an answer or a prompt."""

import logging

from limen.kit import log
from limen.surfaces.cli.screen import Screen, Style


class LogLines(logging.Handler):
    """Writes each record as a line of its own."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self._screen = screen

    def emit(self, record: logging.LogRecord) -> None:
        style: Style = "warn" if record.levelno >= logging.WARNING else "dim"
        try:
            self._screen.fresh_line()
            self._screen.say(f"! {record.getMessage()}" if style == "warn" else record.getMessage(), style)
            if record.exc_info and self._screen.verbose:
                self._screen.say(logging.Formatter().formatException(record.exc_info))
        except OSError:
            self.handleError(record)


def show_log(screen: Screen, verbosity: int) -> None:
    """Send the program's log to a screen: warnings by default, errors alone when quiet, more with each `-v`."""
    log.configure(verbosity)
    log.logger.handlers[:] = [LogLines(screen)]
