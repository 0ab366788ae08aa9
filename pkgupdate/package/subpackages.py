"""Finding the packages inside a package."""

from __future__ import annotations

from collections.abc import Iterable

from pkgupdate.document.document import Document
from pkgupdate.document.stream import decode
from pkgupdate.document.values import Value
from pkgupdate.errors import DocumentError
from pkgupdate.package.kinds import KPTFILE
from pkgupdate.package.sources import FilteredTree, Source, ancestors
from pkgupdate.package.tree import FileKind, Tree


def package_dirs(tree: Tree) -> dict[str, bool]:
    """The directories of all subpackages (not the root), and whether each is independent.

    Independent: its own Kptfile says what it follows (`upstream`).
    """
    found = {}
    for directory in sorted(kptfile_dirs(tree.entries)):
        path = f"{directory}/{KPTFILE}"
        is_file = tree.entries[path].kind is not FileKind.LINK
        data = _kptfile_data(tree.read(path)) if is_file else {}
        found[directory] = isinstance(data.get("upstream"), dict)
    return found


def without(tree: Tree, directories: Iterable[str]) -> Tree:
    """The tree without everything in these directories."""
    left_out = frozenset(directories)
    if not left_out:
        return tree
    return FilteredTree(tree, lambda path: left_out.isdisjoint(ancestors(path)))


def kptfile_dirs(paths: Iterable[str]) -> set[str]:
    """The directories, but the root, that have a Kptfile among these files."""
    return {path[: -len(KPTFILE) - 1] for path in paths if path.endswith("/" + KPTFILE)}


def package_name(directory: str, source: Source | Tree) -> str:
    """The name in the Kptfile of a subpackage, empty if there is none."""
    metadata = _kptfile_data(source.read(f"{directory}/{KPTFILE}")).get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""


def _kptfile_data(content: bytes) -> dict[Value, Value]:
    """The Kptfile's data; empty if it cannot be read."""
    try:
        data = Document(decode(content) or "").data
    except DocumentError:
        return {}
    return data if isinstance(data, dict) else {}
