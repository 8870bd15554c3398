"""What Tab offers in a chat: its commands, and what their arguments may be."""

import re
from collections.abc import AsyncGenerator, Iterable, Sequence

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from limen.core.fault import Fault
from limen.kit.log import failed_open
from limen.kit.text import printable
from limen.surfaces.cli.conversation import Conversation
from limen.surfaces.cli.slash import SLASHES

_NAME = re.compile(r"/([A-Za-z]*)\Z")
_ARGUMENT = re.compile(r"/([A-Za-z]+) +(\S*)\Z")


class SlashCompleter(Completer):
    """Completes commands and their arguments. What cannot be looked up is not offered, and nothing else happens."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        match = _NAME.match(document.text)
        if match is None:
            return
        for name, slash in SLASHES.items():
            if name.startswith(match[1].lower()):
                yield Completion(f"/{name}", start_position=-len(document.text), display_meta=slash.summary)

    async def get_completions_async(self, document: Document, complete_event: CompleteEvent) -> AsyncGenerator[Completion, None]:
        for completion in self.get_completions(document, complete_event):
            yield completion
        match = _ARGUMENT.match(document.text)
        if match is None:
            return
        for text, remark in await self._choices(match[1].lower(), match[2]):
            yield Completion(text, start_position=-len(match[2]), display_meta=printable(remark))

    async def _choices(self, name: str, typed: str) -> Sequence[tuple[str, str]]:
        slash = SLASHES.get(name)
        if slash is None or slash.choices is None:
            return ()
        try:
            return await slash.choices(self._conversation, typed)
        except Fault as fault:
            failed_open("chat.completion", fault)
            return ()
