"""The layout habits of a document: how far its maps and lists are indented."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pkgupdate.document.geometry import Geometry, SpliceError
from pkgupdate.document.nodes import Collection, Mapping, Node, Scalar, Sequence, is_block


class Style(NamedTuple):
    """Indents in columns; None where the document shows no habit.

    map_in_map: a block map below its key.
    list_in_map: the dash of a block list below its key (0: the dash stands under the key).
    after_dash: from the dash to the content of its item (2 for ``- name``).
    """

    map_in_map: int | None = None
    list_in_map: int | None = None
    after_dash: int | None = None

    def or_else(self, other: Style) -> Style:
        """This style, its gaps filled from `other`."""
        return Style(
            self.map_in_map if self.map_in_map is not None else other.map_in_map,
            self.list_in_map if self.list_in_map is not None else other.list_in_map,
            self.after_dash if self.after_dash is not None else other.after_dash,
        )

    def indent(self, outer: Collection, inner: Node, default: int) -> int:
        """How far `inner`, a block value of `outer`, is indented from its entry."""
        if isinstance(outer, Sequence):
            wanted = self.after_dash
        elif isinstance(inner, Sequence):
            wanted = self.list_in_map
        else:
            wanted = self.map_in_map
        return default if wanted is None else wanted


DEFAULT = Style(map_in_map=2, list_in_map=0, after_dash=2)


def detect(geometry: Geometry) -> Style:
    """The habits of a document, taken from the first place that shows each."""
    found: dict[tuple[bool, bool], int] = {}
    for collection in _block_collections(geometry.root):
        in_map = isinstance(collection, Mapping)
        for index, entry in enumerate(collection.entries):
            value = entry.value
            if type(value) is Scalar or not is_block(value):
                continue
            place = (in_map, in_map and isinstance(value, Mapping))
            if place in found:
                continue
            try:
                start = geometry.start(collection, index)
                inner = geometry.start(value, 0)
                if in_map and not geometry.on_own_line(value, 0):
                    continue
                found[place] = geometry.column(inner) - geometry.column(start)
            except SpliceError:
                continue
        if len(found) == 3:
            break
    return Style(found.get((True, True)), found.get((True, False)), found.get((False, False)))


def dash_width(geometry: Geometry, collection: Sequence) -> int | None:
    """Columns from the dash to the content in this list, by its first item on the dash's line."""
    for index, entry in enumerate(collection.entries):
        value = entry.value
        if value.end <= value.start:
            continue
        try:
            start = geometry.start(collection, index)
        except SpliceError:
            return None
        if geometry.line_start(start) == geometry.line_start(value.start):
            return value.start - start
    return None


def _block_collections(root: Node | None) -> Iterator[Collection]:
    """All block collections, outer ones first, in source order."""
    pending = [] if root is None else [root]
    while pending:
        node = pending.pop()
        if is_block(node):
            yield node
            values = [entry.value for entry in node.entries]
            pending += [value for value in reversed(values) if type(value) is not Scalar]
