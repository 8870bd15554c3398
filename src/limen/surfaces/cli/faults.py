"""How a command ends: exit statuses, and what is printed of a fault, a refusal or a bug."""

import errno
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import click

from limen.core.fault import Fault, Refusal
from limen.kit.text import clip
from limen.surfaces.cli.screen import Screen, discard

DONE = 0
FAILED = 1
USAGE = 2
REFUSED = 3
INTERRUPTED = 130
# Whoever read the output has gone, as `| head` does: as a program ends that SIGPIPE stops.
UNREAD = 141

_LINE = re.compile(r":\d+\Z")
# A reason may quote what was typed, and that may be a book.
_REASON_CHARS = 1_000
_MENDS = {
    errno.ENOSPC: "make room there, or send it elsewhere",
    errno.EDQUOT: "make room there, or send it elsewhere",
    errno.EBADF: "leave the stream open: without `>&-`",
}


# A gate's word about the request itself, as against all that can go wrong on the way to a page.
_GATES = frozenset({"secrets", "network", "resolve", "policy", "permission", "cache", "approved", "limits"})
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
    screen.say(clip(" ".join(reason.split()), _REASON_CHARS) or "failed", end=" ")
    screen.say(f"[{code}]", "dim")
    if mend:
        screen.say("  → ", "good", end="")
        screen.say(mend)


def tell_fault(screen: Screen, fault: Fault) -> None:
    """`tell` for a fault; the place a ConfigFault names stands before its reason."""
    tell(screen, fault.code, placed(getattr(fault, "place", ""), fault.reason), fault.mend)


def placed(place: str, text: str) -> str:
    """`text` with the place it is about, unless it names that itself. A place is a key, a variable, a file or `file:line`."""
    return text if not place or place in text or _LINE.sub("", place) in text else f"{place}: {text}"


def publish(screen: Screen, wants_json: bool, error: dict[str, Any], **rest: Any) -> None:
    """Print `{"error": …}` on stdout where JSON was asked for and nothing has been printed yet."""
    if wants_json and not screen.document_written:
        screen.json({"error": error, **rest})


def end_with(screen: Screen, wants_json: bool, error: BaseException, masked: Callable[[str], str]) -> int:
    """Print the error that ended a command, and return its exit status. `masked` takes credentials out of a text."""
    causes = list(_unwrapped(error))
    if any(isinstance(cause, KeyboardInterrupt | click.Abort) for cause in causes):
        screen.fresh_line()
        screen.note("interrupted")
        return INTERRUPTED
    if any(isinstance(cause, BrokenPipeError) for cause in causes):
        discard(sys.stdout)
        return UNREAD
    cause = next((cause for cause in causes if isinstance(cause, Fault | Refused)), causes[0])
    match cause:
        case Refused(refusal=refusal):
            publish(screen, wants_json, refusal.published(), results=[])
            tell(screen, refusal.code, refusal.reason, refusal.mend)
            return status_of_refusal(refusal)
        case Fault():
            reason = placed(getattr(cause, "place", ""), cause.reason)
            publish(screen, wants_json, {"code": cause.code, "reason": reason, "mend": cause.mend})
            tell_fault(screen, cause)
            return FAILED
        case OSError(errno=number) if number is not None:
            return _end_with_system(screen, wants_json, cause)
    reason = masked(f"{type(cause).__name__}: {cause}")
    publish(screen, wants_json, {"code": "limen.bug", "reason": reason, "mend": ""})
    if screen.verbose:
        screen.say(masked("".join(traceback.format_exception(error))), end="")
    tell(screen, "limen.bug", reason, "" if screen.verbose else "this is a bug of ours; `-v` shows the trace for a report")
    return FAILED


def wrong_usage(screen: Screen, wants_json: bool, error: click.ClickException) -> int:
    """Print how a command is called instead, and return its exit status."""
    context = getattr(error, "ctx", None)
    is_bare = isinstance(error, click.exceptions.NoArgsIsHelpError)
    reason = "no command is named" if is_bare else " ".join(error.format_message().split())
    mend = f"{context.command_path} --help" if context is not None else "limen --help"
    publish(screen, wants_json, {"code": "cli.usage", "reason": reason, "mend": mend})
    if is_bare and context is not None:
        screen.say(context.get_help())
        return USAGE
    if context is not None:
        screen.say(context.get_usage())
    tell(screen, "cli.usage", reason, mend)
    return USAGE


def _end_with_system(screen: Screen, wants_json: bool, error: OSError) -> int:
    """An error of the operating system that nobody has foreseen: of a file, or else of what the command writes to."""
    said = error.strerror or str(error)
    if error.filename is not None:
        publish(screen, wants_json, {"code": "system.io", "reason": f"{error.filename}: {said}", "mend": ""})
        tell(screen, "system.io", f"{error.filename}: {said}")
        return FAILED
    discard(sys.stdout)
    tell(screen, "output.lost", f"what this command says cannot be written: {said}", _MENDS.get(error.errno or 0, ""))
    return FAILED


def _unwrapped(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _unwrapped(inner)
    else:
        yield error
