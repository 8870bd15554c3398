"""A block-list whose files are read again when they change, so that a new line holds from the next call on."""

from collections.abc import Sequence
from pathlib import Path

from limen.kit.log import failed_open
from limen.web.gates.policy import BlockList, Rule

_Stamp = tuple[int, int, int] | None


class WatchedBlockList:
    """Rules from the settings and from files, one rule a line. A file that cannot be read is said once, and the rest holds."""

    def __init__(self, rules: Sequence[Rule], files: Sequence[Path]) -> None:
        self._rules = tuple(rules)
        self._files = tuple(files)
        self._stamps: dict[Path, _Stamp] = {}
        self._list = BlockList(self._rules)
        self._said: set[Path] = set()

    def match(self, host: str) -> Rule | None:
        """The rule that blocks a host, or None."""
        if self._files:
            stamps = {path: _stamp(path) for path in self._files}
            if stamps != self._stamps:
                self._list = BlockList([*self._rules, *(rule for path in self._files for rule in self._read(path))])
                self._stamps = stamps
        return self._list.match(host)

    def _read(self, path: Path) -> list[Rule]:
        try:
            lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
        except OSError as error:
            if path not in self._said:
                failed_open("policy.file_missing", f"{path}: {error.strerror}")
                self._said.add(path)
            return []
        self._said.discard(path)
        source = str(path)
        return [Rule(line, source) for line in lines]


def _stamp(path: Path) -> _Stamp:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino
