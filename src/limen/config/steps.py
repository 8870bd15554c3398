"""From each version of the settings file to the next: text in, text out, so that comments live on."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from ruamel.yaml.nodes import MappingNode

from limen.config.migrate import Stepped
from limen.config.parse import compose, parse
from limen.config.rewrite import end_of, pair_of, rendered, with_value, without
from limen.core.fault import ConfigFault

_FILE = "the settings file"


def to_version_2(text: str) -> Stepped:
    """`model.auxiliary`, one second model for all small jobs, is now `auxiliary.fetch`, the only job it had. Empty meant none.

    What is written in a way that only an editor can change stays: the check then names the key that is gone.
    """
    values = parse(text, _FILE).values
    model = values.get("model")
    if isinstance(model, dict) and "auxiliary" in model:
        wanted = _wanted(values)
        moved = _tried(lambda: _numbered(_moved(text, wanted["auxiliary"]["fetch"])), wanted)
        if moved is not None:
            return Stepped(moved, ("`model.auxiliary` is now `auxiliary.fetch`",))
    numbered = _tried(lambda: _numbered(text), {**values, "version": 2})
    return Stepped(text if numbered is None else numbered)


def _wanted(values: dict[str, Any]) -> dict[str, Any]:
    """What the file shall say."""
    wanted = deepcopy(values)
    said = wanted["model"].pop("auxiliary")
    if not wanted["model"]:
        del wanted["model"]
    tasks = wanted.get("auxiliary")
    wanted["auxiliary"] = {"fetch": said if isinstance(said, str) and said else "off", **(tasks if tasks else {})}
    return {**wanted, "version": 2}


def _tried(change: Callable[[], str], wanted: dict[str, Any]) -> str | None:
    """The changed text, None where it would not say what is wanted."""
    try:
        after = change()
        return after if parse(after, _FILE).values == wanted else None
    except ConfigFault:
        return None


def _numbered(text: str) -> str:
    return with_value(text, ("version",), 2, _FILE)


def _moved(text: str, route: str) -> str:
    after = without(text, ("model", "auxiliary"), _FILE)
    comment = _comment(text, ("model", "auxiliary"))
    return _with_comment(with_value(after, ("auxiliary", "fetch"), route, _FILE), comment, rendered(route))


def _comment(text: str, path: tuple[str, str]) -> str:
    """The comment behind a value in a line of its own; nothing where the line goes on with other values."""
    root = compose(text, _FILE)
    section = pair_of(root, path[0]) if root is not None else None
    if section is None or not isinstance(section[1], MappingNode) or section[1].flow_style:
        return ""
    pair = pair_of(section[1], path[1])
    rest = text[end_of(text, pair[1]) :].partition("\n")[0].strip() if pair is not None else ""
    return rest if rest.startswith("#") else ""


def _with_comment(text: str, comment: str, value: str) -> str:
    root = compose(text, _FILE)
    section = pair_of(root, "auxiliary") if root is not None and comment else None
    if section is None or not isinstance(section[1], MappingNode) or section[1].flow_style:
        return text
    pair = pair_of(section[1], "fetch")
    if pair is None:
        return text
    end = end_of(text, pair[1])
    return f"{text[:end]}  {comment}{text[end:]}" if text[pair[1].start_mark.index : end] == value else text
