"""The chat's commands for the answer that comes and for what waits behind it."""

from limen.core.fault import Fault
from limen.kit.text import clip
from limen.surfaces.cli.conversation import Conversation, waiting
from limen.surfaces.cli.figures import counted

_QUEUED_CHARS = 100


async def stop(conversation: Conversation, _rest: str) -> None:
    """Stop the running turn."""
    if conversation.running:
        conversation.stop()
    else:
        conversation.screen.note("no answer comes; there is nothing to stop")


async def steer(conversation: Conversation, rest: str) -> str | None:
    """Add to the running turn; what comes too late for it is asked."""
    if not rest:
        raise Fault("chat.usage", "/steer takes what is to be added", "/steer TEXT")
    if not conversation.running:
        return rest
    conversation.add(rest)
    return None


async def queue(conversation: Conversation, rest: str) -> str | None:
    """Put a line behind the running turn, show what waits, or drop it."""
    if rest == "clear":
        dropped = len(conversation.queued)
        conversation.queued.clear()
        conversation.screen.note(f"{counted(dropped, 'line')} dropped" if dropped else "nothing waits")
        return None
    if rest and not conversation.running and not conversation.paused:
        return rest
    if rest:
        conversation.queued.append(rest)
    for position, text in enumerate(conversation.queued, 1):
        conversation.screen.line(f"{position}. {clip(text, _QUEUED_CHARS)}")
    if not conversation.queued:
        conversation.screen.note("nothing waits")
    return None


async def pause(conversation: Conversation, _rest: str) -> None:
    """Hold back what is typed from now on."""
    conversation.paused = True
    what = "once this answer has ended, nothing is asked" if conversation.running else "nothing is asked"
    behind = f"; {waiting(len(conversation.queued))}" if conversation.queued else ""
    conversation.screen.note(f"paused: {what} until /resume{behind}", "plain")


async def resume(conversation: Conversation, _rest: str) -> str | None:
    """End a pause and ask what waits."""
    was_paused, conversation.paused = conversation.paused, False
    if conversation.queued and not conversation.running:
        text = conversation.queued.popleft()
        conversation.echo(text)
        return text
    if conversation.queued:
        conversation.screen.note(f"{waiting(len(conversation.queued))} for this answer to end", "plain")
    else:
        conversation.screen.note("resumed; nothing waits" if was_paused else "nothing waits")
    return None
