"""Listing a directory of a commit: what lies below it, by mode and object id, nothing read."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from typing import Literal, NamedTuple

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.cache import CacheDamaged
from pkgupdate.upstream.objects import ObjectReader
from pkgupdate.upstream.text import printable

MAX_ENTRIES = 200_000
_NEAR_DIRECTORIES = 5
_FILE_TYPES = (stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR, 0o160000)

Kind = Literal["file", "exec", "link", "submodule"]


class TreeEntry(NamedTuple):
    """One file, link or submodule.

    path: relative to the listed directory; bytes that are no UTF-8 are kept as surrogates
        (`surrogateescape`). It comes from upstream: never print it unescaped.
    mode: git's mode, such as 0o100644.
    oid: id of the blob; of the commit for a submodule.
    """

    path: str
    mode: int
    oid: str
    kind: Kind


class _Item(NamedTuple):
    name: str
    mode: int
    oid: str


class TreeLister:
    """Lists directories of commits; each tree object is read once, however many commits share it.

    Every answer raises CacheDamaged if the cache lacks what was fetched, and UpstreamError
    `unsafe-path` for a tree with names that no file can have.
    """

    def __init__(self, reader: ObjectReader) -> None:
        self._reader = reader
        self._trees: dict[str, list[_Item]] = {}

    def files(self, commit: str, directory: str, repo: str) -> dict[str, TreeEntry]:
        """Return everything below `directory` by path, in git's order.

        Raises UpstreamError `directory-missing` (with near matches) and `directory-too-large`.
        """
        found: dict[str, TreeEntry] = {}
        level = [("", self._directory(commit, directory, repo))]
        while level:
            self._load(oid for _, oid in level)
            below: list[tuple[str, str]] = []
            for prefix, oid in level:
                for item in self._trees[oid]:
                    path = prefix + item.name
                    if stat.S_ISDIR(item.mode):
                        below.append((path + "/", item.oid))
                    else:
                        found[path] = TreeEntry(path, item.mode, item.oid, _kind(item.mode))
                if len(found) + len(below) > MAX_ENTRIES:
                    raise UpstreamError(
                        "directory-too-large",
                        f"{directory} of {repo} has more than {MAX_ENTRIES:,} entries",
                    )
            level = below
        return found

    def _directory(self, commit: str, directory: str, repo: str) -> str:
        """Return the tree id of `directory`."""
        tree = self._root(commit)
        for part in directory.strip("/").split("/") if directory.strip("/") else ():
            self._load([tree])
            items = {item.name: item for item in self._trees[tree]}
            if part not in items or not stat.S_ISDIR(items[part].mode):
                self._missing(commit, directory, repo)
            tree = items[part].oid
        return tree

    def _root(self, commit: str) -> str:
        seen = self._reader.read_one(commit)
        while seen.type == "tag":
            seen = self._reader.read_one(_header(seen.data, b"object"))
        if seen.type == "tree":
            return seen.oid
        if seen.type != "commit":
            raise UpstreamError("ref-unknown", f"{commit} is a {seen.type}, not a commit")
        return _header(seen.data, b"tree")

    def _load(self, oids: Iterable[str]) -> None:
        new = dict.fromkeys(oid for oid in oids if oid not in self._trees)
        for tree in self._reader.read(new):
            try:
                self._trees[tree.oid] = _parse_tree(tree.data, len(tree.oid) // 2)
            except ValueError as error:
                raise UpstreamError(
                    "unsafe-path", f"upstream's tree {tree.oid} is malformed", why=str(error)
                ) from error

    def _missing(self, commit: str, directory: str, repo: str) -> None:
        """Raise `directory-missing`, with the directories of that commit that look alike."""
        wanted = directory.strip("/")
        near = _near(wanted, self._directories(commit))
        raise UpstreamError(
            "directory-missing",
            f"there is no directory {printable(directory)} in {repo} at {commit[:12]}",
            hint=f"did you mean {' or '.join(f'/{printable(path)}' for path in near)}?"
            if near
            else "check the directory and the ref",
        )

    def _directories(self, commit: str) -> list[str]:
        """List directories, widest first; enough of them to find a near match."""
        paths: list[str] = []
        level = [("", self._root(commit))]
        while level and len(paths) < MAX_ENTRIES // 20:
            self._load(oid for _, oid in level)
            level = [
                (f"{prefix}{item.name}/", item.oid)
                for prefix, oid in level
                for item in self._trees[oid]
                if stat.S_ISDIR(item.mode)
            ]
            paths += [path.rstrip("/") for path, _ in level]
        return paths


def _near(wanted: str, paths: list[str]) -> list[str]:
    import difflib

    by_path = difflib.get_close_matches(wanted, paths, _NEAR_DIRECTORIES, 0.6)
    name = wanted.rpartition("/")[2]
    by_name = [path for path in paths if path.rpartition("/")[2] == name]
    return list(dict.fromkeys([*by_name, *by_path]))[:_NEAR_DIRECTORIES]


def _header(data: bytes, name: bytes) -> str:
    """Return the value of the first header line of a commit or tag."""
    key, _, value = data.partition(b"\n")[0].partition(b" ")
    if key != name:
        raise CacheDamaged("a commit without a tree")
    return value.decode("ascii", "replace")


def _kind(mode: int) -> Kind:
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_IFMT(mode) == 0o160000:
        return "submodule"
    return "exec" if mode & 0o100 else "file"


def _parse_tree(data: bytes, id_size: int) -> list[_Item]:
    """Parse `MODE NAME NUL ID` entries. Raises UpstreamError `unsafe-path`."""
    items: list[_Item] = []
    position = 0
    while position < len(data):
        blank = data.index(b" ", position)
        end = data.index(b"\0", blank)
        mode = int(data[position:blank], 8)
        name = data[blank + 1 : end].decode("utf-8", "surrogateescape")
        position = end + 1 + id_size
        # Trees are upstream's: git itself refuses such entries only when it checks out.
        if stat.S_IFMT(mode) not in _FILE_TYPES:
            raise UpstreamError(
                "unsafe-path",
                f"upstream has an entry of an unknown kind: '{printable(name)}'",
                why=f"its mode is {mode:o}",
            )
        if name in ("", ".", "..") or "/" in name or name.lower() == ".git":
            raise UpstreamError(
                "unsafe-path",
                f"upstream has an entry named '{printable(name)}'",
                why="no file of a package can have that name",
            )
        items.append(_Item(name, mode, data[end + 1 : position].hex()))
    return items
