"""What crossed the threshold, or did not, as lines of the log at its level INFO: a code, and what it is about without secrets."""

import logging
from collections.abc import Callable

from limen.kit.log import logger
from limen.kit.text import clip

# Takes a code, the address or query it is about, and what happened.
Say = Callable[[str, str, str], None]

_SUBJECT_CHARS = 300


def log_lines(masked: Callable[[str], str]) -> Say:
    """Lines on one line each; `masked` takes credentials out of a text. Nothing is computed where nobody reads them."""

    def say(code: str, subject: str, happened: str) -> None:
        if logger.isEnabledFor(logging.INFO):
            logger.info("%s: %s: %s", code, clip(masked(subject), _SUBJECT_CHARS), happened)

    return say


def unsaid(code: str, subject: str, happened: str) -> None:
    """A `Say` for who keeps no log."""
