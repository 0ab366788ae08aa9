"""The items of a list as the files of a package: a tree that a merge can read.

The items with one path are the documents of one file, in the order of their indexes. Paths are
relative to the package that an item names (kpt does that in `render`, where a package and those in
it come together), else to where the list was read.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pkgupdate.document.document import Document
from pkgupdate.document.values import to_plain
from pkgupdate.errors import Location, PackageError
from pkgupdate.integrations.krm.annotations import (
    INDEXES,
    INTERNAL,
    PACKAGE_PATH,
    PATHS,
    annotations_of,
    tracking,
    without_tracking,
)
from pkgupdate.integrations.krm.resource_list import Item
from pkgupdate.package.identity import Identity, identity_of
from pkgupdate.package.kinds import KPTFILE, Route, route_of
from pkgupdate.package.sources import below
from pkgupdate.package.tree import FileEntry, FileKind, blob_id
from pkgupdate.package.upstream_paths import check_upstream_paths


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item lies: its file, from where the list was read, and its index in it."""

    path: str
    index: int


class ItemPackage:
    """The package that some items of a list are; a tree of files.

    items: the whole list. chosen: the positions of those that can belong to the package; None takes
    all. is_required: a Kptfile has to be among them.

    directory: where the package lies, from where the list was read. files: the positions of the
    documents of each file, by path in the package. Items without a path, and those of other
    directories, are no part of it.

    Raises PackageError `kptfile-missing`, `kptfile-repeated`, `several-packages`, `unsafe-path`.
    """

    def __init__(
        self,
        items: Sequence[Item],
        chosen: Sequence[int] | None = None,
        *,
        is_required: bool = True,
    ) -> None:
        self._items = items
        numbers = range(len(items)) if chosen is None else chosen
        notes = {number: annotations_of(items[number].data) for number in numbers}
        self._packages = _package_directories(notes.values())
        places = {}
        for number, found in notes.items():
            place = self._place(found)
            if place is not None:
                places[number] = place
        _check_paths({place.path for place in places.values()})
        kptfiles = [
            place.path
            for number, place in places.items()
            if place.path.rpartition("/")[2] == KPTFILE and _is_kptfile(items[number])
        ]
        self.directory = _root(kptfiles, is_required=is_required)
        self.places = {n: p for n, p in places.items() if below(p.path, self.directory)}
        self.files: dict[str, list[int]] = {}
        for number in sorted(self.places, key=lambda n: (self.places[n].index, n)):
            self.files.setdefault(self._inside(self.places[number].path), []).append(number)
        self._stripped: dict[int, str] = {}

    @cached_property
    def entries(self) -> Mapping[str, FileEntry]:
        """All files by path."""
        return _Entries(self)

    def read(self, path: str) -> bytes:
        """The content of a file."""
        numbers = self.files[path]
        if route_of(path) is Route.JSON and len(numbers) == 1:
            return self._as_json(numbers[0]).encode()
        return "---\n".join(self.document(number) for number in numbers).encode()

    def document(self, number: int) -> str:
        """The text of an item without the annotations of the pipeline."""
        if number not in self._stripped:
            self._stripped[number] = without_tracking(self._items[number].text)
        return self._stripped[number]

    def identity(self, number: int) -> Identity | None:
        """The identity of an item, None for what is no resource."""
        return identity_of(self._items[number].data)

    def path_of(self, number: int) -> str:
        """The path of an item's file in the package."""
        return self._inside(self.places[number].path)

    def annotations(self, path: str, index: int) -> dict[str, str]:
        """What has to be noted on a new item that is a document of a file of the package."""
        full = f"{self.directory}/{path}" if self.directory else path
        inside = [d for d in self._packages if below(full, d)]
        directory = max(inside, key=len, default="")
        relative = full[len(directory) + 1 :] if directory else full
        values = dict.fromkeys(PATHS, relative) | dict.fromkeys(INDEXES, str(index))
        if package_path := self._packages.get(directory):
            values[PACKAGE_PATH] = package_path
        return values

    def kept_annotations(self, number: int, path: str, index: int) -> dict[str, str]:
        """What has to be noted on an item that is already there, perhaps in another place.

        Of path and index, those forms that it came with.
        """
        before = tracking(self._items[number].data)
        after = self.annotations(path, index)
        if index and not any(key in before for key in INDEXES):
            before |= dict.fromkeys(INDEXES, "")
        return before | {key: value for key, value in after.items() if key in before}

    def _place(self, notes: Mapping[str, str]) -> Place | None:
        path = notes.get(INTERNAL + "path") or notes.get(PATHS[0])
        if path is None:
            return None
        index = notes.get(INTERNAL + "index") or notes.get(INDEXES[0]) or "0"
        package_path = notes.get(PACKAGE_PATH)
        directory = next((d for d, p in self._packages.items() if p == package_path), "")
        full = f"{directory}/{path}" if directory else path
        return Place(full, int(index) if index.isdecimal() else 0)

    def _inside(self, path: str) -> str:
        return path[len(self.directory) + 1 :] if self.directory else path

    def _as_json(self, number: int) -> str:
        text = self.document(number)
        try:
            json.loads(text)
        except ValueError:
            return json.dumps(to_plain(Document(text).data), indent=2) + "\n"
        return text


