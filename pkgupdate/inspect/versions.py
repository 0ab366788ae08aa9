"""The versions of a package that can be compared: as fetched, as it is upstream, as it is here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal, TypeAlias

from pkgupdate.document.document import Document
from pkgupdate.document.edits import DeleteEntry, Edit, FromData, SetValue
from pkgupdate.document.nodes import Mapping as MappingNode
from pkgupdate.document.stream import decode
from pkgupdate.errors import DocumentError
from pkgupdate.inspect.packages import LocalPackage, open_package, own_files, readable
from pkgupdate.package.kinds import KPTFILE
from pkgupdate.package.subpackages import without
from pkgupdate.package.tree import FileKind, FileState, MemoryTree, Tree
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.repositories import Repositories
from pkgupdate.update.trees import CommitTree
from pkgupdate.upstream.address import check_ref, normal_directory
from pkgupdate.upstream.resolve import Resolved

Side: TypeAlias = Literal["original", "upstream", "local"]

_FETCHED_SECTIONS = ("upstream", "upstreamLock")


class DiffType(StrEnum):
    """What is compared with what, in kpt's words."""

    LOCAL = "local"
    """The local package with what was fetched."""
    REMOTE = "remote"
    """Upstream at another ref with what was fetched."""
    COMBINED = "combined"
    """The local package with upstream at another ref."""
    THREE_WAY = "3way"
    """Both with what was fetched."""

    @property
    def pairs(self) -> tuple[tuple[Side, Side], ...]:
        """What is compared: (before, after)."""
        pairs: dict[DiffType, tuple[tuple[Side, Side], ...]] = {
            DiffType.LOCAL: (("original", "local"),),
            DiffType.REMOTE: (("original", "upstream"),),
            DiffType.COMBINED: (("upstream", "local"),),
            DiffType.THREE_WAY: (("original", "upstream"), ("original", "local")),
        }
        return pairs[self]


@dataclass(frozen=True, slots=True)
class Versions:
    """A package in the versions that a comparison needs; usable while its repositories are open.

    ref, commit: what was last fetched. target: the upstream version to compare with, if any.
    trees: by side. left_out: directories of subpackages that follow another upstream.
    """

    package: LocalPackage
    ref: str
    commit: str
    target: Resolved | None
    trees: dict[Side, Tree]
    left_out: list[str] = field(default_factory=list)

    def text_trees(self) -> dict[Side, Tree]:
        """The trees for comparing texts: the Kptfiles without what every fetch sets in them."""
        name = _package_name(self.trees["original"])
        return {side: _comparable(tree, name) for side, tree in self.trees.items()}


@contextmanager
def open_versions(
    root: Path, ref: str | None, kind: DiffType, options: UpdateOptions
) -> Iterator[Versions]:
    """The versions of the package at `root`; `ref` None is the one in its Kptfile.

    Raises PackageError (`kptfile-missing`, `upstream-missing`, `lock-missing`, `unreadable`, …) and
    UpstreamError.
    """
    package = open_package(root)
    follows, lock = package.kptfile.require_upstream(), package.require_lock()
    with Repositories(options) as repositories, readable(root):
        local, left_out = own_files(root)
        directory = normal_directory(lock.directory)
        locked = repositories.open(lock.repo)
        wanted = [lock.commit]
        trees: dict[Side, Tree] = {"original": CommitTree(locked, lock.commit, directory)}
        target = None
        if kind is not DiffType.LOCAL:
            upstream, place = repositories.open(follows.repo), normal_directory(follows.directory)
            name = check_ref(follows.ref if ref is None else ref)
            target = upstream.resolve(name, place, prereleases=options.prereleases)
            if (upstream, place) == (locked, directory):
                wanted.append(target.commit)
            else:
                upstream.ensure([target.commit], place)
            trees["upstream"] = CommitTree(upstream, target.commit, place)
        locked.ensure(wanted, directory)
        trees = {side: without(tree, left_out) for side, tree in trees.items()}
        yield Versions(package, lock.ref, lock.commit, target, {**trees, "local": local}, left_out)


def _comparable(tree: Tree, name: str) -> Tree:
    """The tree with its Kptfile as it would be had it never been fetched."""
    entry = tree.entries.get(KPTFILE)
    if entry is None or entry.kind is FileKind.LINK:
        return tree
    content = _without_fetched_sections(tree.read(KPTFILE), name)
    return _Overlay(tree, MemoryTree({KPTFILE: FileState(entry.kind, content)}))


class _Overlay:
    """A tree with some files of another one put over it."""

    def __init__(self, below: Tree, above: Tree) -> None:
        self._below = below
        self._above = above
        self.entries = {**below.entries, **above.entries}

    def read(self, path: str) -> bytes:
        """The content of a file, or the target of a link."""
        return (self._above if path in self._above.entries else self._below).read(path)


def _without_fetched_sections(content: bytes, name: str) -> bytes:
    """The Kptfile under that name, without `upstream` and `upstreamLock`, if it can be read."""
    from pkgupdate.document.splice import apply_edits

    try:
        document = Document(decode(content) or "")
        edits = list(_edits(document, name))
        return apply_edits(document, edits).encode() if edits else content
    except DocumentError:
        return content


def _edits(document: Document, name: str) -> Iterator[Edit]:
    root = document.root
    if not isinstance(root, MappingNode):
        return
    for key in _FETCHED_SECTIONS:
        if (index := root.index(key)) >= 0:
            yield DeleteEntry(root, index)
    metadata = root.get("metadata")
    if not name or not isinstance(metadata, MappingNode):
        return
    index = metadata.index("name")
    if index >= 0 and metadata.entries[index].value.data != name:
        yield SetValue(metadata, index, FromData(name))


def _package_name(tree: Tree) -> str:
    if KPTFILE not in tree.entries:
        return ""
    try:
        data = Document(decode(tree.read(KPTFILE)) or "").data
    except DocumentError:
        return ""
    metadata = data.get("metadata") if isinstance(data, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""
