"""A new key from a person: asked for unseen or read from a pipe, and looked at before it is kept."""

import re
import signal
import sys

import click

from limen.config.kinds import KeyReference, fits
from limen.core.fault import Fault
from limen.models.references import is_placeholder
from limen.surfaces.cli.question import Input

_LIMIT_BYTES = 64 * 1024
# Shorter ones are slips of the hand: every maker's keys have 20 characters and more, and a server at home can be given eight.
_LEAST_CHARS = 8


def checked_reference(text: str, provider: str) -> str:
    """A reference as it was typed. Raises Fault `credentials.no_reference` for anything else, which is not said again: it may be
    a key."""
    text = text.strip()
    if fits(text, KeyReference) and text.isprintable():
        return text
    reason = (
        "that is no reference to a key (env:NAME, file:PATH, cmd:COMMAND, keyring:SERVICE/NAME). A key itself is not taken as an "
        "argument, since it would stand in the shell's history; if it was one, make a new one, which is asked for unseen"
    )
    raise Fault("credentials.no_reference", reason, f"limen credentials add {provider}")


def ask_for_key(provider: str) -> str:
    """A key typed at the terminal, which does not show it. Raises click.UsageError where nobody can be asked."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise click.UsageError(f"Nobody can be asked here. Pipe the key: … | limen credentials add {provider} -")
    # An event loop takes Ctrl-C as a message to its tasks, and none of them runs while this waits for a key.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return str(click.prompt(f"The key for {provider} (it is not shown)", hide_input=True, err=True, prompt_suffix=": "))
    finally:
        signal.signal(signal.SIGINT, handler)


async def read_key() -> str:
    """A key from standard input: its first line. Raises Fault `credentials.bad_key` for what is no text."""
    source = Input.standard()
    try:
        data = b"" if source is None else await source.whole(_LIMIT_BYTES)
    except Fault:
        raise bad_key(f"more than {_LIMIT_BYTES:,} bytes came") from None
    try:
        return next((line for line in data.decode("utf-8-sig").splitlines() if line.strip()), "")
    except UnicodeDecodeError:
        raise bad_key("it is not UTF-8 text") from None


def plausible(text: str) -> str:
    """The key, as it is kept. Raises Fault `credentials.bad_key` that says what is wrong with it and nothing of it."""
    key = text.strip()
    if not key:
        raise bad_key("nothing was given")
    if key[:7].casefold() == "bearer ":
        raise bad_key("it begins with the word Bearer, which is no part of a key")
    if re.match(r"(?:export\s+)?[A-Z][A-Z0-9_]*=", key):
        raise bad_key("it begins with a variable's name, which is no part of a key")
    if key[0] in "'\"" and key[-1] == key[0]:
        raise bad_key("it stands in quotes, which are no part of a key")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise bad_key("it holds blanks or characters that no key has")
    if is_placeholder(key):
        raise bad_key("it only stands for a key")
    if len(key) < _LEAST_CHARS:
        raise bad_key(f"it has fewer than {_LEAST_CHARS} characters")
    return key


def bad_key(why: str) -> Fault:
    return Fault("credentials.bad_key", f"that can be no key: {why}", "copy it once more from the provider's page")
