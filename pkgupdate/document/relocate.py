"""Text of an entry or value at column 0, in the layout of another document.

Works down the tree of the source: the text of scalars, keys and comments is copied as it stands,
while the indent of every block collection is the one that the target's style asks for.
"""

from __future__ import annotations

from typing import NamedTuple

from pkgupdate.document.document import Document
from pkgupdate.document.geometry import SpliceError
from pkgupdate.document.nodes import Alias, Collection, Node, Scalar, Sequence, is_block, walk
from pkgupdate.document.render import dedented, flow_text, indented
from pkgupdate.document.style import Style


class AnchorNames(NamedTuple):
    """Which anchors and aliases of a transplanted subtree may keep their text."""

    anchors: frozenset[str]
    aliases: frozenset[str]

    @classmethod
    def of(cls, node: Node, target: Document, planted: frozenset[str] = frozenset()) -> AnchorNames:
        """Anchors stay unless the target has one of that name.

        An alias stays if its anchor comes along, here or elsewhere (`planted`), or if the target
        has the same anchor with the same value. Everything else is written out by value.
        """
        local = target.anchored
        anchors: set[str] = set()
        aliases: set[str] = set()
        for inner in walk(node):
            if inner.anchor and inner.anchor not in local:
                anchors.add(inner.anchor)
            elif isinstance(inner, Alias):
                known = local.get(inner.name, [])
                comes_along = inner.name in anchors or (not known and inner.name in planted)
                if comes_along or (len(known) == 1 and known[0].data == inner.data):
                    aliases.add(inner.name)
        return cls(frozenset(anchors), frozenset(aliases))

    def keep(self, node: Node) -> bool:
        """Can the whole text of a node stay?"""
        for inner in walk(node):
            if isinstance(inner, Alias):
                if inner.name not in self.aliases:
                    return False
            elif inner.anchor and inner.anchor not in self.anchors:
                return False
        return True


