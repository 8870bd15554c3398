"""The tool `web`: lists of commands, carried out side by side, each answered by an entry of its own."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, get_args

import msgspec
from msgspec import UNSET, Meta

from limen.core.browse import COMMANDS, BrowseEntry, BrowseSettings, Command, ResponseLength
from limen.core.context import CallContext
from limen.core.facts import AssetType, SportsTable
from limen.core.fault import Refusal
from limen.core.ports import BrowseNamespace
from limen.core.tool import ToolAnswer, ToolSpec
from limen.web.browse.answer import answer_of, request_of
from limen.web.browse.commands import MOST_COMMANDS, MOST_IMAGE_QUERIES, MOST_QUERIES, BadCommand, read_commands
from limen.web.browse.entry import refused_entry
from limen.web.search_call import LIBRARY

_TEXT: Mapping[str, Any] = {"type": "string"}
_NUMBER: Mapping[str, Any] = {"type": "integer"}
_TEXTS: Mapping[str, Any] = {"type": "array", "items": _TEXT}


def _list_of(*required: str, **fields: Mapping[str, Any]) -> Meta:
    """A list of commands: its schema is precise, but what comes is read one by one, so that a bad one costs itself alone."""
    items = {"type": "object", "properties": fields, "required": list(required)}
    return Meta(extra_json_schema={"type": "array", "items": items})


def _said(text: str, kind: Mapping[str, Any] = _TEXT) -> Mapping[str, Any]:
    return {**kind, "description": text}


def _one_of(*values: str) -> Mapping[str, Any]:
    return {"enum": list(values)}


class PageArguments(msgspec.Struct):
    """Lists of commands that need no provider of facts."""

    search_query: Annotated[Any, _list_of("q", q=_TEXT, recency=_said("days", _NUMBER), domains=_TEXTS)] = UNSET
    image_query: Annotated[Any, _list_of("q", q=_TEXT)] = UNSET
    open: Annotated[Any, _list_of("ref_id", ref_id=_said("ref or URL"), lineno=_NUMBER)] = UNSET
    click: Annotated[Any, _list_of("ref_id", "id", ref_id=_TEXT, id=_said("link number", _NUMBER))] = UNSET
    find: Annotated[Any, _list_of("ref_id", "pattern", ref_id=_TEXT, pattern=_TEXT)] = UNSET
    screenshot: Annotated[Any, _list_of("ref_id", ref_id=_TEXT, pageno=_said("from 0", _NUMBER))] = UNSET
    time: Annotated[Any, _list_of("utc_offset", utc_offset=_said("+03:00"))] = UNSET
    response_length: ResponseLength = "short"


class WebArguments(PageArguments):
    """Lists of all commands."""

    weather: Annotated[Any, _list_of("location", location=_TEXT, start=_said("YYYY-MM-DD"), duration=_said("days", _NUMBER))] = (
        UNSET
    )
    finance: Annotated[Any, _list_of("ticker", "type", ticker=_TEXT, type=_one_of(*get_args(AssetType)), market=_TEXT)] = UNSET
    sports: Annotated[
        Any,
        _list_of(
            "fn", "league", fn=_one_of(*get_args(SportsTable)), league=_TEXT, team=_TEXT, opponent=_TEXT, date_from=_TEXT,
            date_to=_TEXT, num_games=_NUMBER,
        ),
    ] = UNSET  # fmt: skip


class Web:
    """The tool. Its commands go to `namespace`, which is here or, behind its gates, elsewhere. Without `facts` a model is told of
    no commands for the weather, prices and fixtures."""

    def __init__(self, namespace: BrowseNamespace, settings: BrowseSettings, limit_chars: int, *, facts: bool = True) -> None:
        self._namespace = namespace
        self._settings = settings
        self.spec = ToolSpec(
            name="web",
            toolset="web",
            description=(
                f"Search and browse; up to {MOST_COMMANDS} commands ({MOST_QUERIES} search_query, {MOST_IMAGE_QUERIES} "
                "image_query). Results have refs such as turn0search1 to open; pages have numbered lines and links `[text](3)`."
            ),
            arguments=WebArguments if facts else PageArguments,
            effect="fetch",
            output="verbatim",
            limit_chars=limit_chars,
            stands_for=("web_search", "web_extract"),
        )

    async def run(self, arguments: PageArguments, context: CallContext) -> ToolAnswer:
        """An entry for each command, in their order. Code, beside those of commands: `browse.no_commands`."""
        commands = read_commands(msgspec.structs.asdict(arguments), arguments.response_length)
        if not commands:
            fields = arguments.__struct_fields__
            names = ", ".join(tag for kind in COMMANDS if (tag := str(kind.__struct_config__.tag)) in fields)
            refusal = Refusal("browse", "browse.no_commands", "The call has no commands.", f"Give at least one of: {names}.")
            return answer_of([refused_entry("web", {}, refusal)])
        good = [command for command in commands if not isinstance(command, BadCommand)]
        done = iter(await self._done(good, arguments.response_length, context))
        entries = [_bad(command) if isinstance(command, BadCommand) else next(done) for command in commands]
        failed = sum(entry.refusal is not None for entry in entries)
        carried = f"{len(entries) - failed} of {len(entries)} commands{_asked(entries)}"
        await context.progress(carried, len(entries) - failed, len(entries))
        return answer_of(entries)

    async def _done(self, commands: list[Command], length: ResponseLength, context: CallContext) -> list[BrowseEntry]:
        if not commands:
            return []
        return list(await self._namespace.run(request_of(commands, length, self._settings, context), context))


def _bad(command: BadCommand) -> BrowseEntry:
    return refused_entry(command.name, {"given": command.given}, command.refusal)


def _asked(entries: Iterable[BrowseEntry]) -> str:
    """Who outside was given words to search for, for the person who watches."""
    bodies = [entry.body for entry in entries if "age_s" not in entry.body]
    named = [body.get(key) for body in bodies for key in ("rescued_from", "provider")]
    others = dict.fromkeys(name for name in named if isinstance(name, str) and name != LIBRARY)
    return f" · asked {', '.join(others)}" if others else ""
