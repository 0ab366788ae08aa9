"""Where the entries of a document lie in its text: lines, columns, heads, tails.

A block entry owns whole lines: its *head* (comments above, see `head`),
its first line up to the value and the *line* comment, the lines of its value, and its *foot*
(comments below it that are indented deeper than the entry). Everything is computed on demand from
the spans of the nodes; nothing here scans the whole document.
"""

from __future__ import annotations

import re

from pkgupdate.document.nodes import Collection, Mapping, Node, Scalar, Sequence, is_block

_BLANK = " \t\r\n"
_REST_OF_LINE = re.compile(r"[ \t]*(?:[ \t]#[^\n]*|(?<=[\s:-])#[^\n]*)?\r?$", re.MULTILINE)
_COMMENT_OR_BLANK = re.compile(r"([ \t]*)(#[^\n]*)?\r?(?:\n|\Z)")
_BLANK_LINES = re.compile(r"(?:[ \t]*\r?\n)*")
_PROPERTY = re.compile(r"(?:!<[^>\s]*>|[&!][^ \t\r\n,\]}]*)[ \t\r\n]*")
_LINE_COMMENT = re.compile(r"[ \t]#[^\r\n]*")

_END_MARKER = re.compile(r"^\.\.\.(?=[ \t\r\n]|\Z)", re.MULTILINE)


class SpliceError(Exception):
    """The place cannot be edited by splicing with certainty; another writer has to do it."""


