"""What the program logs comes on the screen as lines of its own, and without credentials."""

import io
import logging

import pytest

from limen.kit.log import failed_open, logger
from limen.main import load
from limen.surfaces.cli.log_lines import show_log
from limen.surfaces.cli.screen import Screen

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class Stream(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return False


@pytest.fixture
def shown():
    """`shown(verbosity)` starts the log and gives what it writes to."""
    before = logger.handlers[:], logger.level, logger.propagate

    def start(verbosity):
        out, err = Stream(), Stream()
        show_log(Screen(out, err, verbosity=verbosity, colour=False), verbosity, load)
        return err

    yield start
    logger.handlers[:], logger.level, logger.propagate = before


def test_a_credential_in_a_line_is_masked(shown):
    err = shown(1)
    logger.info("asking https://x.example/?key=%s", KEY)
    failed_open("shelve.store_failed", f"no room for password=Tr0ub4dor-x7 of {KEY}")
    assert KEY not in err.getvalue()
    assert "Tr0ub4dor" not in err.getvalue()
    assert err.getvalue().count("⟦masked") == 3


def test_a_credential_in_an_exception_is_masked_too(shown):
    err = shown(2)
    try:
        raise ValueError(f"the key {KEY} is not accepted")
    except ValueError:
        logger.exception("a provider failed")
    assert "a provider failed" in err.getvalue()
    assert "ValueError" in err.getvalue()
    assert KEY not in err.getvalue()


@pytest.mark.parametrize(("verbosity", "levels"), [(-1, "E"), (0, "EW"), (1, "EWI"), (2, "EWID")])
def test_how_much_is_said_goes_by_the_verbosity(shown, verbosity, levels):
    err = shown(verbosity)
    for level in (logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG):
        logger.log(level, "%s line", logging.getLevelName(level))
    assert "".join(line.removeprefix("! ")[0] for line in err.getvalue().splitlines()) == levels


def test_the_table_is_loaded_for_the_first_line_and_not_before():
    asked = []

    def load_noting(dotted):
        asked.append(dotted)
        return load(dotted)

    before = logger.handlers[:], logger.level, logger.propagate
    try:
        show_log(Screen(Stream(), Stream(), colour=False), 0, load_noting)
        assert asked == []
        logger.warning("something")
        assert "limen.kit.redact:SecretTable" in asked
    finally:
        logger.handlers[:], logger.level, logger.propagate = before
