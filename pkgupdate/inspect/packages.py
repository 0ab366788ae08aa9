"""Local packages as the read-only commands see them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pkgupdate.errors import Location, PackageError
from pkgupdate.package.kinds import KPTFILE
from pkgupdate.package.subpackages import package_dirs, without
from pkgupdate.package.tree import DiskTree, Tree
from pkgupdate.update.checks import check_package
from pkgupdate.update.kptfile import Kptfile, LockSection, read_kptfile


@dataclass(frozen=True, slots=True)
class LocalPackage:
    """A package on disk."""

    root: Path
    kptfile: Kptfile

    @property
    def name(self) -> str:
        """`metadata.name`, else the name of the folder."""
        return self.kptfile.name or self.root.resolve().name

    def require_lock(self) -> LockSection:
        """What was last fetched. Raises PackageError `upstream-missing`, `lock-missing`."""
        self.kptfile.require_upstream()
        if self.kptfile.lock is None:
            raise PackageError(
                "lock-missing",
                f"the Kptfile of {self.root} does not say what was last fetched",
                why="it has no section `upstreamLock`",
                hint=f"pkgupdate update {self.root} fetches the package and writes it",
            )
        return self.kptfile.lock


def open_package(root: Path) -> LocalPackage:
    """Read the Kptfile of the package at `root`.

    Raises PackageError `package-missing`, `kptfile-missing`, `kptfile-broken`, `unreadable`.
    """
    check_package(root)
    kptfile = root / KPTFILE
    with readable(root):
        content = kptfile.read_bytes()
    return LocalPackage(root, read_kptfile(content, str(kptfile)))


def find_packages(paths: Iterable[Path]) -> list[Path]:
    """The folders at and below `paths` that hold a Kptfile, each once, without following links.

    Raises PackageError `package-missing`, and `kptfile-missing` if a path has no package in it.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        inside = list(_packages_below(path)) if path.is_dir() else []
        if not inside:
            check_package(path)
        for root in inside:
            found.setdefault(root.resolve(), root)
    return sorted(found.values())


def own_files(root: Path) -> tuple[Tree, list[str]]:
    """The files of a package without those of subpackages that follow another upstream.

    Also gives the directories of these subpackages.
    """
    tree = DiskTree(root)
    independent = [path for path, is_independent in package_dirs(tree).items() if is_independent]
    return without(tree, independent), independent


@contextmanager
def readable(root: Path) -> Iterator[None]:
    """Turn what the system says about reading below `root` into PackageError `unreadable`."""
    try:
        yield
    except OSError as e:
        if e.filename is None:  # not about a file: a closed pipe, say
            raise
        raise PackageError(
            "unreadable",
            f"a file of {root} cannot be read",
            where=Location(ascii(str(e.filename))[1:-1]),
            why=e.strerror or str(e),
        ) from e


def _packages_below(path: Path) -> Iterator[Path]:
    for folder, directories, files in os.walk(path):
        directories[:] = sorted(name for name in directories if name != ".git")
        if KPTFILE in files:
            yield Path(folder)
