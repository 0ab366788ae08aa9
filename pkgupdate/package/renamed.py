"""Subpackages whose directory upstream renamed: the local one moves along, edits and all.

The merge sees the two older versions as if the directory had always had its new name; what it gives
is then turned into a move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.merge.sides import Sides
from pkgupdate.package.changes import FileChange, PackageMerge
from pkgupdate.package.sources import below
from pkgupdate.package.subpackages import kptfile_dirs, package_name
from pkgupdate.package.tree import FileEntry, FileState, Tree


def find_renamed(trees: Sides[Tree]) -> dict[str, str]:
    """The new directory of each subpackage that upstream renamed, by the old one.

    A package is the same one if its Kptfile has the same name, or if at least half of its files are
    the same. Where more than one fits, nothing is guessed.
    """
    dirs = trees.map(lambda tree: kptfile_dirs(tree.entries))
    if dirs.upstream.issuperset(dirs.original & dirs.local):
        return {}
    gone = _outermost((dirs.original & dirs.local) - _parents(trees.upstream))
    new = _outermost(dirs.upstream - _parents(trees.original) - _parents(trees.local))
    pairs = [(old, name) for old in gone for name in new if _is_same(trees, old, name)]
    olds, news = [old for old, _ in pairs], [name for _, name in pairs]
    return {o: n for o, n in pairs if olds.count(o) == 1 and news.count(n) == 1}


class RenamedTree:
    """A tree with some directories under other names."""

    def __init__(self, tree: Tree, renamed: Mapping[str, str]) -> None:
        """`renamed`: new names by the old ones."""
        self._tree = tree
        self._old = {new_path(path, renamed): path for path in tree.entries}
        self._entries = _RenamedEntries(tree.entries, self._old)

    @property
    def entries(self) -> Mapping[str, FileEntry]:
        """All files by their new paths."""
        return self._entries

    def read(self, path: str) -> bytes:
        """The content of a file, or the target of a link."""
        return self._tree.read(self._old[path])


def new_path(path: str, renamed: Mapping[str, str]) -> str:
    """Where a file of the older versions is after the renaming."""
    for old, new in renamed.items():
        if below(path, old):
            return new + path[len(old) :]
    return path


def as_moves(result: PackageMerge, local: Tree, renamed: Mapping[str, str]) -> PackageMerge:
    """The result of a merge of `RenamedTree`s, for the local tree as it is."""
    moved = {new_path(p, renamed): p for p in local.entries if new_path(p, renamed) != p}
    states: dict[str, FileState | None] = {
        new: FileState(local.entries[old].kind, local.read(old)) for new, old in moved.items()
    }
    removals = [FileChange(moved[new], state, None) for new, state in states.items()]
    others = [change for change in result.changes if change.path not in moved]
    states |= {change.path: change.after for change in result.changes if change.path in moved}
    arrivals = [FileChange(path, None, state) for path, state in states.items() if state]
    changes = sorted([*removals, *others, *arrivals], key=lambda c: (c.after is not None, c.path))
    notes = [
        Decision(Kind.APPLIED, Rule.MOVED, Subject.PACKAGE, file=old, new_path=new)
        for old, new in sorted(renamed.items())
    ]
    return replace(result, changes=changes, decisions=[*notes, *result.decisions])


class _RenamedEntries(Mapping[str, FileEntry]):
    def __init__(self, entries: Mapping[str, FileEntry], old: Mapping[str, str]) -> None:
        self._entries = entries
        self._old = old

    def __getitem__(self, path: str) -> FileEntry:
        return self._entries[self._old[path]]

    def __contains__(self, path: object) -> bool:
        return path in self._old

    def __iter__(self) -> Iterator[str]:
        return iter(self._old)

    def __len__(self) -> int:
        return len(self._old)


def _parents(tree: Tree) -> set[str]:
    """All directories that hold a file at any depth."""
    found: set[str] = set()
    for path in tree.entries:
        while "/" in path:
            path = path.rpartition("/")[0]
            found.add(path)
    return found


def _outermost(directories: set[str]) -> list[str]:
    found: list[str] = []
    for directory in sorted(directories):
        if not any(below(directory, outer) for outer in found):
            found.append(directory)
    return found


def _is_same(trees: Sides[Tree], old: str, new: str) -> bool:
    if package_name(old, trees.original) == package_name(new, trees.upstream):
        return True
    original, upstream = trees.original.entries, trees.upstream.entries
    files = [path for path in original if below(path, old)]
    same = [p for p in files if original[p] == upstream.get(new + p[len(old) :])]
    return 2 * len(same) >= len(files)
