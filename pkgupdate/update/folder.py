"""The files of one package on disk, reached without ever following a link.

Every path is walked component by component from the package's root with directory descriptors, so
a link planted in a parent (before or during the run) leads to an error, never out of the package.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from pkgupdate.package.tree import FileKind
from pkgupdate.update import files

_OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NEW_FILE = 0o666
_NEW_DIRECTORY = 0o777
_NEW_PROGRAM = 0o777
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_FEW = 8
"""Up to so many staged files are synced one after the other."""
_SYNCED_AT_ONCE = 16
_NOT_PRUNED = (*_NOT_THERE, errno.ENOTEMPTY, errno.EEXIST)


class Found(NamedTuple):
    """A file or link as it lies on disk, or is to lie there.

    kind: None stands for what is neither file nor link (a socket, say).
    mode: permission bits; None leaves them to the umask (a new file).
    owner: user and group id; None leaves them to the system.
    """

    kind: FileKind | None
    content: bytes
    mode: int | None = None
    owner: tuple[int, int] | None = None

    def same_as(self, other: Found | None) -> bool:
        """Are kind and content the same?"""
        return other is not None and (self.kind, self.content) == (other.kind, other.content)


def mode_for(kind: FileKind, replaced: Found | None) -> int | None:
    """The permission bits of a file that takes the place of another one: that one's, fitted to the
    kind where that changes. None: nothing is asked for."""
    if replaced is None or replaced.mode is None or FileKind.LINK in (kind, replaced.kind):
        return None
    return replaced.mode if kind is replaced.kind else kind.permissions(replaced.mode)


@contextmanager
def open_directory(directory: Path) -> Iterator[int]:
    """The descriptor of a directory, for as long as the context lasts. Raises OSError."""
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield fd
    finally:
        os.close(fd)


class Folder:
    """A package directory held open; a context manager.

    Paths are relative with ``/``. Methods raise OSError as the system does; a link or a file where
    a directory is needed counts as "not there" for reading and is an OSError for writing.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        self._touched: set[str] = set()
        self._unsynced: dict[str, None] = {}

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        os.close(self._fd)

    def find(self, path: str) -> Found | None:
        """What lies at `path`; None for nothing, and for a directory."""
        directory, name = os.path.split(path)
        try:
            with self._directory(directory) as fd:
                return _read(name, fd)
        except OSError as e:
            if e.errno in _NOT_THERE:
                return None
            raise

    def directory_mode(self, path: str) -> int | None:
        """The permission bits of the directory at `path`; None if it is not there."""
        try:
            with self._directory(path) as fd:
                return stat.S_IMODE(os.fstat(fd).st_mode)
        except OSError as e:
            if e.errno in _NOT_THERE:
                return None
            raise

    def stage(self, path: str, new: Found, temporary: str) -> None:
        """Write `new` beside `path` under the name `temporary`; make missing directories.

        It is safely on the disk when the next file is committed.
        """
        directory = os.path.dirname(path)  # noqa: PTH120
        with self._directory(directory, make=True) as fd:
            self._touched.add(directory)
            _write(temporary, fd, new)
        if new.kind is not FileKind.LINK:
            self._unsynced[os.path.join(directory, temporary)] = None  # noqa: PTH118

    def commit(self, path: str, temporary: str, *, expected: Found | None) -> None:
        """Rename the staged file over `path`, where `expected` has to lie, else ChangedError."""
        self._sync_staged()
        directory, name = os.path.split(path)
        with self._directory(directory) as fd:
            self._touched.add(directory)
            _check(path, _read(name, fd), expected)
            files.rename(temporary, name, fd)

    def put(self, path: str, new: Found, *, expected: Found | None, temporary: str) -> None:
        """Stage and commit in one; leaves no temporary file behind when it fails."""
        try:
            self.stage(path, new, temporary)
            self.commit(path, temporary, expected=expected)
        except BaseException:
            with suppress(OSError):
                self.discard(os.path.join(os.path.dirname(path), temporary))  # noqa: PTH118, PTH120
            raise

    def remove(self, path: str, *, expected: Found | None) -> None:
        """Delete the file or link at `path`, which has to be `expected`, else ChangedError."""
        directory, name = os.path.split(path)
        with self._directory(directory) as fd:
            self._touched.add(directory)
            _check(path, _read(name, fd), expected)
            files.unlink(name, fd)

    def discard(self, path: str) -> None:
        """Delete a temporary file if it is there."""
        self._unsynced.pop(path, None)
        directory, name = os.path.split(path)
        with suppress(FileNotFoundError, NotADirectoryError), self._directory(directory) as fd:
            files.unlink(name, fd)

    def make_directory(self, path: str, mode: int) -> None:
        """Make the directory `path` (its parent exists) with these permission bits."""
        parent, name = os.path.split(path)
        with self._directory(parent) as fd:
            self._touched.add(parent)
            files.mkdir(name, fd, mode)
        with self._directory(path) as fd:
            files.chmod(fd, mode)

    def prune(self, path: str) -> None:
        """Remove the directory `path` if it is there and empty."""
        parent, name = os.path.split(path)
        try:
            with self._directory(parent) as fd:
                files.rmdir(name, fd)
        except OSError as e:
            if e.errno not in _NOT_PRUNED:
                raise
        else:
            self._touched.add(parent)

    def flush(self) -> None:
        """Bring the names in all directories touched so far safely to the disk."""
        for directory in sorted(self._touched):
            with suppress(FileNotFoundError, NotADirectoryError), self._directory(directory) as fd:
                files.fsync(fd)
        self._touched.clear()

    def _sync_staged(self) -> None:
        """Bring the content of all staged files safely to the disk.

        Many at a time: a file system brings all that waits for it to the disk in one go.
        """
        staged = list(self._unsynced)
        self._unsynced.clear()
        if len(staged) <= _FEW:
            for path in staged:
                self._sync(path)
            return
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(_SYNCED_AT_ONCE) as pool:
            for _ in pool.map(self._sync, staged):
                pass  # raises what a thread raised

    def _sync(self, path: str) -> None:
        directory, name = os.path.split(path)
        with self._directory(directory) as fd:
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=fd)
            try:
                files.fsync(file)
            finally:
                os.close(file)

    @contextmanager
    def _directory(self, path: str, make: bool = False) -> Iterator[int]:
        """The directory at `path`, open; no component may be a link."""
        fd = os.dup(self._fd)
        parent = ""
        try:
            for part in path.split("/") if path else ():
                try:
                    below = os.open(part, _OPEN_DIRECTORY, dir_fd=fd)
                except FileNotFoundError:
                    if not make:
                        raise
                    files.mkdir(part, fd, _NEW_DIRECTORY)
                    self._touched.add(parent)
                    below = os.open(part, _OPEN_DIRECTORY, dir_fd=fd)
                os.close(fd)
                fd = below
                parent = f"{parent}/{part}" if parent else part
            yield fd
        finally:
            os.close(fd)


