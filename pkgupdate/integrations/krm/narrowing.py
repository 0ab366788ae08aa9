"""The three trees of a merge made fit for a local side that consists of items.

- Files that are no resources never become items. They are left out on all sides, so that the merge
  does not take them for deleted; what upstream changed in them is remembered.
- Documents get back, for the time of the merge, what kpt dropped and rewrote (see `loans`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from pkgupdate.document.stream import Part, Stream, decode
from pkgupdate.document.values import Value
from pkgupdate.errors import DocumentError
from pkgupdate.integrations.krm.loans import (
    FetchedText,
    Loan,
    counts_as_fetched,
    lend_comments,
)
from pkgupdate.integrations.krm.package import ItemPackage
from pkgupdate.integrations.krm.resource_list import plain_documents
from pkgupdate.merge.sides import Sides
from pkgupdate.package.identity import Identity, identity_of, identity_of_part
from pkgupdate.package.ignore import Ignore
from pkgupdate.package.kinds import Route, route_of
from pkgupdate.package.sources import FilteredTree
from pkgupdate.package.tree import FileEntry, FileKind, Tree, blob_id

_NAMELESS_GROUP = "kustomize.config.k8s.io"
"""kpt takes resources of this group without a name."""


class Narrowing:
    """Narrows the trees of each package of an update, and remembers what that means.

    left_out: files that upstream changed and that cannot be items, by path in the root package.
    loans: by the position of an item, what it was lent.
    """

    def __init__(self, package: ItemPackage) -> None:
        self._package = package
        self.left_out: list[str] = []
        self.loans: dict[int, Loan] = {}

    def __call__(self, directory: str, sides: Sides[Tree]) -> Sides[Tree]:
        """The trees of the package in a directory as the merge has to see them."""
        prefix = f"{directory}/" if directory else ""
        original, upstream, local = sides
        changed = [
            path
            for path in sorted({*original.entries, *upstream.entries})
            if original.entries.get(path) != upstream.entries.get(path)
        ]
        ignore = Ignore(upstream)
        hidden = {
            path
            for path in changed
            if path not in local.entries
            and (
                ignore.covers(path) or not all(_can_be_items(t, path) for t in (original, upstream))
            )
        }
        self.left_out += (prefix + path for path in sorted(hidden))
        lent = self._lend_all(prefix, _documents(original, changed), local)
        visible = [
            FilteredTree(tree, lambda path: path not in hidden) for tree in (original, upstream)
        ]
        return Sides(visible[0], visible[1], _Lent(local, lent))

    def _lend_all(
        self, prefix: str, fetched: Mapping[str, _Fetched], local: Tree
    ) -> dict[str, bytes]:
        """Lend to every item that upstream changed, wherever it lies now; gives the files."""
        anywhere = _by_identity(text for file in fetched.values() for text in file.documents)
        found = {}
        for path in local.entries:
            numbers = self._package.files.get(prefix + path, [])
            identities = [self._package.identity(number) for number in numbers]
            is_known = path in fetched or any(i in anywhere for i in identities if i)
            if not numbers or not is_known:
                continue
            if local.read(path) != self._package.read(prefix + path):
                continue  # planned anew already
            content = self._lend(numbers, fetched.get(path, _Fetched(b"", [])), anywhere)
            if content is not None:
                found[path] = content
        return found

    def _lend(
        self, numbers: list[int], file: _Fetched, anywhere: Mapping[Identity | None, str]
    ) -> bytes | None:
        """The content of a file with what its documents have lost; None if that is nothing."""
        own = [self._package.document(number) for number in numbers]
        known = {**anywhere, **_by_identity(file.documents)}
        texts = list(own)
        loans: dict[int, Loan] = {}
        for i, number in enumerate(numbers):
            counterpart = known.get(self._package.identity(number))
            found = lend_comments(counterpart, own[i]) if counterpart else None
            if found is not None:
                texts[i], loans[number] = found
        before = file.documents
        if len(before) == len(texts) and all(map(counts_as_fetched, before, texts)):
            for number, *texts_of in zip(numbers, before, own, strict=True):
                self.loans[number] = FetchedText(*texts_of)
            return file.content
        self.loans |= loans
        return "---\n".join(texts).encode() if loans else None


@dataclass(frozen=True, slots=True)
class _Fetched:
    """A YAML file as it was fetched, and its documents."""

    content: bytes
    documents: list[str]


def _documents(tree: Tree, paths: Iterable[str]) -> dict[str, _Fetched]:
    """Those of the files that are there and can be read as YAML."""
    found = {}
    for path in paths:
        entry = tree.entries.get(path)
        if entry is None or entry.kind not in (FileKind.FILE, FileKind.EXEC):
            continue
        text = decode(tree.read(path)) if route_of(path) is Route.RESOURCES else None
        if text is not None:
            with suppress(DocumentError):
                found[path] = _Fetched(tree.read(path), plain_documents(text, path))
    return found


class _Lent:
    """A tree in which some files have another content."""

    def __init__(self, tree: Tree, contents: Mapping[str, bytes]) -> None:
        self._tree = tree
        self._contents = contents
        self.entries: Mapping[str, FileEntry] = _LentEntries(tree.entries, contents)

    def read(self, path: str) -> bytes:
        """The content of a file, or the target of a link."""
        return self._contents[path] if path in self._contents else self._tree.read(path)


class _LentEntries(Mapping[str, FileEntry]):
    def __init__(self, entries: Mapping[str, FileEntry], contents: Mapping[str, bytes]) -> None:
        self._entries = entries
        self._own = {p: FileEntry(entries[p].kind, blob_id(c)) for p, c in contents.items()}

    def __getitem__(self, path: str) -> FileEntry:
        return self._own[path] if path in self._own else self._entries[path]

    def __contains__(self, path: object) -> bool:
        return path in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def _can_be_items(tree: Tree, path: str) -> bool:
    """Would kpt read this file into a list of items, and take it back? (A submodule passes.)"""
    entry = tree.entries.get(path)
    if entry is None or entry.kind is FileKind.SUBMODULE or route_of(path) is Route.KPTFILE:
        return True
    if entry.kind is FileKind.LINK or route_of(path) is Route.PLAIN:
        return False
    text = decode(tree.read(path))
    try:
        parts = [part for part in Stream(text or "").parts if not part.is_empty]
        return bool(parts) and all(_can_be_item(part.document.data) for part in parts)
    except DocumentError:
        return False


def _can_be_item(data: Value) -> bool:
    identity = identity_of(data)
    return identity is not None and (identity.is_named or identity.group == _NAMELESS_GROUP)


def _by_identity(documents: Iterable[str]) -> dict[Identity | None, str]:
    """The documents whose identity no other one of the file has."""
    found = [(identity_of_part(Part(text, "", 1)), text) for text in documents]
    counts = Counter(identity for identity, _ in found)
    return {identity: text for identity, text in found if counts[identity] == 1}
