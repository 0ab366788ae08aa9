"""Checking packages on disk, named by their folders or by files in them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from pkgupdate.errors import PackageError
from pkgupdate.integrations.git.checks import check_package, placed
from pkgupdate.integrations.git.findings import Finding
from pkgupdate.package.kinds import KPTFILE
from pkgupdate.package.sources import FilteredTree, below
from pkgupdate.package.tree import DiskTree


def check_paths(paths: Iterable[Path]) -> list[Finding]:
    """What is wrong with these packages.

    A folder stands for the package around it and for all packages inside it; a file for its
    package. Files outside of packages are nothing to check. Raises PackageError `path-missing`.
    """
    roots: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise PackageError("path-missing", f"there is no file or folder {path}")
        roots |= dict.fromkeys(_packages_of(path))
    return [finding for root in roots for finding in _check(root)]


def _packages_of(path: Path) -> Iterator[Path]:
    full = path.resolve()
    for folder in (full, *full.parents):
        if (folder / KPTFILE).is_file():
            yield folder
            break
    if full.is_dir():
        for found in sorted(full.rglob(KPTFILE)):
            if ".git" not in found.parts and found.is_file():
                yield found.parent


def _check(root: Path) -> list[Finding]:
    whole = DiskTree(root)
    inner = [p.rpartition("/")[0] for p in whole.entries if p.endswith("/" + KPTFILE)]
    tree = FilteredTree(whole, lambda path: not any(below(path, d) for d in inner))
    directory = Path(os.path.relpath(root)).as_posix()
    return placed(check_package(tree), "" if directory == "." else directory)
