"""Short ways to name places in documents."""

from __future__ import annotations

from pkgupdate.document.apply import apply_edits
from pkgupdate.document.document import Document
from pkgupdate.document.edits import Edit
from pkgupdate.document.intent import apply_to_data
from pkgupdate.document.nodes import Collection, Mapping, Sequence


def at(document: Document, *path: str | int) -> tuple[Collection, int]:
    """The collection and index of the entry at `path` (keys, and positions in lists)."""
    node = document.root
    for step in path:
        assert isinstance(node, Mapping | Sequence)
        index = step
        if isinstance(step, str):
            assert isinstance(node, Mapping)
            index = node.index(step)
        assert isinstance(index, int)
        place = node, index
        node = node.entries[index].value
    return place


def inside(document: Document, *path: str | int) -> Collection:
    """The collection at `path`."""
    node = document.root
    if path:
        collection, index = at(document, *path)
        node = collection.entries[index].value
    assert isinstance(node, Mapping | Sequence)
    return node


def edited(document: Document, *edits: Edit) -> str:
    """The new text, with its value checked."""
    text = apply_edits(document, edits)
    assert Document(text).data == apply_to_data(document, edits)
    return text