class Geometry:
    """Positions in the text of one document; `text` always ends with a newline."""

    def __init__(self, text: str, root: Node | None, newline: str) -> None:
        self.text = text if not text or text.endswith("\n") else text + newline
        self.root = root
        self.newline = newline

    def line_start(self, position: int) -> int:
        """Offset of the first character of the line of `position`."""
        return self.text.rfind("\n", 0, position) + 1

    def line_end(self, position: int) -> int:
        """Offset just after the newline that ends the line of `position`."""
        i = self.text.find("\n", position)
        return len(self.text) if i < 0 else i + 1

    def column(self, position: int) -> int:
        """Code points between the start of the line and `position`."""
        return position - self.line_start(position)

    def lines(self, start: int, end: int) -> list[str]:
        """The lines of a range, without their line ends."""
        if end <= start:
            return []
        return self.text[start:end].replace("\r\n", "\n").removesuffix("\n").split("\n")

    def keeps_blank_lines(self, node: Node) -> bool:
        """Does the node end in a block scalar to which the blank lines after it belong (``|+``)?"""
        while isinstance(node, Mapping | Sequence) and node.entries:
            node = node.entries[-1].value
        if not is_block_scalar(node):
            return False
        header = self.text[self.after_properties(node) : self.line_end(node.start)]
        return "+" in header.partition("#")[0]

    def lines_of(self, node: Node) -> list[str]:
        """The lines of a node's own text; blank lines at its end (with ``|+``) count."""
        return self.text[node.start : node.end].replace("\r\n", "\n").split("\n")

    def blank_lines_end(self, position: int) -> int:
        """End of the blank lines that begin at `position` (the start of a line)."""
        match = _BLANK_LINES.match(self.text, position)
        return match.end() if match else position

    def blank_lines_start(self, position: int, lowest: int) -> int:
        """Start of the blank lines that end at `position` (the start of a line)."""
        while position > lowest:
            start = self.line_start(position - 1)
            if start < lowest or self.text[start:position].strip():
                break
            position = start
        return position

    def end_marker(self) -> int:
        """Where the content of the document ends: at its ``...`` line, else at the end."""
        match = _END_MARKER.search(self.text)
        return match.start() if match else len(self.text)

    def start(self, collection: Collection, index: int) -> int:
        """Where an entry starts: at its key (or ``?``), its dash, or in a flow list its value."""
        entry = collection.entries[index]
        if entry.key is not None:
            start = entry.key.start
            before = self.text[self.line_start(start) : start]
            if not collection.flow and before.rstrip()[-1:] == "?":
                return self.line_start(start) + len(before.rstrip()) - 1
            return start
        if collection.flow:
            return entry.value.start
        previous = collection.entries[index - 1].value.end if index else collection.start
        return self._find("-", previous)

    def lead(self, collection: Collection, index: int) -> int:
        """Offset just after the ``:`` or ``-`` of an entry."""
        entry = collection.entries[index]
        if entry.key is None:
            return self.start(collection, index) + 1
        return self._find(":", entry.key.end) + 1

    def _find(self, mark: str, position: int) -> int:
        """The first `mark` at or after a position, over blanks, comments and node properties."""
        text = self.text
        while True:
            char = text[position : position + 1]
            if char == mark:
                return position
            if char == "#":
                position = self.line_end(position)
            elif char and char in _BLANK:
                position += 1
            elif char and char in "&!":
                while text[position] not in _BLANK:
                    position += 1
            else:
                raise SpliceError(f"no {mark!r} where one is expected")

    def after_properties(self, node: Node) -> int:
        """Offset after the anchor and tag of a node, white space not included."""
        position = end = node.start
        for _ in range(bool(node.anchor) + bool(node.tag)):
            if match := _PROPERTY.match(self.text, position):
                position, end = match.end(), match.start() + len(match[0].rstrip(_BLANK))
        return end

    def on_own_line(self, collection: Collection, index: int) -> bool:
        """Does nothing but white space precede the entry on its line?"""
        start = self.start(collection, index)
        return not self.text[self.line_start(start) : start].strip()

    def first_line_end(self, collection: Collection, index: int) -> int:
        """End of the content on the line that ends with the ``:`` or ``-`` and properties."""
        value = collection.entries[index].value
        lead = self.lead(collection, index)
        return self.after_properties(value) if value.anchor or value.tag else lead

    def content_end(self, collection: Collection, index: int) -> int:
        """End (after the newline) of the lines of a block entry, its foot not included."""
        value = collection.entries[index].value
        if is_block(value):
            return self.tail(value, len(value.entries) - 1)
        last = value.end if value.end > value.start else self.lead_or_key_end(collection, index)
        if not is_block_scalar(value) and not _REST_OF_LINE.match(self.text, last):
            raise SpliceError("text after the value")
        return self.line_end(last)

    def lead_or_key_end(self, collection: Collection, index: int) -> int:
        """Like `lead`, but the end of the key where an explicit key has no ``:``."""
        entry = collection.entries[index]
        try:
            return self.lead(collection, index)
        except SpliceError:
            if entry.key is None or entry.value.end > entry.value.start:
                raise
            return entry.key.end

    def tail(self, collection: Collection, index: int) -> int:
        """End (after the newline) of all lines that a block entry owns."""
        end = position = self.content_end(collection, index)
        column = self.column(self.start(collection, index))
        while position < len(self.text):
            match = _COMMENT_OR_BLANK.match(self.text, position)
            if not match or (match[2] and len(match[1]) <= column):
                break
            position = match.end()
            if match[2]:
                end = position
        return end

    def head(self, collection: Collection, index: int) -> int:
        """Start of the comments above a block entry that has a line of its own.

        These are the comment lines directly above it and, but for the first entry of the root, the
        blocks of comments above those that blank lines set apart from the entry before.
        """
        position = self.line_start(self.start(collection, index))
        lowest = self.tail(collection, index - 1) if index else 0
        head = self._comment_block(position, lowest)
        while index or collection is not self.root:
            gap = self.blank_lines_start(head, lowest)
            above = self._comment_block(gap, lowest)
            if gap == head or above == gap or (index and above == lowest):
                break
            head = above
        return head

    def _comment_block(self, position: int, lowest: int) -> int:
        """Start of the comment lines that end at `position` (the start of a line)."""
        while position > lowest:
            start = self.line_start(position - 1)
            match = _COMMENT_OR_BLANK.match(self.text, start)
            if start < lowest or not match or not match[2]:
                break
            position = start
        return position

    def owned_head(self, collection: Collection, index: int) -> int:
        """Like `head`; but comments above the first entry of the file belong to the file."""
        if index == 0 and collection is self.root:
            return self.line_start(self.start(collection, index))
        return self.head(collection, index)

    def line_comment(self, collection: Collection, index: int) -> tuple[int, int] | None:
        """Span of the comment beside the value (or the ``key:``, or a block scalar's header)."""
        value = collection.entries[index].value
        position = self.comment_anchor(collection, index)
        match = _LINE_COMMENT.search(self.text, position, self.line_end(position))
        if not match:
            return None
        if is_block(value) and self.start(value, 0) < match.start():
            return None
        return match.start() + 1, match.end()

    def comment_anchor(self, collection: Collection, index: int) -> int:
        """Offset after which, on the same line, the line comment of a block entry stands."""
        value = collection.entries[index].value
        if is_block(value):
            return self.first_line_end(collection, index)
        if is_block_scalar(value):
            return self.after_properties(value)
        return max(value.end, self.lead_or_key_end(collection, index))


def is_block_scalar(node: Node) -> bool:
    """Is the node a literal or folded block scalar?"""
    return isinstance(node, Scalar) and node.style in ("|", ">")
