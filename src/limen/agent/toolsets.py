"""Which tools a turn has: a session's toolsets stay as they began, so that its prompt does, and a turn may leave some off."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches

import msgspec

from limen.config.problem import Problem
from limen.core.fault import Refusal
from limen.core.ports import Tool

Toolsets = frozenset[str]
# Those that reach for the web, which `web.mode: off` takes away.
WEB_TOOLSETS: Toolsets = frozenset({"web", "fetch", "browse"})
# Reads on in outputs that became reports: it goes along with every tool that may be reported on, and with no others.
_EVIDENCE = "evidence"


class Selection(msgspec.Struct, frozen=True):
    """`offered` tools stand in the session's prompt; those whose names are `on` may be called in this turn."""

    offered: dict[str, Tool]
    on: frozenset[str]


def select(
    tools: Mapping[str, Tool], *, starts_with: Toolsets | None, frozen: Collection[str], wanted: Toolsets | None, use: bool
) -> Selection:
    """The tools of a turn.

    `starts_with` are the sets of a new session, None for all. `frozen` are the names of the tools that an older session began
    with; its sets hold, also where other tools stand for those now, and those of `wanted` that it did not begin with are added.
    `wanted` None leaves all of them on, `use` False none: then a new session is not even told of tools.
    """
    if frozen:
        began = frozenset(tool.spec.toolset for tool in tools.values() if {tool.spec.name, *tool.spec.stands_for} & {*frozen})
        sets: Toolsets | None = began if wanted is None else began | wanted
    elif use:
        sets = starts_with if wanted is None else wanted
        if sets is not None and any(tool.spec.output == "compact" and tool.spec.toolset in sets for tool in tools.values()):
            sets |= {_EVIDENCE}
    else:
        sets = frozenset()
    offered = {name: tool for name, tool in tools.items() if sets is None or tool.spec.toolset in sets}
    on = (name for name, tool in offered.items() if use and (wanted is None or tool.spec.toolset in {*wanted, _EVIDENCE}))
    return Selection(offered, frozenset(on))


def unknown_toolset(wanted: Collection[str], tools: Mapping[str, Tool]) -> Refusal | None:
    """Why these toolsets cannot be had: one of them does not exist, or has no tool here."""
    known = sorted({tool.spec.toolset for tool in tools.values()})
    strangers = sorted(set(wanted) - set(known))
    if not strangers:
        return None
    near = get_close_matches(strangers[0], known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    mend = f"There are: {', '.join(known) or 'none'}."
    return Refusal("turn", "turn.unknown_toolset", f"There is no toolset {strangers[0]!r}.{hint}", mend)


def toolset_problems(configured: Collection[str], tools: Mapping[str, Tool]) -> tuple[Problem, ...]:
    """What is wrong with the setting `tools.toolsets`. The web's tools may be away by another setting."""
    refusal = unknown_toolset(set(configured) - WEB_TOOLSETS, tools)
    if refusal is None:
        return ()
    return (Problem("warning", "config.unknown_toolset", refusal.reason, refusal.mend, "tools.toolsets", "tools.toolsets"),)
