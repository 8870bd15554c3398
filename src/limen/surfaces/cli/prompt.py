"""The line a chat is typed into: its keys, its completion, its memory, and the answer that grows above it."""

from collections.abc import AsyncGenerator, Iterable

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText, merge_formatted_text
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.styles import Style

from limen.surfaces.cli.conversation import Conversation
from limen.surfaces.cli.live import LiveText
from limen.surfaces.cli.slash import SLASHES

_STYLE = Style.from_dict({"bottom-toolbar": "noreverse", "mark": "ansicyan", "dim": "ansibrightblack"})
_PLAIN = Style.from_dict({"bottom-toolbar": "noreverse"})


class ChatPrompt:
    """Reads lines while an answer may be coming. `read` raises EOFError for Ctrl-D, KeyboardInterrupt for a second Ctrl-C."""

    def __init__(self, conversation: Conversation, text: LiveText, history: History, *, colour: bool) -> None:
        self._conversation = conversation
        self._text = text
        self._warned = False
        self._session: PromptSession[str] = PromptSession(
            message=self._message,
            history=history,
            multiline=True,
            key_bindings=self._keys(),
            completer=SlashCompleter(conversation),
            complete_while_typing=True,
            bottom_toolbar=self._toolbar,
            prompt_continuation=lambda width, _line, _wraps: "… ".rjust(width),
            style=_STYLE if colour else _PLAIN,
            reserve_space_for_menu=4,
            erase_when_done=True,
        )
        self._session.default_buffer.on_text_changed += self._calm

    async def read(self) -> str:
        """The next line that is not empty."""
        while True:
            text = await self._session.prompt_async()
            self._warned = False
            if text.strip():
                return text.strip()

    def _message(self) -> AnyFormattedText:
        growing = ANSI(f"{self._text.pending}\n") if self._text.pending else ""
        return merge_formatted_text([growing, [("class:mark", "› ")]])

    def _toolbar(self) -> AnyFormattedText:
        if self._warned:
            state = "Ctrl-C again leaves"
        elif self._conversation.running:
            state = "answering · Enter adds to it · Ctrl-C stops"
        else:
            route = self._conversation.model or self._conversation.runtime.loaded.config.model.route
            state = f"{route} · {self._conversation.session or 'new conversation'} · /help"
        return [("class:dim", state)]

    def _calm(self, _buffer: object) -> None:
        self._warned = False

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("enter")
        def _accept(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            if buffer.document.text_before_cursor.endswith("\\") and not buffer.document.text_after_cursor:
                buffer.delete_before_cursor()
                buffer.insert_text("\n")
            else:
                buffer.validate_and_handle()

        @keys.add("escape", "enter")
        def _newline(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        @keys.add("c-c")
        @keys.add("<sigint>")
        def _interrupt(event: KeyPressEvent) -> None:
            if self._warned:
                event.app.exit(exception=KeyboardInterrupt)
            elif event.current_buffer.text and not self._conversation.running:
                event.current_buffer.reset()
            else:
                self._conversation.stop()
                self._warned = True

        return keys


class SlashCompleter(Completer):
    """Completes commands, and keys of conversations behind `/session`."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        typed = document.text
        if not typed.startswith("/") or " " in typed or "\n" in typed:
            return
        for name, slash in SLASHES.items():
            if name.startswith(typed[1:]):
                yield Completion(f"/{name}", start_position=-len(typed), display_meta=slash.summary)

    async def get_completions_async(self, document: Document, complete_event: CompleteEvent) -> AsyncGenerator[Completion, None]:
        for completion in self.get_completions(document, complete_event):
            yield completion
        command, space, typed = document.text.partition(" ")
        if command == "/session" and space:
            for session in await self._conversation.runtime.sessions.list(20):
                if session.key.startswith(typed):
                    yield Completion(session.key, start_position=-len(typed), display_meta=session.title[:60])
