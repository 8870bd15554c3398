"""The hooks of other hosts: long results of their tools become the same reports, and the whole lies on the shelf of Limen's home.

A host loads a plug-in by an entry point and calls `register` with its context; each hook gives a text in place of the one it was
given, or None where that one stays. The whole is shown by `limen evidence show ID`, in any terminal.
"""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Protocol

import anyio

from limen.agent.call import Redact
from limen.config.evidence import Evidence
from limen.config.load import load
from limen.config.paths import Home
from limen.core.ledger import Origin, Trust
from limen.core.message import Text
from limen.core.tool import Part, ToolAnswer
from limen.evidence.redactor import SecretRedactor
from limen.evidence.report import MARK, by_command
from limen.evidence.shelf import EvidenceShelf
from limen.kit.log import failed_open
from limen.kit.redact import SecretTable
from limen.kit.tokens import TokenCounter
from limen.store.sqlite.database import Database
from limen.store.sqlite.evidence import SqliteEvidence
from limen.wiring.compacting import reports_of

# Tools of other hosts that show what was asked for, as their names say.
_SHOWING = frozenset({
    "read_file", "read", "view", "view_file", "open", "cat", "notebook_read", "search_files", "grep", "glob", "list_files", "ls",
    "web_extract", "web_fetch", "fetch", "skill_view", "skills_list", "memory", "session_search", "edit", "edit_file",
})  # fmt: skip
# Where the text of a report of ours may begin that a host has put something before.
_MARKED_CHARS = 4_000
_COMMANDS = ("command", "cmd")


class HostContext(Protocol):
    """What a host gives a plug-in to put its hooks in."""

    def register_hook(self, name: str, callback: Callable[..., str | None]) -> Any: ...


def register(ctx: HostContext) -> None:
    """Put both hooks in a host, over the home that `LIMEN_HOME` and `LIMEN_PROFILE` name."""
    hooks = Hooks(Home.resolve(env=os.environ), os.environ)
    ctx.register_hook("transform_terminal_output", hooks.transform_terminal_output)
    ctx.register_hook("transform_tool_result", hooks.transform_tool_result)


class Hooks:
    """Both hooks over one home. They are synchronous, may be called from any thread, and never raise: what fails, passes."""

    def __init__(self, home: Home, env: Mapping[str, str]) -> None:
        self._home = home
        self._env = env

    def transform_terminal_output(
        self, *, command: object = "", output: object = "", returncode: object = None, **more: object
    ) -> str | None:
        """What stands in the place of a command's output, None where it stays. `task_id` tells whose it is."""
        if not isinstance(output, str) or _is_reported(output):
            return None
        return self._made(output, "terminal", _session(more), _text(command), _status(returncode))

    def transform_tool_result(
        self, *, tool_name: object = "", args: object = None, result: object = "", **more: object
    ) -> str | None:
        """What stands in the place of a tool's result, most often JSON, which it stays; None where it stays as it is."""
        if not isinstance(result, str) or _is_reported(result):
            return None
        given = args if isinstance(args, Mapping) else {}
        command = next((given[name] for name in _COMMANDS if isinstance(given.get(name), str)), "")
        return self._made(result, _text(tool_name), _session(more), _text(command), None)

    def _made(self, text: str, tool: str, session: str, command: str, exit_code: int | None) -> str | None:
        try:
            settings = load(self._home, self._env).config.evidence
            if not settings.enabled or tool in _SHOWING or len(text) < settings.min_size:
                return None
            answer = ToolAnswer((Part(Text(text), Origin("tool", tool, Trust.TOOL)),), command=command, exit_code=exit_code)
            # A host may call from a thread in which a loop runs, and the next call may come from another.
            with ThreadPoolExecutor(1) as own:
                return own.submit(anyio.run, self._reported, answer, settings, tool, session).result()
        except Exception as error:  # noqa: BLE001 - a plug-in's hook: another's turn goes on with the text as it was
            failed_open("hooks.failed", error)
            return None

    async def _reported(self, answer: ToolAnswer, settings: Evidence, tool: str, session: str) -> str | None:
        redactor = SecretRedactor(SecretTable())
        masked = await Redact(redactor)(answer)
        if masked.parts[0].block != answer.parts[0].block and not masked.parts[0].origin.treatment.redacted:
            return _words(masked)  # it could not be checked for secrets, and is withheld
        self._home.ensure()
        database = await Database.open(self._home.database)
        try:
            shelf = EvidenceShelf(SqliteEvidence(database), redactor, TokenCounter())
            reports = reports_of(settings, shelf, redactor, partial(by_command, command=self._home.command({})))
            made = await reports(masked, session=session, tool=tool, verbatim=False)
        finally:
            await database.close()
        return _words(made) if made.evidence_id is not None else None


def _words(answer: ToolAnswer) -> str | None:
    block = answer.parts[0].block
    return block.text if isinstance(block, Text) else None


def _is_reported(text: str) -> bool:
    """Whether a report is in it already: both hooks see the output of one command."""
    return MARK in text[:_MARKED_CHARS]


def _session(more: Mapping[str, object]) -> str:
    """Whose output it is, as far as the host says."""
    return next((f"host:{more[name]}" for name in ("session_id", "task_id") if more.get(name)), "")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _status(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
