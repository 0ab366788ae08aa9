"""The versions of a package that can be compared: as fetched, as it is upstream, as it is here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal, TypeAlias

from pkgupdate.inspect.packages import LocalPackage, open_package, own_files, readable
from pkgupdate.package.subpackages import without
from pkgupdate.package.tree import Tree
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.repositories import Repositories
from pkgupdate.update.trees import CommitTree
from pkgupdate.upstream.address import check_ref, normal_directory
from pkgupdate.upstream.resolve import Resolved

Side: TypeAlias = Literal["original", "upstream", "local"]


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
