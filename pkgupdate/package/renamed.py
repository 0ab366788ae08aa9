"""Subpackages whose directory upstream renamed: the local one moves along, edits and all.

The merge sees the two older versions as if the directory had always had its new name; what it gives
is then turned into a move.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.merge.sides import Sides
from pkgupdate.package.changes import FileChange, PackageMerge
from pkgupdate.package.sources import ancestors, files_of
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
    pairs = list(_same_packages(trees, gone, new))
    olds, news = Counter(old for old, _ in pairs), Counter(name for _, name in pairs)
    return {o: n for o, n in pairs if olds[o] == 1 and news[n] == 1}


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
    old = next((directory for directory in ancestors(path) if directory in renamed), "")
    return renamed[old] + path[len(old) :] if old else path


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
        found.update(ancestors(path))
    return found


def _outermost(directories: set[str]) -> list[str]:
    return sorted(d for d in directories if directories.isdisjoint(ancestors(d)))


def _same_packages(
    trees: Sides[Tree], gone: list[str], new: list[str]
) -> Iterator[tuple[str, str]]:
    """Which of the directories that are `gone` could have become which `new` one."""
    named, holding = defaultdict(set), defaultdict(set)
    for directory, files in _contents(trees.upstream, new).items():
        named[package_name(directory, trees.upstream)].add(directory)
        for file in files:
            holding[file].add(directory)
    for old, files in _contents(trees.original, gone).items():
        common = Counter(directory for file in files for directory in holding.get(file, ()))
        same = {directory for directory, count in common.items() if 2 * count >= len(files)}
        for directory in sorted(same | named.get(package_name(old, trees.original), set())):
            yield old, directory


def _contents(tree: Tree, directories: list[str]) -> dict[str, list[tuple[str, FileEntry]]]:
    """The files of each directory, by their paths in it; none of these is in another."""
    return {
        directory: [(path[len(directory) :], tree.entries[path]) for path in paths]
        for directory, paths in files_of(directories, tree.entries).items()
    }
