"""Log records on the screen, without credentials, where they cannot run into an answer or a prompt."""

import logging
from collections.abc import Callable
from functools import cache
from typing import Any

from limen.kit import log
from limen.surfaces.cli.options import Load
from limen.surfaces.cli.screen import Screen, Style


def masker(load: Load) -> Callable[[str], str]:
    """Masks the credentials in a text. Their table is loaded for the first one."""

    @cache
    def table() -> Any:
        return load("limen.kit.redact:SecretTable")()

    def masked(text: str) -> str:
        got: str = load("limen.kit.redact:mask")(text, table()).text
        return got

    return masked


class LogLines(logging.Handler):
    """Writes each record as a line of its own, masked."""

    def __init__(self, screen: Screen, load: Load) -> None:
        super().__init__()
        self._screen = screen
        self._masked = masker(load)

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


def show_log(screen: Screen, verbosity: int, load: Load) -> None:
    """Send the program's log to a screen: warnings by default, errors alone when quiet, more with each `-v`."""
    log.configure(verbosity)
    log.logger.handlers[:] = [LogLines(screen, load)]
