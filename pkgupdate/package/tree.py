"""Trees of files, as a merge sees them: entries by path, told apart by Git blob ids.

Paths are relative, with `/` between the parts. Names that are no UTF-8 keep their bytes by
`surrogateescape`. Nothing here follows a link: a link is an entry whose content is its target.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol


class FileKind(StrEnum):
    """What an entry of a tree is."""

    FILE = "file"
    EXEC = "exec"
    LINK = "link"
    SUBMODULE = "submodule"

    def permissions(self, mode: int) -> int:
        """The bits of `mode`, with execute for those who may read (EXEC) or for nobody."""
        return mode | (mode & 0o444) >> 2 if self is FileKind.EXEC else mode & ~0o111


class FileEntry(NamedTuple):
    """One file. `oid`: its Git blob id (link: of its target; submodule: a commit)."""

    kind: FileKind
    oid: str


class FileState(NamedTuple):
    """A file with its content (of a link: the target)."""

    kind: FileKind
    content: bytes


class Tree(Protocol):
    """The files of one version of a package."""

    @property
    def entries(self) -> Mapping[str, FileEntry]:
        """All files by path. Looking one up may have to hash it; membership does not."""

    def read(self, path: str) -> bytes:
        """The content of a file, or the target of a link."""


def state_in(tree: Tree, path: str) -> FileState | None:
    """A file of the tree with its content, None if there is none."""
    entry = tree.entries.get(path)
    return FileState(entry.kind, tree.read(path)) if entry else None


def blob_id(content: bytes) -> str:
    """The id that Git gives a blob of this content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class MemoryTree:
    """A tree that is all in memory."""

    def __init__(self, files: Mapping[str, FileState | bytes]) -> None:
        """`files` by path; bytes alone stand for an ordinary file."""
        self._files = {
            path: FileState(FileKind.FILE, file) if isinstance(file, bytes) else file
            for path, file in files.items()
        }
        self._entries = {
            path: FileEntry(file.kind, blob_id(file.content)) for path, file in self._files.items()
        }

    @property
    def entries(self) -> Mapping[str, FileEntry]:
        """All files by path."""
        return self._entries

    def read(self, path: str) -> bytes:
        """The content of a file, or the target of a link."""
        return self._files[path].content


EMPTY_TREE = MemoryTree({})


class DiskTree:
    """The files below a directory, without anything named `.git`.

    Only ordinary files and links are seen (no sockets, pipes or devices). The directory is walked
    when the entries are first asked for; a file is hashed when its entry is looked up.
    """

    def __init__(
        self,
        root: Path,
        *,
        paths: Iterable[str] | None = None,
        oids: Mapping[str, str] | None = None,
    ) -> None:
        """Name the tree.

        paths: if given, only these files are looked at, and the directory is not walked.
        oids: blob ids that the caller already knows to be right (from Git's index, say).
        """
        self._root = root
        self._paths = paths
        self._oids = oids or {}
        self._entries: _DiskEntries | None = None

    @property
    def entries(self) -> Mapping[str, FileEntry]:
        """All files by path."""
        if self._entries is None:
            root = os.fspath(self._root)
            found = _walk(root, "") if self._paths is None else _look_at(root, self._paths)
            self._entries = _DiskEntries(self, dict(found), self._oids)
        return self._entries

    def read(self, path: str) -> bytes:
        """The content of a file, or the target of a link. Raises OSError."""
        full = self.full_path(path)
        if stat.S_ISLNK(os.lstat(full).st_mode):
            return os.fsencode(os.readlink(full))  # noqa: PTH115
        with os.fdopen(os.open(full, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            return file.read()

    def full_path(self, path: str) -> str:
        """Where the file is on disk."""
        return os.path.join(os.fspath(self._root), path)  # noqa: PTH118

    def hash(self, path: str) -> str:
        """The blob id of the file, read in pieces. Raises OSError."""
        full = self.full_path(path)
        if stat.S_ISLNK(os.lstat(full).st_mode):
            return blob_id(os.fsencode(os.readlink(full)))  # noqa: PTH115
        with os.fdopen(os.open(full, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
            while piece := file.read(1 << 20):
                digest.update(piece)
        return digest.hexdigest()


class _DiskEntries(Mapping[str, FileEntry]):
    """Entries whose blob ids are found out one by one."""

    def __init__(self, tree: DiskTree, kinds: dict[str, FileKind], oids: Mapping[str, str]) -> None:
        self._tree = tree
        self._kinds = kinds
        self._oids = oids
        self._known: dict[str, FileEntry] = {}

    def __getitem__(self, path: str) -> FileEntry:
        entry = self._known.get(path)
        if entry is None:
            kind = self._kinds[path]
            entry = FileEntry(kind, self._oids.get(path) or self._tree.hash(path))
            self._known[path] = entry
        return entry

    def __contains__(self, path: object) -> bool:
        return path in self._kinds

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)


def _walk(root: str, directory: str) -> Iterator[tuple[str, FileKind]]:
    pending = [directory]
    while pending:
        prefix = pending.pop()
        with os.scandir(os.path.join(root, prefix)) as items:  # noqa: PTH118
            for item in sorted(items, key=lambda item: item.name):
                path = f"{prefix}/{item.name}" if prefix else item.name
                if item.name == ".git":
                    continue
                if item.is_dir(follow_symlinks=False):
                    pending.append(path)
                elif kind := _kind(item.stat(follow_symlinks=False).st_mode):
                    yield path, kind


def _look_at(root: str, paths: Iterable[str]) -> Iterator[tuple[str, FileKind]]:
    """The kinds of those of the paths that are files, reached through real directories only."""
    real: dict[str, bool] = {"": True}

    def is_real(directory: str) -> bool:
        if directory not in real:
            parent, _, name = directory.rpartition("/")
            real[directory] = (
                name != ".git"
                and is_real(parent)
                and stat.S_ISDIR(_mode(os.path.join(root, directory)))  # noqa: PTH118
            )
        return real[directory]

    for path in sorted(set(paths)):
        parent, _, name = path.rpartition("/")
        if name != ".git" and is_real(parent):
            kind = _kind(_mode(os.path.join(root, path)))  # noqa: PTH118
            if kind:
                yield path, kind


def _mode(full: str) -> int:
    try:
        return os.lstat(full).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _kind(mode: int) -> FileKind | None:
    if stat.S_ISLNK(mode):
        return FileKind.LINK
    if stat.S_ISREG(mode):
        return FileKind.EXEC if mode & stat.S_IXUSR else FileKind.FILE
    return None
