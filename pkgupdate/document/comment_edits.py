"""Setting and removing the head, line and foot comments of a block entry."""

from __future__ import annotations

from pkgupdate.document.edits import CommentPlace
from pkgupdate.document.geometry import Geometry, SpliceError, is_block_scalar
from pkgupdate.document.nodes import Collection, Mapping, Node, Sequence, is_block
from pkgupdate.document.render import indented
from pkgupdate.document.splices import Splices


class CommentEditor:
    """Edits comments of the entries of one block collection."""

    def __init__(
        self, geometry: Geometry, splices: Splices, collection: Collection, depth: int
    ) -> None:
        self.geometry = geometry
        self.splices = splices
        self.collection = collection
        self.depth = depth

    def set(self, index: int, place: CommentPlace, lines: tuple[str, ...]) -> None:
        """Write the comment `lines` (none: remove it) of entry `index`."""
        if self.collection.flow:
            raise SpliceError("an entry of a flow collection has no comments of its own")
        if place == "head":
            self._set_head(index, lines)
        elif place == "line":
            self._set_line(index, lines)
        else:
            self._set_foot(index, lines)

    def _put(self, start: int, end: int, text: str, leads: bool = False) -> None:
        self.splices.put(start, end, text, depth=self.depth, leads=leads)

    def _join(self, lines: tuple[str, ...], column: int) -> str:
        return "".join(line + self.geometry.newline for line in indented(list(lines), column))

    def _set_head(self, index: int, lines: tuple[str, ...]) -> None:
        geometry = self.geometry
        start = geometry.start(self.collection, index)
        line = geometry.line_start(start)
        if geometry.on_own_line(self.collection, index):
            head = geometry.head(self.collection, index)
            self._put(head, line, self._join(lines, geometry.column(start)), leads=True)
        else:  # beside a dash: the comment goes above the line
            before = geometry.text[line:start]
            column = len(before) - len(before.lstrip(" "))
            self._put(line, line, self._join(lines, column), leads=True)

    def _set_line(self, index: int, lines: tuple[str, ...]) -> None:
        geometry, collection = self.geometry, self.collection
        span = geometry.line_comment(collection, index)
        if span and lines:
            self._put(*span, lines[0])
        elif span:
            start = span[0]
            while geometry.text[start - 1] in " \t":
                start -= 1
            self._put(start, span[1], "")
        elif lines:
            value = collection.entries[index].value
            if is_block(value) and not geometry.on_own_line(value, 0):
                start = geometry.start(collection, index)  # `- name: x` has no place for it
                line = geometry.line_start(start)
                column = geometry.column(start) if geometry.on_own_line(collection, index) else 0
                self._put(line, line, self._join(lines, column), leads=True)
                return
            position = geometry.comment_anchor(collection, index)
            if is_block_scalar(value):
                position = geometry.line_end(position) - len(geometry.newline)
            self._put(position, position, " " + lines[0])

    def _set_foot(self, index: int, lines: tuple[str, ...]) -> None:
        geometry, collection = self.geometry, self.collection
        start = geometry.content_end(collection, index)
        end = geometry.tail(collection, index)
        value = collection.entries[index].value
        column = geometry.column(geometry.start(collection, index))
        foot = column + 2
        if is_block_scalar(value):
            foot = column + 1
        elif is_block(value):
            foot = max(column + 1, geometry.column(geometry.start(value, 0)))
            last: Node = value
            while isinstance(last, Mapping | Sequence) and last.entries:
                last = last.entries[-1].value
            if is_block_scalar(last):
                foot = column + 1  # anything deeper could become its content
        self._put(start, end, self._join(lines, foot))
