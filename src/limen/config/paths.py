"""The home: the one folder that holds all state of a profile, readable by its owner alone."""

import os
import re
import shlex
import stat
from collections.abc import Mapping
from pathlib import Path

import msgspec

from limen.core.fault import ConfigFault
from limen.kit.atomic import FOLDER_MODE, make_private_dir, sweep_temporaries
from limen.kit.log import failed_open, logger

MAIN = "main"
_PROFILE = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_DEFAULT_NAME = ".limen"
_WIDER = stat.S_IRWXG | stat.S_IRWXO


class Home(msgspec.Struct, frozen=True):
    """A profile's folder. `root` is the home itself; `path` is the same for the profile `main`, else `root/profiles/NAME`."""

    root: Path
    profile: str = MAIN

    @classmethod
    def resolve(cls, home: Path | None = None, profile: str | None = None, env: Mapping[str, str] | None = None) -> "Home":
        """The home that options, then LIMEN_HOME and LIMEN_PROFILE, then `~/.limen` name. Nothing is touched on disk.

        Raises ConfigFault `home.bad_profile` or `home.bad_path`.
        """
        env = os.environ if env is None else env
        name = profile or env.get("LIMEN_PROFILE") or MAIN
        if not _PROFILE.fullmatch(name):
            raise ConfigFault(
                "home.bad_profile",
                "a profile's name is 1 to 32 lower-case letters, digits, '-' and '_', starting with a letter or digit",
                "limen --profile work …",
                place="--profile" if profile else "LIMEN_PROFILE",
            )
        return cls(_absolute(home if home is not None else Path(env.get("LIMEN_HOME") or f"~/{_DEFAULT_NAME}")), name)

    def command(self, env: Mapping[str, str] | None = None) -> str:
        """How a shell calls Limen for this home: by its bare name where it is the home that is found unasked."""
        try:
            usual = Home.resolve(None, None, env)
        except ConfigFault:
            usual = None
        words = ["limen"]
        if usual is None or usual.root != self.root:
            words += ["--home", str(self.root)]
        if usual is None or usual.profile != self.profile:
            words += ["--profile", self.profile]
        return shlex.join(words)

    @property
    def path(self) -> Path:
        return self.root if self.profile == MAIN else self.root / "profiles" / self.profile

    @property
    def config_file(self) -> Path:
        return self.path / "config.yaml"

    @property
    def secrets_file(self) -> Path:
        return self.path / ".env"

    @property
    def database(self) -> Path:
        return self.path / "limen.db"

    @property
    def pages(self) -> Path:
        """Whole texts of pages that a window got only a part of."""
        return self.path / "pages"

    @property
    def page_cache(self) -> Path:
        """Pages read lately, kept for a while."""
        return self.path / "cache" / "web"

    @property
    def search_cache(self) -> Path:
        """Searches made lately, kept for a while."""
        return self.path / "cache" / "search"

    @property
    def browser_profiles(self) -> Path:
        """What browsers keep, a folder for each session: cookies above all."""
        return self.path / "browser"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def history_file(self) -> Path:
        """Lines typed into `limen chat`."""
        return self.path / "history"

    @property
    def config_lock(self) -> Path:
        """Held while config.yaml is changed."""
        return self.path / ".config.lock"

    def ensure(self) -> None:
        """Make the folder with mode 0700, or narrow it to that. Raises ConfigFault `home.*` where it cannot be used."""
        self._make(self.root)
        self._narrow(self.root)
        if self.path != self.root:
            self._make(self.path)
            self._narrow(self.path)
        if not os.access(self.path, os.R_OK | os.W_OK | os.X_OK):
            raise self._not_writable()
        try:
            sweep_temporaries(self.path)
        except OSError as error:
            failed_open("home.sweep", error)

    def _make(self, folder: Path) -> None:
        try:
            make_private_dir(folder, root=None if folder == self.root else self.root)
        except NotADirectoryError as error:
            raise self._fault("home.not_a_folder", "a file stands where the home should be", "limen --home DIR …") from error
        except OSError as error:
            what = "used" if os.access(folder, os.F_OK) else "made"
            raise self._fault("home.unusable", f"the home cannot be {what}: {error.strerror}", "limen --home DIR …") from error

    def _not_writable(self) -> ConfigFault:
        if os.statvfs(self.path).f_flag & os.ST_RDONLY:
            return self._fault("home.not_writable", "the home lies on a disk that is mounted read-only", "limen --home DIR …")
        mend = f"chmod u+rwx '{self.path}', or limen --home DIR …"
        return self._fault("home.not_writable", "the home cannot be written", mend)

    def _narrow(self, folder: Path) -> None:
        mode = stat.S_IMODE(folder.stat().st_mode)
        if not mode & _WIDER:
            return
        shared = mode & stat.S_ISVTX or not self._is_ours(folder)
        if shared and mode & stat.S_IWOTH:
            mend = f"limen --home '{folder / 'limen'}' …"
            raise self._fault("home.shared", "everyone may write to this folder, so it cannot hold private state", mend)
        if shared:
            # Others may depend on the mode of a folder that holds more than our state; our files in it are private anyway.
            logger.info("home.mode: others may list %s; `chmod 700 '%s'` hides it", folder, folder)
            return
        try:
            folder.chmod(FOLDER_MODE)
        except OSError as error:
            failed_open("home.mode", error)  # a mounted volume may not know modes

    def _is_ours(self, folder: Path) -> bool:
        """Whether nothing but our state can be in a folder: by its name, or since it is new."""
        return folder.name == _DEFAULT_NAME or folder != self.root or next(folder.iterdir(), None) is None

    def _fault(self, code: str, reason: str, mend: str) -> ConfigFault:
        return ConfigFault(code, f"{reason}: {self.path}", mend, place=str(self.path))


def _absolute(path: Path) -> Path:
    try:
        return Path(os.path.abspath(path.expanduser()))  # noqa: PTH100 - links in it stay as the user named them
    except (RuntimeError, ValueError, OSError) as error:
        reason = f"this is no usable folder: {error}"
        raise ConfigFault("home.bad_path", reason, "limen --home DIR …", place="LIMEN_HOME") from error
