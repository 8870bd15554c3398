"""Changing one key in YAML text and leaving every other character alone: comments, order, quotes and indentation.

ruamel.yaml's own round trip moves a comment that stands before the next section along with the key it happens to follow,
so only its marks are used here. A caller checks the result by parsing it (see `limen.config.edit`).
"""

import re
from typing import Any

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from limen.config.parse import compose
from limen.config.parsed import Path
from limen.core.fault import ConfigFault

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./@+-]*(?::[A-Za-z0-9_./@+-]+)*")
# Words that some YAML reads as something other than text.
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf"})
_COLON = re.compile(r"\s*:")
_STEP = 2


def with_value(text: str, path: Path, value: Any, file: str) -> str:
    """`text` with `value` (None, bool, number, text, list or mapping) at `path`. Raises ConfigFault `config.by_hand`."""
    root = compose(text, file)
    if root is None:
        return _joined(text, _block(path, value, 0, newline_of(text)), newline_of(text))
    mapping = root
    for depth, part in enumerate(path):
        pair = pair_of(mapping, part)
        if pair is None:
            return _insert(text, mapping, path[depth:], value)
        key, inner = pair
        if depth == len(path) - 1:
            return _replace(text, key, inner, rendered(value), file)
        if isinstance(inner, MappingNode):
            mapping = inner
        elif isinstance(inner, ScalarNode) and str(inner.tag).endswith(":null"):
            return _fill(text, key, inner, path[depth + 1 :], value)
        else:
            raise by_hand(file, key, f"`{part}` holds a value where a section belongs")
    raise AssertionError("a path has at least one part")


def without(text: str, path: Path, file: str) -> str:
    """`text` without the key at `path`, and without sections that it leaves empty; `text` itself where it is not there."""
    mapping: Node | None = compose(text, file)
    removal: tuple[MappingNode, Node, Node] | None = None
    for part in path:
        pair = pair_of(mapping, part) if isinstance(mapping, MappingNode) else None
        if not isinstance(mapping, MappingNode) or pair is None:
            return text
        if removal is None or len(mapping.value) > 1:
            removal = (mapping, *pair)
        mapping = pair[1]
    return text if removal is None else _remove(text, *removal, file)


def by_hand(file: str, node: Node | None, why: str) -> ConfigFault:
    """The fault for a file written in a way that is not safe to change from outside."""
    line = node.start_mark.line + 1 if node is not None else 1
    place = f"{file}:{line}"
    return ConfigFault("config.by_hand", f"{place}: {why}", f"change line {line} of {file} in an editor", place=place)


def pair_of(mapping: MappingNode, name: str) -> tuple[Node, Node] | None:
    """A key of a mapping with its value; None where it has no such key."""
    return next(((key, value) for key, value in mapping.value if isinstance(key, ScalarNode) and key.value == name), None)


def _replace(text: str, key: Node, value: Node, rendered: str, file: str) -> str:
    colon = _after_colon(text, key, file)
    if value.start_mark.index < colon and not is_empty(value):
        raise by_hand(file, key, "the value is an alias of another")
    if is_empty(value):
        return f"{text[:colon]} {rendered}{text[colon:]}"
    end = end_of(text, value)
    between = text[colon : value.start_mark.index]
    comment = between.rstrip() if "#" in between else ""
    return f"{text[:colon]} {rendered}{comment}{text[end:]}"


def _fill(text: str, key: Node, value: ScalarNode, path: Path, new: Any) -> str:
    """Put keys under a section that stands there empty, or as `~`."""
    if not is_empty(value):
        text = text[: value.start_mark.index].rstrip(" ") + text[value.end_mark.index :]
    column = key.start_mark.column + _STEP
    return after_line(text, key.end_mark.index, _block(path, new, column, newline_of(text)))


def _insert(text: str, mapping: MappingNode, path: Path, value: Any) -> str:
    if mapping.flow_style:
        close = mapping.end_mark.index - 1
        before = text[:close].rstrip()
        comma = "" if before.endswith(("{", ",")) else ","
        space = "" if before.endswith("{") else " "
        for part in reversed(path[1:]):
            value = {part: value}
        return f"{before}{comma}{space}{yaml_word(path[0])}: {rendered(value)}{text[len(before) :]}"
    key, last = mapping.value[-1]
    place = key.end_mark.index if is_empty(last) else max(end_of(text, last), key.end_mark.index)
    return after_line(text, place, _block(path, value, mapping.value[0][0].start_mark.column, newline_of(text)))


def _remove(text: str, mapping: MappingNode, key: Node, value: Node, file: str) -> str:
    end = _after_colon(text, key, file)
    if not is_empty(value) and value.start_mark.index >= end:
        end = end_of(text, value)
    start = key.start_mark.index
    if mapping.flow_style:
        after = re.compile(r"\s*,\s*").match(text, end)
        if after is not None:
            return text[:start] + text[after.end() :]
        return re.sub(r",?\s*\Z", "", text[:start]) + text[end:]
    first = text.rfind("\n", 0, start) + 1
    if text[first:start].strip():
        raise by_hand(file, key, "something else stands before the key")
    stop = text.find("\n", end)
    return text[:first] + (text[stop + 1 :] if stop >= 0 else "")


def after_line(text: str, offset: int, block: str) -> str:
    """`text` with `block` as lines of its own after the line in which `offset` stands."""
    stop = text.find("\n", offset)
    if stop < 0:
        return _joined(text, block, newline_of(text))
    return text[: stop + 1] + block + text[stop + 1 :]


def _joined(text: str, block: str, newline: str) -> str:
    return text + ("" if not text or text.endswith("\n") else newline) + block


def _block(path: Path, value: Any, column: int, newline: str) -> str:
    lines = [" " * (column + _STEP * depth) + f"{yaml_word(part)}:" for depth, part in enumerate(path)]
    lines[-1] += f" {rendered(value)}"
    return "".join(line + newline for line in lines)


def _after_colon(text: str, key: Node, file: str) -> int:
    match = _COLON.match(text, key.end_mark.index)
    if match is None:
        raise by_hand(file, key, "the key is written in an unusual way")
    return match.end()


def is_empty(node: Node) -> bool:
    """Whether nothing at all stands where a value belongs."""
    return isinstance(node, ScalarNode) and node.start_mark.index == node.end_mark.index


def end_of(text: str, node: Node) -> int:
    """Where a value ends. The end mark of a block collection stands after the comments that follow it, so it is not used."""
    if isinstance(node, MappingNode | SequenceNode) and not node.flow_style and node.value:
        last = node.value[-1]
        key, value = last if isinstance(node, MappingNode) else (None, last)
        if key is not None and is_empty(value):
            return int(key.end_mark.index) + 1
        return end_of(text, value)
    return len(text[: node.end_mark.index].rstrip()) if getattr(node, "style", None) in ("|", ">") else int(node.end_mark.index)


def newline_of(text: str) -> str:
    """How the lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"


def rendered(value: Any) -> str:
    """A value in one line of YAML."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        shown = repr(value)
        return shown if "." in shown or "e" not in shown else shown.replace("e", ".0e")
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(rendered(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{yaml_word(str(key))}: {rendered(item)}" for key, item in value.items()) + "}"
    return yaml_word(str(value))


def yaml_word(text: str) -> str:
    """A text as a word of YAML, in quotes where it needs them."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
