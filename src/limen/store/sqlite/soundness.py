"""What is looked at before a database is opened: that its files are ours, private, and not emptied."""

import stat
from pathlib import Path

from limen.core.fault import StoreFault
from limen.kit.atomic import FILE_MODE, make_private_dir
from limen.kit.log import failed_open
from limen.store.sqlite.faults import put_back

_WIDER = stat.S_IRWXG | stat.S_IRWXO


def prepare(path: Path) -> None:
    """Make an empty private file where there is no database, and see to the files of one that is there.

    Raises StoreFault `store.link`, `store.not_a_file`, `store.emptied`, or OSError.
    """
    make_private_dir(path.parent)
    log = path.with_name(f"{path.name}-wal")
    for file in (path, log, path.with_name(f"{path.name}-shm"), *path.parent.glob(f"{path.name}.v*.bak")):
        _secure(file)
    if path.exists():
        _refuse_emptied(path, log)
    elif _size(log) > 0:
        raise StoreFault("store.emptied", f"{path} is gone, but its log {log.name} is there.", put_back(path, ()))
    if not path.exists():
        # Exclusive: opening a database that another handle of this process has open, and closing it, would drop that one's locks.
        try:
            path.touch(FILE_MODE, exist_ok=False)
        except FileExistsError:
            return


def _secure(path: Path) -> None:
    """Refuse what is no ordinary file, and narrow what others could read. By name, never by descriptor: see `prepare`."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(mode):
        raise StoreFault("store.link", f"{path} is a symbolic link.", "Put the file itself there.")
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "no ordinary file"
        raise StoreFault("store.not_a_file", f"{path} is {what}, and the database belongs there.", f"mv '{path}' elsewhere")
    if mode & _WIDER:
        try:
            path.chmod(FILE_MODE)
        except OSError as error:  # another's file, or a volume without modes; whether it can be used shows later
            failed_open("store.mode", error)


def _refuse_emptied(path: Path, log: Path) -> None:
    """A database that was just made is empty too, but then nothing else of one is there."""
    if _size(path) > 0:
        return
    copies = sorted(path.parent.glob(f"{path.name}.v*.bak"), key=lambda copy: copy.stat().st_mtime)
    signs = [*([log] if _size(log) else []), *copies, *path.parent.glob(f"{path.name}.reserve")]
    if signs and _size(path) == 0:  # looked at again: another process may have been making it
        reason = f"{path} is empty, but {signs[0].name} beside it says that it was in use."
        raise StoreFault("store.emptied", reason, put_back(path, copies))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
