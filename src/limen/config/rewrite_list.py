"""Putting an entry into a list of YAML text, or taking one out, and leaving every other character alone."""

import re
from typing import Any

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from limen.config.parse import compose
from limen.config.rewrite import (
    after_line,
    by_hand,
    end_of,
    is_empty,
    newline_of,
    pair_of,
    rendered,
    with_value,
    without,
    yaml_word,
)

_COMMA = re.compile(r"\s*,\s*")


def with_item(text: str, name: str, index: int, value: Any, file: str) -> str:
    """`text` with `value` as entry `index`, from 0, of the top-level list `name`, which is made where it is missing.

    An index past the end is the end. Raises ConfigFault `config.by_hand`.
    """
    root = compose(text, file)
    pair = pair_of(root, name) if root is not None else None
    if pair is None:
        return _new_list(text, root, name, value, file)
    key, items = pair
    if is_empty(items):
        return after_line(text, key.end_mark.index, _lines(value, 2, newline_of(text)))
    if isinstance(items, ScalarNode) and str(items.tag).endswith(":null"):
        return with_value(text, (name,), [value], file)
    if not isinstance(items, SequenceNode):
        raise by_hand(file, key, f"`{name}` holds one value where a list belongs")
    if items.flow_style:
        return _into_brackets(text, items, index, value)
    if index >= len(items.value):
        block = _lines(value, items.start_mark.column, newline_of(text))
        return after_line(text, end_of(text, items), block)
    place = _above_comments(text, _line_start(text, _dash(text, items, index)))
    return text[:place] + _lines(value, items.start_mark.column, newline_of(text)) + text[place:]


def without_item(text: str, name: str, index: int, file: str) -> str:
    """`text` without entry `index`, from 0, of the top-level list `name`; without the list where that was its only one."""
    root = compose(text, file)
    pair = pair_of(root, name) if root is not None else None
    items = pair[1] if pair is not None else None
    if not isinstance(items, SequenceNode) or len(items.value) == 1:
        return without(text, (name,), file)
    if index >= len(items.value):
        return text
    item = items.value[index]
    if items.flow_style:
        after = _COMMA.match(text, item.end_mark.index)
        if after is not None and index < len(items.value) - 1:
            return text[: item.start_mark.index] + text[after.end() :]
        return re.sub(r"\s*,\s*\Z", "", text[: item.start_mark.index]) + text[item.end_mark.index :]
    start = _line_start(text, _dash(text, items, index))
    stop = text.find("\n", item.start_mark.index if is_empty(item) else end_of(text, item))
    return text[:start] + (text[stop + 1 :] if stop >= 0 else "")


def _new_list(text: str, root: MappingNode | None, name: str, value: Any, file: str) -> str:
    newline = newline_of(text)
    if root is not None and root.flow_style:
        return with_value(text, (name,), [value], file)
    block = f"{name}:{newline}{_lines(value, 2, newline)}"
    if root is None:
        return text + ("" if not text or text.endswith("\n") else newline) + block
    key, last = root.value[-1]
    return after_line(text, key.end_mark.index if is_empty(last) else max(end_of(text, last), key.end_mark.index), block)


def _into_brackets(text: str, items: SequenceNode, index: int, value: Any) -> str:
    if not items.value:
        place = items.start_mark.index + 1
        return f"{text[:place]}{rendered(value)}{text[place:]}"
    if index >= len(items.value):
        place = items.value[-1].end_mark.index
        return f"{text[:place]}, {rendered(value)}{text[place:]}"
    place = items.value[index].start_mark.index
    return f"{text[:place]}{rendered(value)}, {text[place:]}"


def _lines(value: Any, column: int, newline: str) -> str:
    """An entry as lines: a mapping one field a line, anything else in one."""
    fields = [f"{yaml_word(str(key))}: {rendered(inner)}" for key, inner in value.items()] if isinstance(value, dict) else []
    first, *rest = fields or [rendered(value)]
    indent = " " * column
    return "".join(f"{indent}{line}{newline}" for line in (f"- {first}", *(f"  {line}" for line in rest)))


def _dash(text: str, items: SequenceNode, index: int) -> int:
    """Where the dash of an entry stands; a comment above it may hold dashes too."""
    if index == 0:
        return int(items.start_mark.index)
    before: Node = items.value[index - 1]
    pattern = re.compile(rf"^[ ]{{{items.start_mark.column}}}-(?=\s)", re.MULTILINE)
    end = before.end_mark.index if is_empty(before) else end_of(text, before)
    match = pattern.search(text, end, items.value[index].start_mark.index)
    return match.end() - 1 if match is not None else int(items.value[index].start_mark.index)


def _line_start(text: str, offset: int) -> int:
    return text.rfind("\n", 0, offset) + 1


def _above_comments(text: str, line_start: int) -> int:
    """Over the comments right above a line, which are about what it begins."""
    while line_start > 0:
        above = _line_start(text, line_start - 1)
        if not text[above:line_start].lstrip().startswith("#"):
            return line_start
        line_start = above
    return line_start
