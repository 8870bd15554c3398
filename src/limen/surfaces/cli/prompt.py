"""The line a chat is typed into: its keys, its completion, its memory, and the answer that grows above it."""

from contextlib import AbstractContextManager

from prompt_toolkit import PromptSession
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText, merge_formatted_text
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.styles import Style

from limen.kit.text import clip
from limen.surfaces.cli.completion import SlashCompleter
from limen.surfaces.cli.conversation import Conversation, waiting
from limen.surfaces.cli.live import LiveText
from limen.surfaces.cli.screen import terminal_columns

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
            enable_suspend=True,
            erase_when_done=True,
        )
        self._session.default_buffer.on_text_changed += self._calm

    def listening(self) -> AbstractContextManager[None]:
        """Keep what is typed between two prompts from being echoed, and its Ctrl-C and Ctrl-D for the prompt that comes."""
        return self._session.app.input.raw_mode()

    async def read(self) -> str:
        """The next line that is not empty."""
        while True:
            self._text.settle()
            text = await self._session.prompt_async(set_exception_handler=False)
            self._warned = False
            if text.strip():
                return text.strip()

    def _message(self) -> AnyFormattedText:
        growing = ANSI(f"{self._text.pending}\n") if self._text.pending else ""
        return merge_formatted_text([growing, [("class:mark", "› ")]])

    def _toolbar(self) -> AnyFormattedText:
        return [("class:dim", clip(self._state(), max(terminal_columns() - 1, 1)))]

    def _state(self) -> str:
        """What matters most now, in one line."""
        talk = self._conversation
        if self._warned:
            return "Ctrl-C again leaves"
        behind = [waiting(len(talk.queued))] if talk.queued else []
        if talk.paused:
            behind.append("paused: /resume")
        if talk.running:
            return " · ".join(["answering", "Enter adds to it", "Ctrl-C stops", *behind])
        return " · ".join([talk.route + talk.stood_in, talk.session or "new conversation", *behind, "/help"])

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

        @keys.add(Keys.Vt100MouseEvent)
        def _ignore(_event: KeyPressEvent) -> None:
            """No mouse was asked for, so this is a piece of pasted text that begins like a report of one."""

        return keys