class ChangedError(Exception):
    """What lies at a path is not what the plan was made from; the argument is the path."""


def _check(path: str, found: Found | None, expected: Found | None) -> None:
    if found is None and expected is None:
        return
    if found is None or not found.same_as(expected):
        raise ChangedError(path)


def _read(name: str, dir_fd: int) -> Found | None:
    """The file or link `name` in an open directory; None for nothing, and for a directory."""
    try:
        status = os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return None
    mode, owner = stat.S_IMODE(status.st_mode), (status.st_uid, status.st_gid)
    if stat.S_ISLNK(status.st_mode):
        target = os.fsencode(os.readlink(name, dir_fd=dir_fd))
        return Found(FileKind.LINK, target, None, owner)
    if not stat.S_ISREG(status.st_mode):
        return Found(None, b"", mode, owner)
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=dir_fd)
    with os.fdopen(fd, "rb") as file:
        kind = FileKind.EXEC if mode & stat.S_IXUSR else FileKind.FILE
        return Found(kind, file.read(), mode, owner)


def _write(name: str, dir_fd: int, new: Found) -> None:
    """Make the new file or link `name` in an open directory."""
    if new.kind is FileKind.LINK:
        files.symlink(new.content, name, dir_fd)
        return
    usual = _NEW_PROGRAM if new.kind is FileKind.EXEC else _NEW_FILE
    fd = files.create(name, dir_fd, usual if new.mode is None else new.mode)
    try:
        files.write(fd, new.content)
        if new.owner is not None and new.owner != _owner(fd):
            with suppress(PermissionError):  # only the superuser can give files away
                files.chown(fd, *new.owner)
        if new.mode is not None:
            files.chmod(fd, new.mode)
    finally:
        os.close(fd)


def _owner(fd: int) -> tuple[int, int]:
    status = os.fstat(fd)
    return status.st_uid, status.st_gid
