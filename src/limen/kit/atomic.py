"""Private files that are whole or not there: written beside their place, flushed, then renamed into it.

Folders are walked by descriptor, so that a link planted between a check and its use leads nowhere.
"""

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE_MODE = 0o600
FOLDER_MODE = 0o700
_TEMPORARY = ".limen-tmp-"
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_LINK_ERRORS = (errno.ELOOP, errno.EMLINK)


class UnsafePath(OSError):
    """A path that leads through a symbolic link, or to something that is no ordinary file."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(errno.ELOOP, why, str(path))
        self.why = why


class TooLarge(OSError):
    """A file holds more bytes than its reader accepts."""

    def __init__(self, path: Path, limit_bytes: int) -> None:
        super().__init__(errno.EFBIG, f"larger than {limit_bytes} bytes", str(path))
        self.limit_bytes = limit_bytes


def write_private(path: Path, content: bytes | str, *, root: Path | None = None, durable: bool = True) -> None:
    """Put `content` (text as UTF-8) at `path` with mode 0600, wholly or not at all; durable when this returns.

    What can be had again need not be `durable`: after a loss of power such a file may be empty. Missing folders are made with
    mode 0700. No folder below `root` may be a symbolic link; without a root, only the file itself is checked. Raises UnsafePath
    for a link or a special file in the way, OSError when the disk or a right fails; then what stood there before still stands.
    """
    data = content.encode() if isinstance(content, str) else content
    with _folder(path.parent, root) as folder:
        _refuse_special(path, folder)
        _replace(path, folder, data, durable)


def make_private_dir(path: Path, *, root: Path | None = None) -> None:
    """Make a folder and its missing parents with mode 0700; links below `root` raise UnsafePath."""
    with _folder(path, root):
        pass


def read_private(path: Path, *, limit_bytes: int, follow: bool = False) -> bytes:
    """The bytes of an ordinary file; a final symbolic link raises UnsafePath unless `follow`. Raises TooLarge, OSError.

    Never blocks on a pipe and never reads past `limit_bytes`, however the file grows meanwhile.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if error.errno in _LINK_ERRORS and path.is_symlink():
            raise UnsafePath(path, "is a symbolic link") from error
        raise
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise UnsafePath(path, "is not an ordinary file")
        data = file.read(limit_bytes + 1)
    if len(data) > limit_bytes:
        raise TooLarge(path, limit_bytes)
    return data


def sweep_temporaries(folder: Path, *, older_than_s: float = 3_600.0) -> int:
    """Remove what killed writers left in `folder`, if it is old enough to belong to none that lives; how many went."""
    oldest = time.time() - older_than_s
    gone = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_TEMPORARY) and entry.stat(follow_symlinks=False).st_mtime < oldest:
                Path(entry.path).unlink(missing_ok=True)
                gone += 1
    return gone


@contextmanager
def _folder(path: Path, root: Path | None) -> Iterator[int]:
    """A descriptor of `path`, made where it is missing; below `root` no link is followed."""
    inner: tuple[str, ...] = ()
    if root is None:
        root = path
    else:
        try:
            inner = path.relative_to(root).parts
        except ValueError as error:
            raise UnsafePath(path, f"does not lie in {root}") from error
        if ".." in inner:
            raise UnsafePath(path, f"climbs out of {root}")
    descriptor = _open_or_make(root)
    try:
        for part in inner:
            descriptor = _descend(descriptor, part, path)
        yield descriptor
    finally:
        os.close(descriptor)


def _open_or_make(root: Path) -> int:
    """Open a folder whose own path may hold links, making what is missing of it, each new part private."""
    missing: list[Path] = []
    while True:
        try:
            descriptor = os.open(root, _FOLDER_FLAGS)
        except FileNotFoundError:
            if root.is_symlink() or root.parent == root:
                raise
            missing.append(root)
            root = root.parent
        else:
            break
    try:
        for folder in reversed(missing):
            descriptor = _descend(descriptor, folder.name, folder)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _descend(parent: int, name: str, whole: Path) -> int:
    """The descriptor of the folder `name` inside `parent`, made if need be. Closes `parent` when it succeeds."""
    try:
        made = _make(parent, name)
        descriptor = os.open(name, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=parent)
    except OSError as error:
        if error.errno in (*_LINK_ERRORS, errno.ENOTDIR) and _is_link(parent, name):
            raise UnsafePath(whole, f"leads through the symbolic link {name!r}") from error
        raise OSError(error.errno, error.strerror or str(error), str(whole)) from error
    if made:
        os.fsync(parent)
    os.close(parent)
    return descriptor


def _make(parent: int, name: str) -> bool:
    try:
        os.mkdir(name, FOLDER_MODE, dir_fd=parent)
    except FileExistsError:
        return False
    return True


def _is_link(parent: int, name: str) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _refuse_special(path: Path, folder: int) -> None:
    try:
        mode = os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(mode):
        raise UnsafePath(path, "is a symbolic link")
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise UnsafePath(path, "is not an ordinary file")


def _replace(path: Path, folder: int, data: bytes, durable: bool) -> None:
    temporary = f"{_TEMPORARY}{os.getpid()}-{os.urandom(6).hex()}"
    try:
        _write_new(temporary, folder, data, durable)
        os.rename(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException as error:
        _forget(temporary, folder)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error
        raise
    if durable:
        os.fsync(folder)


def _write_new(name: str, folder: int, data: bytes, durable: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(name, flags, FILE_MODE, dir_fd=folder)
    try:
        # A strange umask must neither widen nor narrow the mode.
        os.fchmod(descriptor, FILE_MODE)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _forget(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
