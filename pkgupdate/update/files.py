"""The calls that change the file system during an update, one thin function each.

Everything an update writes, in the package and in its journal, goes through these functions, so
that one short page shows what can happen to a disk. Names are relative to an open directory
(`dir_fd`) and the last component is never followed if it is a link.
"""

from __future__ import annotations

import os


def create(name: str, dir_fd: int, mode: int) -> int:
    """A new file, open for writing; fails if the name exists. Returns the descriptor."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    return os.open(name, flags, mode, dir_fd=dir_fd)


def write(fd: int, data: bytes) -> None:
    """Write all of `data`."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def fsync(fd: int) -> None:
    """Bring a file, or the names in a directory, safely to the disk."""
    os.fsync(fd)


def rename(old: str, new: str, dir_fd: int) -> None:
    """Give an entry of a directory another name in it, replacing what had that name."""
    os.rename(old, new, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)


def unlink(name: str, dir_fd: int) -> None:
    """Remove a file or link."""
    os.unlink(name, dir_fd=dir_fd)


def symlink(target: bytes, name: str, dir_fd: int) -> None:
    """A new symbolic link."""
    os.symlink(target, os.fsencode(name), dir_fd=dir_fd)


def mkdir(name: str, dir_fd: int, mode: int) -> None:
    """A new directory."""
    os.mkdir(name, mode, dir_fd=dir_fd)


def rmdir(name: str, dir_fd: int) -> None:
    """Remove an empty directory."""
    os.rmdir(name, dir_fd=dir_fd)


def chmod(fd: int, mode: int) -> None:
    """Set the permission bits of an open file or directory."""
    os.fchmod(fd, mode)


def chown(fd: int, uid: int, gid: int) -> None:
    """Set the owner of an open file."""
    os.fchown(fd, uid, gid)
