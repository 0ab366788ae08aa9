"""Versions of a package made ready for comparing texts.

A fetch writes into the package: name, `upstream` and `upstreamLock` of the Kptfile, merge comments,
and (by kpt) annotations. None of that is a change that someone made, so it is taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from pkgupdate.document.document import Document
from pkgupdate.document.edits import DeleteEntry, Edit, FromData, SetValue
from pkgupdate.document.merge_comment import drop_merge_comment
from pkgupdate.document.nodes import Mapping as MappingNode
from pkgupdate.document.stream import Part, Stream, decode
from pkgupdate.errors import DocumentError
from pkgupdate.package.kinds import KPTFILE, Route, route_of
from pkgupdate.package.tree import FileKind, FileState, MemoryTree, Tree
from pkgupdate.package.unchanged import FETCH_ANNOTATIONS

_K = TypeVar("_K")
_FETCHED_SECTIONS = ("upstream", "upstreamLock")


def text_trees(trees: Mapping[_K, Tree], original: Tree) -> dict[_K, Tree]:
    """The trees without the marks of a fetch in the files that differ.

    original: gives the package the name that it has upstream. A file that cannot be read as YAML
    stays as it is.
    """
    paths = {path for tree in trees.values() for path in tree.entries}
    differing = [path for path in paths if _differs(path, trees.values())]
    name = _package_name(original)
    return {key: _cleaned(tree, differing, name) for key, tree in trees.items()}


def _differs(path: str, trees: Iterable[Tree]) -> bool:
    return len({tree.entries.get(path) for tree in trees}) > 1


def _cleaned(tree: Tree, paths: list[str], name: str) -> Tree:
    files: dict[str, FileState | bytes] = {}
    for path in paths:
        entry = tree.entries.get(path)
        if entry is None or entry.kind not in (FileKind.FILE, FileKind.EXEC):
            continue
        if path == KPTFILE:
            content = _edited(tree.read(path), lambda document: _kptfile_edits(document, name))
        elif route_of(path) is Route.RESOURCES:
            content = _without_marks(tree.read(path))
        else:
            continue
        files[path] = FileState(entry.kind, content)
    return _Overlay(tree, MemoryTree(files))


class _Overlay:
    """A tree with some files of another one put over it."""

    def __init__(self, below: Tree, above: Tree) -> None:
        self._below = below
        self._above = above
        self.entries = {**below.entries, **above.entries}

    def read(self, path: str) -> bytes:
        """The content of a file, or the target of a link."""
        return (self._above if path in self._above.entries else self._below).read(path)


def _without_marks(content: bytes) -> bytes:
    text = decode(content)
    marks = ("kpt-merge:", *FETCH_ANNOTATIONS)
    if text is None or not any(mark in text for mark in marks):
        return content
    stream = Stream(text)
    return stream.render({i: _part_without_marks(p) for i, p in enumerate(stream.parts)}).encode()


def _part_without_marks(part: Part) -> str:
    text = drop_merge_comment(part.text)
    if not any(annotation in text for annotation in FETCH_ANNOTATIONS):
        return text
    return _edited(text.encode(), _annotation_edits).decode()


def _edited(content: bytes, edits_of: Callable[[Document], Iterator[Edit]]) -> bytes:
    from pkgupdate.document.apply import apply_edits

    try:
        document = Document(decode(content) or "")
        edits = list(edits_of(document))
        return apply_edits(document, edits).encode() if edits else content
    except DocumentError:
        return content


def _annotation_edits(document: Document) -> Iterator[Edit]:
    metadata = document.root.get("metadata") if isinstance(document.root, MappingNode) else None
    annotations = metadata.get("annotations") if isinstance(metadata, MappingNode) else None
    if not isinstance(metadata, MappingNode) or not isinstance(annotations, MappingNode):
        return
    marks = [i for key in FETCH_ANNOTATIONS if (i := annotations.index(key)) >= 0]
    if len(marks) == len(annotations.entries):
        yield DeleteEntry(metadata, metadata.index("annotations"))
    else:
        yield from (DeleteEntry(annotations, index) for index in marks)


def _kptfile_edits(document: Document, name: str) -> Iterator[Edit]:
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
    entry = tree.entries.get(KPTFILE)
    if entry is None or entry.kind is FileKind.LINK:
        return ""
    try:
        data = Document(decode(tree.read(KPTFILE)) or "").data
    except DocumentError:
        return ""
    metadata = data.get("metadata") if isinstance(data, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""
