"""Text that grows above a prompt: finished rows go to the terminal's own scrollback, the unfinished one waits for the prompt."""

import io
from collections.abc import Callable
from typing import TextIO

import anyio
from prompt_toolkit.application import Application, get_app_or_none
from prompt_toolkit.utils import get_cwidth

# How long a terminal may take to say where its cursor is; one that never says it must not hold an answer back.
_CURSOR_S = 0.2


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
            app = _drawn()
            if self._rows and app is not None and app.renderer.waiting_for_cpr:
                # An answer that comes after these rows would tell where the cursor was before them.
                await app.renderer.wait_for_cpr_responses(_CURSOR_S)  # type: ignore[arg-type]  # seconds need not be whole
            self._changed = anyio.Event()
            self._push()

    def _push(self) -> None:
        # Not by `run_in_terminal`: it would leave raw mode for a moment, in which a Ctrl-D or Ctrl-C is lost.
        drawn = _drawn()
        if self._rows:
            if drawn is not None:
                drawn.renderer.erase()
            self._emit()
            if drawn is not None:
                drawn.renderer.reset()
                drawn.renderer.request_absolute_cursor_position()
        if drawn is not None:
            drawn.invalidate()

    def settle(self) -> None:
        """Write out the finished rows now; for when no prompt is drawn yet."""
        self._emit()

    def close_out(self) -> None:
        """Write out everything, the unfinished row too; for when no prompt is drawn any more."""
        if self.pending:
            self.write("\n")
        self._emit()

    def _emit(self) -> None:
        rows, self._rows = self._rows, []
        if not rows:
            return
        self._terminal.write("".join(f"{row}\n" for row in rows))
        self._terminal.flush()


def _drawn() -> Application[object] | None:
    """The prompt that is on the screen."""
    app = get_app_or_none()
    return app if app is not None and app.is_running else None


def row_end(text: str, columns: int) -> int:
    """Where a text that is wider than `columns` is broken: after a blank if one stands in the latter half, 0 when it fits."""
    width = 0
    for index, char in enumerate(text):
        width += get_cwidth(char)
        if width > columns > 0:
            blank = text.rfind(" ", index // 2, index + 1)
            return blank + 1 if blank > 0 else max(index, 1)
    return 0
