"""The bytes of a settings file as text: always UTF-8, whatever the locale says."""

import codecs
import os
from pathlib import Path

from limen.config.parsed import LIMIT_BYTES
from limen.core.fault import ConfigFault
from limen.kit.atomic import TooLarge, UnsafePath, read_private


def read_text(path: Path) -> str | None:
    """The file's text, None when there is none. Raises ConfigFault `config.unreadable` with the reason and a mend.

    Where the folder is the trouble, the fault is that of the home.
    """
    try:
        data = read_private(path, limit_bytes=LIMIT_BYTES, follow=True)
    except FileNotFoundError as error:
        if path.is_symlink():
            raise _unreadable(path, "is a link to nothing", f"rm '{path}'") from error
        return None
    except NotADirectoryError as error:
        raise _no_home(path.parent, "home.not_a_folder", "a file stands where the home should be") from error
    except PermissionError as error:
        if not os.access(path.parent, os.X_OK):
            raise _no_home(path.parent, "home.unusable", "the home cannot be used: Permission denied") from error
        raise _unreadable(path, "may not be read by you", f"chmod u+r '{path}'") from error
    except TooLarge as error:
        mend = "move long lists into `security.website_blocklist.shared_files`"
        raise _unreadable(path, f"is larger than {LIMIT_BYTES:,} bytes", mend) from error
    except (UnsafePath, IsADirectoryError) as error:
        raise _unreadable(path, "is no ordinary file", f"move '{path}' away") from error
    except OSError as error:
        raise _unreadable(path, f"cannot be read: {error.strerror}", "limen --home DIR …") from error
    return _decode(path, data)


def _decode(path: Path, data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise _unreadable(path, "is UTF-16", "save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        place = f"{path}:{line}"
        reason = f"{path}, line {line}, column {column}: this is not UTF-8"
        raise ConfigFault("config.unreadable", reason, "save the file as UTF-8", place=place) from error


def _no_home(folder: Path, code: str, reason: str) -> ConfigFault:
    return ConfigFault(code, f"{reason}: {folder}", "limen --home DIR …", place=str(folder))


def _unreadable(path: Path, what: str, mend: str = "") -> ConfigFault:
    return ConfigFault("config.unreadable", f"{path} {what}", mend, place=str(path))
