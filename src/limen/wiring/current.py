"""The settings of a process as they are now, for whatever takes a change up without a restart."""

from limen.config.reload import ReloadingConfig
from limen.config.schema import Config
from limen.kit.log import failed_open


class CurrentSettings:
    """Called, it gives the configuration as its file has it now; the last good one while the file is broken, which is logged."""

    def __init__(self, watched: ReloadingConfig) -> None:
        self._watched = watched

    def __call__(self) -> Config:
        refreshed = self._watched.refresh()
        if refreshed.problem is not None:
            failed_open(refreshed.problem.code, refreshed.problem.text)
        return refreshed.loaded.config
