"""Configuration of a process that stays: read again when its file changes, and kept as it was while that is broken."""

from collections.abc import Mapping
from copy import copy

import msgspec

from limen.config.load import Loaded, load
from limen.config.paths import Home
from limen.config.problem import Problem
from limen.core.fault import ConfigFault

Stamp = tuple[int, int, int]


class Refreshed(msgspec.Struct, frozen=True):
    """What a look at the file found. `problem` says why the last good configuration still holds; it is told once a change."""

    loaded: Loaded
    changed: bool = False
    problem: Problem | None = None


class ReloadingConfig:
    """The last good configuration of a home. Costs one `stat` while nothing has changed. Not for several threads at once."""

    def __init__(self, home: Home, env: Mapping[str, str], flags: Mapping[str, str] | None = None) -> None:
        """Load once; raises ConfigFault, since a fresh start has no good configuration to keep."""
        self._home = home
        self._env = dict(env)
        self._flags = dict(flags or {})
        self._told: set[Stamp | None] = set()
        self._stamp = self._look()
        self.current = load(home, self._env, self._flags)

    def beside(self) -> "ReloadingConfig":
        """Another look at the same file from here on. Of both, whoever finds a problem first tells it."""
        return copy(self)

    def refresh(self) -> Refreshed:
        """Look again. Never raises: a file that has become unreadable or has gone leaves `current` alone."""
        stamp = self._look()
        if stamp == self._stamp:
            return Refreshed(self.current)
        if stamp is None:
            # An editor may be about to put a new one there; and settings that forbid something must not vanish unseen.
            return Refreshed(self.current, problem=self._gone())
        self._stamp = stamp
        self._told.discard(None)
        try:
            loaded = load(self._home, self._env, self._flags)
        except ConfigFault as fault:
            if not self._untold(stamp):
                return Refreshed(self.current)
            text = f"{fault.reason}; the last good configuration still holds"
            return Refreshed(self.current, problem=Problem("error", fault.code, text, fault.mend, fault.place))
        # The file that was read may be newer than the stamp: then the next look finds another stamp and reads once more.
        changed = loaded != self.current
        self.current = loaded
        return Refreshed(loaded, changed)

    def _gone(self) -> Problem | None:
        if not self._untold(None):
            return None
        file = str(self._home.config_file)
        text = f"{file} has gone; the last good configuration still holds until a restart"
        return Problem("error", "config.gone", text, "restore the file, or restart", file)

    def _untold(self, stamp: Stamp | None) -> bool:
        """Whether nobody has told of this state of the file yet; from now on somebody has."""
        told = stamp in self._told
        self._told.add(stamp)
        return not told

    def _look(self) -> Stamp | None:
        try:
            found = self._home.config_file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino
