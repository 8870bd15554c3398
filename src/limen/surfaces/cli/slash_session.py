"""The chat's commands for conversations: a new one, another one, a copy of this one."""

from collections.abc import Sequence
from datetime import datetime
from itertools import dropwhile

from limen.agent.agent import new_session_key
from limen.core.fault import Fault
from limen.core.message import Text
from limen.core.session import Session
from limen.kit.text import clip
from limen.surfaces.cli.conversation import Conversation
from limen.surfaces.cli.figures import counted
from limen.surfaces.cli.pick import known_session
from limen.surfaces.cli.sessions import NO_SESSIONS, show_sessions
from limen.surfaces.cli.transcript import TURN_CHARS, ends_of, show_transcript, spoken

_LISTED = 10
_OFFERED = 50
_RECENT_BLOCKS = 6
_RECENT_TOKENS = 50_000


async def new(conversation: Conversation, _rest: str) -> None:
    """Begin anew with the next line."""
    _refuse_while_running(conversation)
    conversation.go_on_with(None)
    conversation.screen.note("a new conversation begins with your next line")


async def sessions(conversation: Conversation, _rest: str) -> None:
    """List the latest conversations."""
    found = await conversation.runtime.sessions.list(_LISTED)
    if found:
        show_sessions(conversation.screen, found, current=conversation.session)
    else:
        conversation.screen.note(NO_SESSIONS, "plain")


async def session(conversation: Conversation, rest: str) -> None:
    """Go on with another conversation."""
    _refuse_while_running(conversation)
    if not rest:
        raise Fault("chat.usage", "/session takes the key of a conversation", "/session KEY; /sessions lists them, Tab completes")
    await take_up(conversation, await known_session(conversation.runtime.sessions, rest))


async def take_up(conversation: Conversation, found: Session) -> None:
    """Go on with a stored conversation, and show how it ended last."""
    store = conversation.runtime.sessions
    conversation.go_on_with(found.key, stored=True)
    latest = spoken(await store.recent(found.key, budget_tokens=_RECENT_TOKENS, limit=_RECENT_BLOCKS))
    blocks = list(dropwhile(lambda block: block.place != "user", latest)) or latest
    ends = ends_of(await store.events(found.key, turn=blocks[-1].entries[0].turn)) if blocks else {}
    show_transcript(conversation.screen, blocks, ends)
    conversation.screen.note(f"{found.key} · {counted(found.turns, 'turn')} · {clip(found.title, 60) or 'untitled'}")


async def fork(conversation: Conversation, rest: str) -> None:
    """Go on in a copy of the conversation."""
    _refuse_while_running(conversation)
    store = conversation.runtime.sessions
    if conversation.session is None or await store.get(conversation.session) is None:
        raise Fault("chat.usage", "nothing has been said yet that could be forked", "ask something first")
    before = conversation.session
    made = await store.fork(before, new_session_key(datetime.now().astimezone()), at_turn=rest or None)
    conversation.go_on_with(made.key, stored=True)
    conversation.screen.note(
        f"you go on in {made.key}, a copy with {counted(made.turns, 'turn')}; back: /session {before}", "plain"
    )


async def session_choices(conversation: Conversation, typed: str) -> Sequence[tuple[str, str]]:
    """Conversations whose key begins or ends with what was typed, or whose title holds it."""
    wanted = typed.casefold()
    return [
        (found.key, clip(found.title, 60))
        for found in await conversation.runtime.sessions.list(_OFFERED)
        if found.key.startswith(typed) or found.key.endswith(typed) or wanted in found.title.casefold()
    ]


async def fork_choices(conversation: Conversation, typed: str) -> Sequence[tuple[str, str]]:
    """The latest turns, latest first, each with its question."""
    if conversation.session is None:
        return []
    blocks = await conversation.runtime.sessions.recent(conversation.session, budget_tokens=_RECENT_TOKENS, limit=_OFFERED)
    questions: dict[str, str] = {}
    for stored in blocks:
        if stored.place == "user" and isinstance(stored.block, Text):
            questions.setdefault(stored.entries[0].turn[:TURN_CHARS], clip(stored.block.text, 60))
    return [(turn, question) for turn, question in reversed(questions.items()) if turn.startswith(typed)]


def _refuse_while_running(conversation: Conversation) -> None:
    if conversation.running:
        raise Fault("chat.running", "an answer comes in this conversation", "wait for its end, or /stop it")
