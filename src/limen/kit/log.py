"""Logging for a program whose stdout belongs to its user: one logger, stderr, and a count of every fail-open."""

import logging
import sys
from collections import Counter

logger = logging.getLogger("limen")
fail_open_counts: Counter[str] = Counter()


def configure(verbosity: int = 0) -> None:
    """Send records to stderr: warnings by default, -1 errors only, 1 information, 2 debugging."""
    level = {-1: logging.ERROR, 0: logging.WARNING, 1: logging.INFO}.get(verbosity, logging.DEBUG)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("limen: %(levelname)s: %(message)s"))
    logger.handlers[:] = [handler]
    logger.setLevel(level)
    logger.propagate = False


def failed_open(code: str, error: BaseException | str) -> None:
    """Record that a convenience failed and work went on without it."""
    fail_open_counts[code] += 1
    logger.warning("%s: %s", code, error)
