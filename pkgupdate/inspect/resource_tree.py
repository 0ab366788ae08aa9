"""The resources of a folder by directory and file, as `kpt pkg tree` has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pkgupdate.document.stream import Stream, decode
from pkgupdate.errors import DocumentError, PackageError
from pkgupdate.inspect.packages import readable
from pkgupdate.package.identity import Identity, identity_of, identity_of_part
from pkgupdate.package.ignore import Ignore
from pkgupdate.package.kinds import KPTFILE, Route, route_of
from pkgupdate.package.tree import DiskTree, FileKind


@dataclass(frozen=True, slots=True)
class Leaf:
    """A resource of a file. `error`: why the file has none that could be read."""

    file: str
    identity: Identity | None
    error: str = ""


@dataclass(slots=True)
class Branch:
    """A directory with resources.

    path: relative to the branch above; of the top, the folder. is_package: it has a Kptfile.
    """

    path: str
    is_package: bool
    leaves: list[Leaf] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)


def resource_tree(root: Path) -> Branch:
    """The tree of a folder, a package or not.

    Left out: files that `.krmignore` names, files without resources, directories without such
    files, and (kpt follows them) links. Raises PackageError `package-missing`, `unreadable`.
    """
    if not root.is_dir():
        raise PackageError("package-missing", f"there is no folder {root}")
    with readable(root):
        return _arranged(root.resolve().name, DiskTree(root))


def places(branch: Branch, above: str = "") -> Iterator[tuple[str, str]]:
    """The path and the resource (empty if it cannot be read) of every leaf, below the top."""
    for leaf in branch.leaves:
        yield above + leaf.file, str(leaf.identity or "")
    for below in branch.branches:
        yield from places(below, f"{above}{below.path}/")


def _arranged(name: str, tree: DiskTree) -> Branch:
    by_directory = _by_directory(tree)
    top = Branch(name, KPTFILE in tree.entries, by_directory.pop("", []))
    known = {"": top}
    for directory in sorted(by_directory, key=lambda path: path.split("/")):
        above = directory
        while above not in known:
            above = above.rpartition("/")[0]
        is_package = f"{directory}/{KPTFILE}" in tree.entries
        branch = Branch(directory[len(above) :].lstrip("/"), is_package, by_directory[directory])
        known[above].branches.append(branch)
        known[directory] = branch
    return top


def _by_directory(tree: DiskTree) -> dict[str, list[Leaf]]:
    ignore = Ignore(tree)
    found: dict[str, list[Leaf]] = {}
    for path in sorted(tree.entries):
        if route_of(path) not in (Route.RESOURCES, Route.KPTFILE) or ignore.covers(path):
            continue
        if tree.entries[path].kind is FileKind.LINK:
            continue
        directory, _, name = path.rpartition("/")
        if leaves := list(_leaves(name, tree.read(path))):
            found.setdefault(directory, []).extend(leaves)
    return found


def _leaves(file: str, content: bytes) -> Iterator[Leaf]:
    """The resources of a file by namespace, name and kind, as kpt sorts them."""
    text = decode(content)
    if text is None:
        return
    found = []
    for part in Stream(text, name=file).parts:
        if part.is_empty:
            continue
        identity = identity_of_part(part)
        if identity is None:
            try:
                identity = identity_of(part.document.data)
            except DocumentError as e:
                yield Leaf(file, None, e.why or e.what)
                continue
        if identity:
            found.append(identity)
    for identity in sorted(found, key=lambda i: (i.namespace, i.name, i.kind)):
        yield Leaf(file, identity)