class _Entries(Mapping[str, FileEntry]):
    """Entries that are hashed when they are looked up."""

    def __init__(self, package: ItemPackage) -> None:
        self._package = package
        self._known: dict[str, FileEntry] = {}

    def __getitem__(self, path: str) -> FileEntry:
        if path not in self._known:
            content = self._package.read(path)
            self._known[path] = FileEntry(FileKind.FILE, blob_id(content))
        return self._known[path]

    def __contains__(self, path: object) -> bool:
        return path in self._package.files

    def __iter__(self) -> Iterator[str]:
        return iter(self._package.files)

    def __len__(self) -> int:
        return len(self._package.files)


def _package_directories(notes: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """The directories of the packages that items name (from the outermost), and those names."""
    named = {
        posixpath.normpath(n[PACKAGE_PATH]): n[PACKAGE_PATH] for n in notes if n.get(PACKAGE_PATH)
    }
    if not named or len({path.startswith("/") for path in named}) > 1:
        return {}
    base = posixpath.commonpath(named)
    found = {posixpath.relpath(path, base): name for path, name in named.items()}
    return {"" if path == "." else path: name for path, name in found.items()}


def _is_kptfile(item: Item) -> bool:
    return isinstance(item.data, dict) and item.data.get("kind") == "Kptfile"


def _check_paths(paths: set[str]) -> None:
    try:
        check_upstream_paths(paths)
    except PackageError as e:
        raise PackageError(
            e.code,
            f"an item has a path that cannot be placed safely: {e.where.file}",
            where=e.where,
            why=e.why,
            hint="correct its path annotation",
        ) from e


def _root(kptfiles: Sequence[str], *, is_required: bool) -> str:
    """The directory of the outermost package."""
    repeated = sorted({path for path in kptfiles if kptfiles.count(path) > 1})
    if repeated:
        raise PackageError(
            "kptfile-repeated",
            f"two items are the Kptfile at {repeated[0]}",
            where=Location(repeated[0]),
            hint="leave one of them in the list",
        )
    directories = [posixpath.dirname(path) for path in kptfiles]
    outer = [d for d in directories if not any(o != d and below(d, o) for o in directories)]
    if len(outer) > 1:
        raise PackageError(
            "several-packages",
            "the items are several packages, none of which holds the others",
            why=", ".join(sorted(outer)),
            hint="run the function on one package at a time",
        )
    if not outer and is_required:
        raise PackageError(
            "kptfile-missing",
            "there is no Kptfile among the items",
            hint="run the function on the folder of a package, and let its selectors (`--match-…`) "
            "not leave the Kptfile out",
        )
    return outer[0] if outer else ""
