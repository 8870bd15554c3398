"""Text that grows above a prompt: finished rows go to the terminal's own scrollback, the unfinished one waits for the prompt."""

import io
from collections.abc import Callable
from typing import TextIO

import anyio
from prompt_toolkit.application import get_app_or_none
from prompt_toolkit.utils import get_cwidth


class LiveText(io.TextIOBase):
    """A text stream whose unfinished last row is `pending`, to be drawn with the prompt; `pump` writes out the rest."""

    def __init__(self, terminal: TextIO, columns: Callable[[], int]) -> None:
        super().__init__()
        self._terminal = terminal
        self._columns = columns
        self._rows: list[str] = []
        self._changed = anyio.Event()
        self.pending = ""

    @property
    def encoding(self) -> str:  # type: ignore[override]  # TextIOBase has it as an attribute
        return self._terminal.encoding or "utf-8"

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        *rows, self.pending = (self.pending + text).split("\n")
        self._rows.extend(rows)
        while "\x1b" not in self.pending and (cut := row_end(self.pending, self._columns() - 1)):
            self._rows.append(self.pending[:cut].rstrip(" "))
            self.pending = self.pending[cut:].lstrip(" ")
        self._changed.set()
        return len(text)

    async def pump(self) -> None:
        """Until cancelled, put finished rows above the prompt and have the prompt drawn anew."""
        while True:
            await self._changed.wait()
            self._changed = anyio.Event()
            self._push()

    def _push(self) -> None:
        # Not by `run_in_terminal`: it would leave raw mode for a moment, in which a Ctrl-D or Ctrl-C is lost.
        app = get_app_or_none()
        drawn = app if app is not None and app.is_running else None
        if self._rows:
            if drawn is not None:
                drawn.renderer.erase()
            self._emit()
            if drawn is not None:
                drawn.renderer.reset()
                drawn.renderer.request_absolute_cursor_position()
        if drawn is not None:
            drawn.invalidate()

    def close_out(self) -> None:
        """Write out everything, the unfinished row too; for when no prompt is drawn any more."""
        if self.pending:
            self.write("\n")
        self._emit()

    def _emit(self) -> None:
        rows, self._rows = self._rows, []
        self._terminal.write("".join(f"{row}\n" for row in rows))
        self._terminal.flush()


def row_end(text: str, columns: int) -> int:
    """Where a text that is wider than `columns` is broken: after a blank if one stands in the latter half, 0 when it fits."""
    width = 0
    for index, char in enumerate(text):
        width += get_cwidth(char)
        if width > columns > 0:
            blank = text.rfind(" ", index // 2, index + 1)
            return blank + 1 if blank > 0 else max(index, 1)
    return 0
