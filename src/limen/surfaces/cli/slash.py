"""What can be said to a chat instead of to the model: `/help` and its kin."""

import re
from collections.abc import Awaitable, Callable, Sequence
from difflib import get_close_matches

import msgspec

from limen.core.fault import Fault
from limen.surfaces.cli.conversation import Conversation
from limen.surfaces.cli.slash_look import context, evidence, evidence_choices, ledger, status
from limen.surfaces.cli.slash_session import fork, fork_choices, new, session, session_choices, sessions
from limen.surfaces.cli.slash_settings import model, model_choices, reload
from limen.surfaces.cli.slash_turn import pause, queue, resume, steer, stop

_COMMAND = re.compile(r"/([A-Za-z]+)(?:\s+(.*))?\Z", re.DOTALL)

Run = Callable[[Conversation, str], Awaitable[str | None]]
Choices = Callable[[Conversation, str], Awaitable[Sequence[tuple[str, str]]]]


class Slash(msgspec.Struct, frozen=True):
    """One command: what it takes, what it does, more on that, the function that does it, and what its argument may be.

    The function gives back what is to be asked now, if anything. `choices` are arguments that begin with what was typed, each
    with a remark.
    """

    takes: str
    summary: str
    run: Run
    more: str = ""
    choices: Choices | None = None


async def dispatch(conversation: Conversation, line: str) -> str | None:
    """Run a line that is a command; what is to be asked now: the line itself where it is none, or what a command came up with.

    Raises Fault `chat.unknown_command` and whatever a command raises.
    """
    match = _COMMAND.match(line.strip())
    if match is None:
        return line
    name, rest = match[1].lower(), (match[2] or "").strip()
    return await find(name).run(conversation, rest)


def find(name: str) -> Slash:
    """The command of that name. Raises Fault `chat.unknown_command`, naming the nearest."""
    name = _ALIASES.get(name, name)
    if name in SLASHES:
        return SLASHES[name]
    near = get_close_matches(name, SLASHES, n=1)
    mend = f"did you mean /{near[0]}?" if near else "/help lists what there is"
    raise Fault("chat.unknown_command", f"there is no /{name}", mend)


def _words(**words: str) -> Choices:
    """Choices that are always the same, each with its remark."""

    async def choices(_conversation: Conversation, typed: str) -> Sequence[tuple[str, str]]:
        return [(word, remark) for word, remark in words.items() if word.startswith(typed)]

    return choices


async def _command_choices(_conversation: Conversation, typed: str) -> Sequence[tuple[str, str]]:
    return [(name, slash.summary) for name, slash in SLASHES.items() if name.startswith(typed)]


async def _help(conversation: Conversation, rest: str) -> None:
    screen = conversation.screen
    if rest:
        name = rest.split()[0].removeprefix("/").lower()
        slash = find(name)
        screen.line(f"/{_ALIASES.get(name, name)} {slash.takes}".rstrip(), "accent")
        screen.paragraph(f"{slash.summary[0].upper()}{slash.summary[1:]}. {slash.more}".rstrip(), "  ")
        return
    width = max(len(f"/{name} {slash.takes}") for name, slash in SLASHES.items())
    for title, names in _GROUPS.items():
        screen.line(title, "bold")
        for name in names:
            screen.write(f"  {f'/{name} {SLASHES[name].takes}':<{width}}", "accent")
            screen.hanging(SLASHES[name].summary, width + 4)
    screen.line("Keys", "bold")
    for key, what in _KEYS.items():
        screen.write(f"  {key:<{width}}", "accent")
        screen.hanging(what, width + 4)


async def _quit(conversation: Conversation, _rest: str) -> None:
    conversation.leaving = True


SLASHES: dict[str, Slash] = {
    "stop": Slash("", "stop this answer", stop, "What was said is kept, and the conversation goes on from there."),
    "steer": Slash(
        "TEXT", "add something to this answer", steer,
        "The model reads it before its next step. Just typing it does the same; where no answer comes, it is asked.",
    ),
    "queue": Slash(
        "[TEXT]", "ask this next; alone: what waits", queue,
        "What waits is asked in order, each after the answer before it. `/queue clear` drops it.",
        _words(clear="drop what waits"),
    ),
    "pause": Slash(
        "", "ask nothing more for now", pause,
        "An answer that comes is finished; what is queued, and what you type after it, waits for /resume.",
    ),
    "resume": Slash("", "ask what waits", resume, "It ends a pause, and goes on where a stopped answer held lines back."),
    "new": Slash("", "begin a new conversation", new, "The one before is kept."),
    "sessions": Slash("", "the latest conversations", sessions, "`limen sessions list` shows more."),
    "session": Slash(
        "KEY", "go on with another conversation", session,
        "The beginning or end of a key is enough. Tab completes keys by title too.", session_choices,
    ),
    "fork": Slash(
        "[TURN]", "go on in a copy of this conversation", fork,
        "The conversation stays as it is, and what you say next goes into the copy. With TURN the copy ends behind that turn.",
        fork_choices,
    ),
    "status": Slash("", "where this conversation stands", status),
    "context": Slash(
        "", "what the model has before it", context, "Tokens by part, counted here; a vendor may count a little differently."
    ),
    "ledger": Slash(
        "[all]", "what the last request was made of", ledger,
        "Block by block: source, trust, size, and what was done to it. `/ledger all` shows everything that ever entered.",
        _words(all="everything that ever entered"),
    ),
    "evidence": Slash(
        "[ID]", "whole outputs that were kept", evidence, "`/evidence ID 40 80` shows those lines. `limen evidence` can search.",
        evidence_choices,
    ),
    "model": Slash(
        "[ROUTE]", "who answers from now on", model,
        "ROUTE is provider/model, or a provider alone. It holds for this chat; `/model default` goes back to the settings.",
        model_choices,
    ),
    "reload": Slash(
        "", "take up changed settings and keys", reload,
        "Everything is wired anew. Where the settings are broken, those from before still hold.",
    ),
    "help": Slash("[COMMAND]", "show this, or more on one command", _help, "", _command_choices),
    "quit": Slash("", "leave; the conversation is kept", _quit),
}  # fmt: skip
_GROUPS = {
    "This answer": ("stop", "steer", "queue", "pause", "resume"),
    "Conversations": ("new", "sessions", "session", "fork"),
    "Look inside": ("status", "context", "ledger", "evidence"),
    "Settings": ("model", "reload"),
    "Help and leave": ("help", "quit"),
}
_KEYS = {
    "Enter": "send; while an answer comes: add to it",
    "Alt-Enter": "begin another line; so does \\ at a line's end",
    "Tab, ↑": "complete a command; go back to earlier lines",
    "Ctrl-C": "stop the answer or empty the line; twice leaves",
    "Ctrl-D": "leave",
}
_ALIASES = {"exit": "quit", "q": "quit", "h": "help", "continue": "resume"}
