"""How a command ends: exit statuses, and what is printed of a fault, a refusal or a bug."""

import os
import sys
import traceback
from collections.abc import Iterator
from typing import Any

import click

from limen.core.fault import Fault, Refusal
from limen.surfaces.cli.screen import Screen

DONE = 0
FAILED = 1
USAGE = 2
REFUSED = 3
INTERRUPTED = 130


# A gate's word about the request itself, as against all that can go wrong on the way to a page.
_GATES = frozenset({"secrets", "network", "resolve", "policy", "permission", "approved", "limits"})
_NOT_TO_BE_HAD = frozenset(
    "network." + what
    for what in (
        "connect_failed", "dns_failed", "encoding", "http_status", "protocol", "proxy", "reset", "timeout", "tls", "too_large",
        "too_many_redirects",
    )
) | {"search.unavailable", "web.unknown_provider"}  # fmt: skip


def status_of_refusal(refusal: Refusal) -> int:
    """REFUSED where a gate said no to what was asked, FAILED where it was allowed and could not be had."""
    return REFUSED if refusal.gate in _GATES and refusal.code not in _NOT_TO_BE_HAD else FAILED


class Refused(Exception):
    """Ends a command with the refusal it was answered with."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


def tell(screen: Screen, code: str, reason: str, mend: str = "") -> None:
    """Print what went wrong and how to mend it, on stderr."""
    screen.fresh_line()
    screen.say("✗ ", "bad", end="")
    screen.say(" ".join(reason.split()) or "failed", end=" ")
    screen.say(f"[{code}]", "dim")
    if mend:
        screen.say("  → ", "good", end="")
        screen.say(mend)


def tell_fault(screen: Screen, fault: Fault) -> None:
    """`tell` for a fault; the place a ConfigFault names stands before its reason."""
    place = getattr(fault, "place", "")
    tell(screen, fault.code, f"{place}: {fault.reason}" if place and place not in fault.reason else fault.reason, fault.mend)


def publish(screen: Screen, wants_json: bool, error: dict[str, Any], **rest: Any) -> None:
    """Print `{"error": …}` on stdout where JSON was asked for and nothing has been printed yet."""
    if wants_json and not screen.document_written:
        screen.json({"error": error, **rest})


def end_with(screen: Screen, wants_json: bool, error: BaseException) -> int:
    """Print the error that ended a command, and return its exit status."""
    causes = list(_unwrapped(error))
    if any(isinstance(cause, KeyboardInterrupt | click.Abort) for cause in causes):
        screen.fresh_line()
        screen.note("interrupted")
        return INTERRUPTED
    if any(isinstance(cause, BrokenPipeError) for cause in causes):
        drop_output()  # the reader has gone, as `| head` does: nothing to tell anyone
        return FAILED
    cause = next((cause for cause in causes if isinstance(cause, Fault | Refused)), causes[0])
    match cause:
        case Refused(refusal=refusal):
            publish(screen, wants_json, refusal.published(), results=[])
            tell(screen, refusal.code, refusal.reason, refusal.mend)
            return status_of_refusal(refusal)
        case Fault():
            publish(screen, wants_json, {"code": cause.code, "reason": cause.reason, "mend": cause.mend})
            tell_fault(screen, cause)
            return FAILED
        case OSError(errno=number) if number is not None:
            publish(screen, wants_json, {"code": "system.io", "reason": str(cause), "mend": ""})
            tell(screen, "system.io", str(cause))
            return FAILED
    reason = f"{type(cause).__name__}: {cause}"
    publish(screen, wants_json, {"code": "limen.bug", "reason": reason, "mend": ""})
    if screen.verbose:
        screen.say("".join(traceback.format_exception(error)), end="")
    tell(screen, "limen.bug", reason, "" if screen.verbose else "this is a bug of ours; `-v` shows the trace for a report")
    return FAILED


def drop_output() -> None:
    """Send what is still buffered for stdout to nowhere, so that the interpreter does not stumble over it when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError:
        return  # stdout is no file, as in a test's runner


def _unwrapped(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _unwrapped(inner)
    else:
        yield error
