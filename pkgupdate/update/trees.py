"""The trees of an update: those of upstream commits, and the local package as planned so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from pkgupdate.package.changes import FileChange
from pkgupdate.package.kinds import KPTFILE
from pkgupdate.package.tree import FileEntry, FileKind, FileState, Tree, blob_id
from pkgupdate.package.upstream_paths import check_upstream_paths

if TYPE_CHECKING:
    from pkgupdate.upstream.repository import Upstream


_READ_AHEAD = 60


def expect_changes(one: CommitTree, other: CommitTree) -> None:
    """Tell two versions of a package that the files in which they differ will be read."""
    paths = one.entries.keys() | other.entries.keys()
    changed = sorted(path for path in paths if one.entries.get(path) != other.entries.get(path))
    one.expect(changed)
    other.expect(changed)


class CommitTree:
    """A directory of an upstream commit, which has to be in the cache."""

    def __init__(self, upstream: Upstream, commit: str, directory: str) -> None:
        self._upstream = upstream
        self._commit = commit
        self._directory = directory
        self._expected: list[str] = []
        self._places: dict[str, int] = {}
        self._ahead: dict[str, bytes] = {}

    @cached_property
    def entries(self) -> Mapping[str, FileEntry]:
        """All files by path.

        Raises PackageError `unsafe-path` and what `Upstream.tree` raises.
        """
        found = self._upstream.tree(self._commit, self._directory)
        check_upstream_paths(found)
        return {path: FileEntry(FileKind(entry.kind), entry.oid) for path, entry in found.items()}

    def read(self, path: str) -> bytes:
        """The content of a file, or the target of a link."""
        if path not in self._ahead:
            place = self._places.get(path)
            batch = [path] if place is None else self._expected[place : place + _READ_AHEAD]
            blobs = self._upstream.read(self.entries[each].oid for each in batch)
            self._ahead.update((each, blob) for each, (_, blob) in zip(batch, blobs, strict=True))
        return self._ahead.pop(path)

    def expect(self, paths: Iterable[str]) -> None:
        """Say which files will be read, in about which order, so that Git is asked for many."""
        self._expected = [path for path in paths if self._has_content(path)]
        self._places = {path: place for place, path in enumerate(self._expected)}

    def _has_content(self, path: str) -> bool:
        entry = self.entries.get(path)
        return entry is not None and entry.kind is not FileKind.SUBMODULE


class Workspace:
    """The local package in memory: its files, and on top of them what is planned so far.

    A file is read from the package at most once, so that every step, and the plan's `before`, sees
    the same content.
    """

    def __init__(self, base: Tree) -> None:
        self._base = base
        self._planned: dict[str, FileState | None] = {}
        self._contents: dict[str, bytes] = {}

    def __contains__(self, path: str) -> bool:
        if path in self._planned:
            return self._planned[path] is not None
        return path in self._base.entries

    def __iter__(self) -> Iterator[str]:
        """All paths."""
        yield from (path for path in self._base.entries if path not in self._planned)
        yield from (path for path, state in self._planned.items() if state is not None)

    def on_disk(self, path: str) -> bytes | None:
        """The content of the file in the package as it is on disk; None if it is not there."""
        return self._read_base(path) if path in self._base.entries else None

    def entry(self, path: str) -> FileEntry:
        """The entry of a file that is there."""
        state = self._planned.get(path)
        if state is None:
            return self._base.entries[path]
        return FileEntry(state.kind, blob_id(state.content))

    def read(self, path: str) -> bytes:
        """The content of a file that is there, or the target of a link."""
        state = self._planned.get(path)
        return self._read_base(path) if state is None else state.content

    def plan(self, path: str, state: FileState | None) -> None:
        """Let the file have this content from now on; None deletes it."""
        self._planned[path] = state

    def rewrite(self, path: str, content: bytes) -> None:
        """Give a file that is there another content."""
        self.plan(path, FileState(self.entry(path).kind, content))

    def tree(self, directory: str) -> Tree:
        """The files in a directory (empty: all), as they are planned at this moment."""
        return _Below(self, f"{directory}/" if directory else "")

    def changes(self) -> list[FileChange]:
        """What differs from the package on disk: deletions, then files, the Kptfiles last."""
        found = []
        for path, after in self._planned.items():
            before = None
            if path in self._base.entries:
                before = FileState(self._base.entries[path].kind, self._read_base(path))
            if before != after:
                found.append(FileChange(path, before, after))
        return sorted(found, key=_order)

    def _read_base(self, path: str) -> bytes:
        if path not in self._contents:
            self._contents[path] = self._base.read(path)
        return self._contents[path]


class _Below:
    """The files of a workspace below a prefix; a tree."""

    def __init__(self, workspace: Workspace, prefix: str) -> None:
        self._workspace = workspace
        self._prefix = prefix
        self._entries = _Entries(workspace, prefix)

    @property
    def entries(self) -> Mapping[str, FileEntry]:
        """All files by path."""
        return self._entries

    def read(self, path: str) -> bytes:
        """The content of a file, or the target of a link."""
        return self._workspace.read(self._prefix + path)


class _Entries(Mapping[str, FileEntry]):
    """Leaves looking up (which may hash) to the workspace."""

    def __init__(self, workspace: Workspace, prefix: str) -> None:
        self._workspace = workspace
        self._prefix = prefix
        self._paths = {p[len(prefix) :]: None for p in workspace if p.startswith(prefix)}

    def __getitem__(self, path: str) -> FileEntry:
        if path not in self._paths:
            raise KeyError(path)
        return self._workspace.entry(self._prefix + path)

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def path_in(directory: str, path: str) -> str:
    """The path, in a directory of the root package (empty: the root itself)."""
    return f"{directory}/{path}" if directory else path


def _order(change: FileChange) -> tuple[int, int, str]:
    if change.after is None:
        return 0, 0, change.path
    if change.path.rpartition("/")[2] == KPTFILE:
        return 2, -change.path.count("/"), change.path
    return 1, 0, change.path
