"""The three files or folders of a merge without Git, and where its result goes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from pkgupdate.cli.files import write_file
from pkgupdate.document.stream import decode
from pkgupdate.errors import ApplyError, Location, PackageError, UsageError
from pkgupdate.merge.sides import Sides
from pkgupdate.package.changes import FileChange, PackageMerge
from pkgupdate.package.tree import (
    EMPTY_TREE,
    DiskTree,
    FileKind,
    FileState,
    MemoryTree,
    Tree,
    state_in,
)

STDOUT = "-"
_PIPED = "stdin.yaml"
"""What a file is taken for, if all that is given are pipes and devices."""


class ThreeSides:
    """Three files of one name, or three folders; any may be absent.

    trees: the sides to merge. notes: what a reader of the report should know about them.

    Raises UsageError `mixed-sides` (files beside folders, or `-` with folders), `no-sides`,
    PackageError `unreadable`.
    """

    def __init__(
        self, original: Path | None, upstream: Path | None, local: Path | None, output: str | None
    ) -> None:
        self._output = output
        given = Sides(original, upstream, local)
        here = given.map(
            lambda path: path if path and path.exists() and not _is_null(path) else None
        )
        self.notes = [
            f"{path} is not there and was taken as empty"
            for path, found in zip(given, here, strict=True)
            if path and found is None and not _is_null(path)
        ]
        kinds = {path.is_dir() for path in here if path}
        if not kinds:
            raise UsageError(
                "no-sides",
                "none of the three versions is there",
                hint="give --original, --upstream and --local",
            )
        if len(kinds) > 1 or (kinds == {True} and output == STDOUT):
            raise UsageError(
                "mixed-sides",
                "cannot merge files with folders"
                if len(kinds) > 1
                else "a folder cannot go to stdout",
                hint="give three files or three folders, and an --output of that kind",
            )
        self.are_folders = kinds == {True}
        self._name = self._file_name(given)
        self.trees: Sides[Tree] = here.map(self._tree)

    def result_text(self, merged: PackageMerge) -> str:
        """The merged file as text. Raises UsageError `binary-to-stdout`."""
        state = self._result(merged)
        text = decode(state.content) if state else ""
        if text is None:
            raise UsageError(
                "binary-to-stdout", "a binary file cannot go to stdout", hint="use --output FILE"
            )
        return text

    def write(self, merged: PackageMerge) -> None:
        """Put the result where it goes; nothing for stdout, or for no output at all.

        Files of an output folder that the merge knows nothing of stay. Raises ApplyError.
        """
        if self._output is None or self._output == STDOUT:
            return
        target = Path(self._output)
        if not self.are_folders:
            write_file(target.resolve(), self._result(merged))
            return
        from pkgupdate.update.journal import apply_changes

        try:
            target.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            raise ApplyError(
                "write-failed",
                "cannot make the output folder",
                where=Location(str(target)),
                why=e.strerror or str(e),
            ) from e
        apply_changes(target, self._changes(DiskTree(target), merged))

    def _file_name(self, given: Sides[Path | None]) -> str:
        """The name that tells what kind of file it is."""
        output = Path(self._output) if self._output and self._output != STDOUT else None
        named = [path for path in (given.local, output, given.upstream, given.original) if path]
        files = [path for path in named if path.is_file() or not path.exists()]
        return files[0].name if files else _PIPED

    def _tree(self, path: Path | None) -> Tree:
        if path is None:
            return EMPTY_TREE
        if self.are_folders:
            return DiskTree(path)
        try:
            return MemoryTree({self._name: _file_state(path)})
        except OSError as e:
            raise PackageError(
                "unreadable",
                "cannot read the file",
                where=Location(str(path)),
                why=e.strerror or str(e),
            ) from e

    def _result(self, merged: PackageMerge) -> FileState | None:
        for change in merged.changes:
            if change.path == self._name:
                return change.after
        return state_in(self.trees.local, self._name)

    def _changes(self, target: Tree, merged: PackageMerge) -> Iterator[FileChange]:
        """What turns the output folder into the local one with the merge's changes."""
        wanted = {change.path: change.after for change in merged.changes}
        for path in [p for p in self.trees.local.entries if p not in wanted]:
            if target.entries.get(path) != self.trees.local.entries[path]:
                wanted[path] = state_in(self.trees.local, path)
        for path, after in wanted.items():
            before = state_in(target, path)
            if before != after:
                yield FileChange(path, before, after)


def _is_null(path: Path) -> bool:
    """Is it what Git and diff name for a file that is not there?"""
    return str(path) == os.devnull


def _file_state(path: Path) -> FileState:
    """The file, through links (the path was given by hand), or what comes out of a pipe."""
    mode = path.stat().st_mode
    kind = FileKind.EXEC if stat.S_ISREG(mode) and mode & 0o111 else FileKind.FILE
    return FileState(kind, path.read_bytes())