class Relocation:
    """Copies parts of one document; `style` None keeps the indents of the source."""

    def __init__(self, source: Document, style: Style | None, names: AnchorNames) -> None:
        self.geometry = source.geometry
        self.style = style
        self.names = names

    def entry(self, collection: Collection, index: int) -> tuple[list[str], int]:
        """The lines of a block entry with its head comments, and how many of those there are."""
        geometry = self.geometry
        start = geometry.start(collection, index)
        head: list[str] = []
        if geometry.on_own_line(collection, index):
            head = geometry.lines(
                geometry.owned_head(collection, index), geometry.line_start(start)
            )
        return [line.strip() for line in head] + self._body(collection, index), len(head)

    def blanks(self, collection: Collection, index: int) -> tuple[bool, bool]:
        """Does a blank line precede and follow the entry, between it and its neighbours?"""
        geometry = self.geometry
        before = after = False
        if index > 0:
            head = geometry.head(collection, index)
            before = geometry.blank_lines_start(head, geometry.tail(collection, index - 1)) < head
        if index + 1 < len(collection.entries):
            tail = geometry.tail(collection, index)
            after = geometry.blank_lines_end(tail) > tail
        return before, after

    def value_lines(
        self, collection: Collection | None, index: int, node: Collection
    ) -> tuple[list[str], int]:
        """A block value at column 0, and how far it is indented from its entry in the source."""
        geometry = self.geometry
        column = geometry.column(geometry.start(node, 0))
        if collection is None:
            return self.collection(node), 0
        indent = column - geometry.column(geometry.start(collection, index))
        foot = geometry.lines(
            geometry.content_end(collection, index), geometry.tail(collection, index)
        )
        return (
            self._above(collection, index, node)
            + self.collection(node)
            + self._remarks(foot, column),
            indent,
        )

    def collection(self, node: Collection) -> list[str]:
        """A block collection at column 0, without the comments above its first entry."""
        geometry = self.geometry
        column = geometry.column(geometry.start(node, 0))
        lines = self._body(node, 0)
        for index in range(1, len(node.entries)):
            gap = geometry.lines(geometry.tail(node, index - 1), geometry.head(node, index))
            lines += self._remarks(gap, column)
            lines += self.entry(node, index)[0]
        return lines

    def inline(self, node: Node, column: int) -> list[str]:
        """A scalar, alias or flow collection; the lines after the first lose `column` columns."""
        if self.names.keep(node):
            first, *rest = self.geometry.lines_of(node)
            return [first, *dedented(rest, column)]
        return self._inline_text(node, node.end, column)

    def _inline_text(self, node: Node, end: int, column: int) -> list[str]:
        """The text of a node up to `end`, without anchors that cannot stay."""
        if self.names.keep(node):
            first, *rest = self.geometry.lines(node.start, end)
            return [first, *dedented(rest, column)]
        if isinstance(node, Scalar):
            first, *rest = self.geometry.lines(self.geometry.after_properties(node), end) or [""]
            return [f"{self.properties(node)} {first.strip()}".strip(), *dedented(rest, column)]
        return [flow_text(node.data) + self.geometry.text[node.end : end].rstrip()]

    def properties(self, node: Node) -> str:
        """The tag of a block collection, and its anchor where that can stay."""
        text = self.geometry.text[node.start : self.geometry.after_properties(node)]
        if node.anchor and node.anchor not in self.names.anchors:
            text = " ".join(word for word in text.split() if not word.startswith("&"))
        if "\n" in text:
            raise SpliceError("properties on several lines")
        return text

    def _body(self, collection: Collection, index: int) -> list[str]:
        """The lines of a block entry, without head comments."""
        geometry = self.geometry
        start = geometry.start(collection, index)
        column = geometry.column(start)
        lead = geometry.lead_or_key_end(collection, index)
        first, *rest = geometry.lines(start, lead)
        lines = [first, *dedented(rest, column)]
        value = collection.entries[index].value
        if is_block(value):
            after = self._block_value(collection, index, lead, value)
        else:
            after = self._inline_value(collection, index, lead, column)
        lines[-1] += after[0]
        foot = geometry.lines(
            geometry.content_end(collection, index), geometry.tail(collection, index)
        )
        return lines + after[1:] + self._remarks(foot, column)

    def _block_value(
        self, collection: Collection, index: int, lead: int, value: Collection
    ) -> list[str]:
        geometry = self.geometry
        start = geometry.start(collection, index)
        first = geometry.start(value, 0)
        inner = self.collection(value)
        if not geometry.on_own_line(value, 0):
            gap = geometry.text[lead:first]
            if gap.strip():
                raise SpliceError("properties before a compact collection")
            width = len(gap) + 1
            if self.style and isinstance(collection, Sequence):
                width = max(2, self.style.indent(collection, value, width))
            return [" " * (width - 1) + inner[0], *indented(inner[1:], width)]
        rest = geometry.text[lead : geometry.line_end(lead)].rstrip()
        if value.anchor or value.tag:
            end = geometry.after_properties(value)
            if end > geometry.line_end(lead):
                raise SpliceError("properties on a line of their own")
            rest = f" {self.properties(value)}".rstrip()
            rest += geometry.text[end : geometry.line_end(lead)].rstrip()
        width = geometry.column(first) - geometry.column(start)
        if self.style:
            width = self.style.indent(collection, value, width)
            width = max(width, 2) if isinstance(collection, Sequence) else width
        return [rest, *indented(self._above(collection, index, value) + inner, width)]

    def _inline_value(
        self, collection: Collection, index: int, lead: int, column: int
    ) -> list[str]:
        geometry = self.geometry
        value = collection.entries[index].value
        end = geometry.content_end(collection, index)
        gap = geometry.text[lead : value.start] if value.end > value.start else ""
        if "\n" in gap:
            if not self.names.keep(value):
                raise SpliceError("an anchor on a line of its own")
            first, *rest = geometry.lines(lead, end)
            return [first, *dedented(rest, column)]
        if self.style and isinstance(collection, Sequence) and value.end > value.start:
            gap = " " * max(1, (self.style.after_dash or len(gap) + 1) - 1)
        if value.end <= value.start:
            first, *rest = geometry.lines(lead, end) or [""]
            return [first.rstrip(), *dedented(rest, column)]
        first, *rest = self._inline_text(value, end, column)
        return [gap + first.strip(), *rest]

    def _above(self, collection: Collection, index: int, value: Collection) -> list[str]:
        """The comment and blank lines between a key and the first entry of its block value."""
        geometry = self.geometry
        first = geometry.start(value, 0)
        if not geometry.on_own_line(value, 0):
            return []
        begin = geometry.line_end(geometry.first_line_end(collection, index))
        return self._remarks(
            geometry.lines(begin, geometry.line_start(first)), geometry.column(first)
        )

    def _remarks(self, lines: list[str], column: int) -> list[str]:
        """Comment and blank lines, relative to `column`."""
        moved = []
        for line in lines:
            text = line.strip()
            indent = len(line) - len(line.lstrip())
            moved.append(" " * max(0, indent - column) + text if text else "")
        return moved
