"""One YAML document: its source text, its node tree and its comments."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property

from pkgupdate.document.comments import Comments, all_comments, entry_comments
from pkgupdate.document.geometry import Geometry
from pkgupdate.document.nodes import Collection, Mapping, Node, Sequence, key_data
from pkgupdate.document.parse import Tree, parse_tree
from pkgupdate.document.style import Style, detect
from pkgupdate.document.values import NULL, Typed, Value
from pkgupdate.errors import DocumentError, Location

BOM = "\ufeff"
_ODD_BREAK = re.compile("\r(?!\n)|[\x85\u2028\u2029]")


class Document:
    """One YAML document with exact spans, as it stands in the source.

    text: the source without byte order mark (`bom` tells whether there was one).
    newline: the line end of its first line.
    root: the root node, None if there are only comments.
    name, first_line: where the document lies, for messages.

    Raises DocumentError with file and line if the text is no YAML, goes over a limit, or holds
    more than one document.
    """

    def __init__(self, text: str, *, name: str = "", first_line: int = 1) -> None:
        self.bom = text.startswith(BOM)
        self.text = text[1:] if self.bom else text
        self.name = name
        self.first_line = first_line
        first_break = self.text.find("\n")
        self.newline = "\r\n" if first_break > 0 and self.text[first_break - 1] == "\r" else "\n"
        try:
            self.tree: Tree = parse_tree(self.text)
        except DocumentError as e:
            line = e.where.line + first_line - 1 if e.where.line else 0
            raise DocumentError(
                e.code, e.what, where=Location(name, line), why=e.why, hint=e.hint
            ) from e
        if len(self.tree.roots) > 1:
            raise DocumentError(
                "yaml-syntax",
                "this text holds more than one YAML document",
                where=Location(name, self.line_of(self.tree.roots[1].start)),
            )
        self.root: Node | None = self.tree.roots[0] if self.tree.roots else None
        if self.root is not None and self.root.end <= self.root.start:
            self.root = None  # the null that stands for nothing after a `---`

    @property
    def data(self) -> Value:
        """The canonical value of the root; null for a document without one."""
        return NULL if self.root is None else self.root.data

    def line_of(self, position: int) -> int:
        """The 1-based line of the file that `position` lies on."""
        return bisect_left(self._line_ends, position) + self.first_line

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self.text)]

    def comments(self, collection: Collection, index: int) -> Comments:
        """The head, line and foot comments of an entry of this document."""
        return entry_comments(self.geometry, collection, index)

    @cached_property
    def duplicate_keys(self) -> list[tuple[str, int]]:
        """Every repeated map key, as text, with the line of the repetition."""
        return [
            (_key_text(key_data(entry)), self.line_of(entry.key.start))
            for entry in self.tree.repeated
            if entry.key is not None
        ]

    @cached_property
    def anchored(self) -> dict[str, list[Node]]:
        """The nodes with an anchor, by its name, in source order."""
        nodes: dict[str, list[Node]] = {}
        for node in self.tree.anchored:
            nodes.setdefault(node.anchor, []).append(node)
        return nodes

    @cached_property
    def anchor_paths(self) -> dict[int, tuple[int | Value, ...]]:
        """Keys and positions that lead to each value with an anchor, by the node's `id`."""
        paths: dict[int, tuple[int | Value, ...]] = {}
        pending: list[tuple[tuple[int | Value, ...], Node]] = []
        if self.root is not None and self.tree.anchored:
            pending.append(((), self.root))
        while pending:
            path, node = pending.pop()
            if node.anchor:
                paths[id(node)] = path
            if isinstance(node, Mapping | Sequence):
                for i, entry in enumerate(node.entries):
                    step = i if entry.key is None else key_data(entry)
                    pending.append(((*path, step), entry.value))
        return paths

    @cached_property
    def geometry(self) -> Geometry:
        """Lines and columns of the entries."""
        return Geometry(self.text, self.root, self.newline)

    @cached_property
    def style(self) -> Style:
        """The indents that this document uses."""
        return detect(self.geometry)

    @cached_property
    def all_comments(self) -> list[tuple[int, str]]:
        """Offset and text of every comment."""
        return all_comments(self.text, self.tree.hashes)

    @cached_property
    def has_odd_breaks(self) -> bool:
        """Does a line end in something other than LF or CRLF? YAML 1.1 knows several more."""
        return _ODD_BREAK.search(self.text) is not None


def _key_text(key: Value) -> str:
    return str(key.value) if isinstance(key, Typed) else str(key)
