"""YAML text into plain values with the line each came from. Refuses what YAML allows and a settings file must not do."""

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from limen.config.complaint import Complaint, complaint_of
from limen.config.parsed import Parsed, Path
from limen.core.fault import ConfigFault

_LIMIT_NODES = 100_000
_LIMIT_DEPTH = 40
_TAG = "tag:yaml.org,2002:"
_READ_AS_TEXT = frozenset({_TAG + "str", _TAG + "timestamp", _TAG + "value"})
_CONSTRUCTED = frozenset({_TAG + "null", _TAG + "bool", _TAG + "int", _TAG + "float"})


def parse(text: str, file: str) -> Parsed:
    """The values of one YAML document that is a mapping. Raises ConfigFault `config.unreadable` with file, line and column."""
    root = compose(text, file)
    if root is None:
        return Parsed()
    walk = _Walk(file)
    return Parsed(walk.mapping(root, ()), walk.lines)


def compose(text: str, file: str) -> MappingNode | None:
    """The document's nodes with their marks; None when it is empty. Raises ConfigFault `config.unreadable`."""
    yaml = _yaml()
    try:
        root = yaml.compose(text)
    except MarkedYAMLError as error:
        complaint = complaint_of(error)
        if "maximum depth" in complaint.said:
            complaint = Complaint(f"values are nested more than {_LIMIT_DEPTH} deep", "nest them less", complaint.place)
        raise _unreadable(file, complaint.place, complaint.said, complaint.mend) from error
    except ReaderError as error:
        raise _unreadable(file, _place(text, error.position), "a control character stands there", "delete it") from error
    except (YAMLError, ValueError, RecursionError) as error:
        raise _unreadable(file, (0, 0), " ".join(str(error).split()), "") from error
    if root is None or (isinstance(root, ScalarNode) and root.tag == _TAG + "null"):
        return None
    if not isinstance(root, MappingNode):
        place = (root.start_mark.line, root.start_mark.column)
        raise _unreadable(file, place, "the file is no mapping of keys to values", "write `section:` lines, such as `web:`")
    return root


def _yaml() -> YAML:
    yaml = YAML(typ="safe", pure=True)
    yaml.max_depth = _LIMIT_DEPTH
    return yaml


class _Walk:
    """Turns nodes into values, counting, so that a few aliases cannot stand for millions of values."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._constructor = _yaml().constructor
        self._nodes = 0
        self._open: set[int] = set()
        self.lines: dict[Path, int] = {}

    def mapping(self, node: MappingNode, path: Path) -> dict[str, Any]:
        values: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if key_node.tag == _TAG + "merge":
                merged = {**self._merge(value_node, path), **merged}
                continue
            key = self._key(key_node)
            if key in values:
                first = self.lines[(*path, key)]
                raise self._fault(key_node, f"the key {key!r} stands here again after line {first}", "keep one of them")
            self.lines[(*path, key)] = key_node.start_mark.line + 1
            values[key] = self._value(value_node, (*path, key))
        return {**merged, **values}

    def _merge(self, node: Node, path: Path) -> dict[str, Any]:
        sources = node.value if isinstance(node, SequenceNode) else [node]
        merged: dict[str, Any] = {}
        for source in sources:
            if not isinstance(source, MappingNode):
                raise self._fault(node, "`<<` takes a mapping, or a list of them", "write the keys out")
            inner = self._value(source, path)
            merged = {**inner, **merged}
        return merged

    def _key(self, node: Node) -> str:
        self._count(node)
        if not isinstance(node, ScalarNode):
            raise self._fault(node, "a key is no plain word", "quote it")
        return str(node.value)

    def _value(self, node: Node, path: Path) -> Any:
        self._count(node)
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        if id(node) in self._open:
            raise self._fault(node, "this value contains itself", "write it out without `*`")
        self._open.add(id(node))
        try:
            if isinstance(node, MappingNode):
                if node.tag not in (_TAG + "map", _TAG + "omap"):
                    raise self._fault(node, f"the tag {node.tag!r} means nothing here", "remove it")
                return self.mapping(node, path)
            if not isinstance(node, SequenceNode) or node.tag != _TAG + "seq":
                raise self._fault(node, f"the tag {node.tag!r} means nothing here", "remove it")
            return [self._item(item, (*path, str(index))) for index, item in enumerate(node.value)]
        finally:
            self._open.discard(id(node))

    def _item(self, node: Node, path: Path) -> Any:
        self.lines[path] = node.start_mark.line + 1
        return self._value(node, path)

    def _scalar(self, node: ScalarNode) -> Any:
        if node.tag in _READ_AS_TEXT:
            return str(node.value)
        if node.tag not in _CONSTRUCTED:
            raise self._fault(node, f"the tag {node.tag!r} means nothing here", "remove it")
        try:
            return self._constructor.construct_object(node)
        except (YAMLError, ValueError, KeyError) as error:
            raise self._fault(node, "this value cannot be read", "quote it") from error

    def _count(self, node: Node) -> None:
        self._nodes += 1
        if self._nodes > _LIMIT_NODES:
            raise self._fault(node, f"aliases make more than {_LIMIT_NODES:,} values of this file", "write them out")

    def _fault(self, node: Node, said: str, mend: str) -> ConfigFault:
        return _unreadable(self._file, (node.start_mark.line, node.start_mark.column), said, mend)


def _unreadable(file: str, place: tuple[int, int], said: str, mend: str) -> ConfigFault:
    line, column = place[0] + 1, place[1] + 1
    reason = f"{file}, line {line}, column {column}: {said}"
    return ConfigFault("config.unreadable", reason, mend or f"correct line {line} of {file}", place=f"{file}:{line}")


def _place(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n"), offset - (before.rfind("\n") + 1)
