"""Splicing: only what an edit touches is written, every other byte stays."""

from __future__ import annotations

import contextlib

from pkgupdate.document.aliases import orphans
from pkgupdate.document.block_edits import BlockEditor, empty_text
from pkgupdate.document.block_scalar import indicator_end, last_block_scalar
from pkgupdate.document.changes import Changes, ChangeSet, content_data
from pkgupdate.document.comment_edits import CommentEditor
from pkgupdate.document.document import Document
from pkgupdate.document.edits import Content
from pkgupdate.document.flow_edits import FlowEditor
from pkgupdate.document.geometry import SpliceError
from pkgupdate.document.intent import Intent
from pkgupdate.document.nodes import Alias, Collection, Node, Sequence, is_block
from pkgupdate.document.splices import Splices
from pkgupdate.document.transplant import Fragment, Planter
from pkgupdate.document.value_edits import ValueEditor
from pkgupdate.document.verify import Expectation

_DEEPEST = 1 << 30


def spliced(
    document: Document,
    changes: ChangeSet,
    intent: Intent,
    expectation: Expectation,
    by_value: frozenset[int] = frozenset(),
) -> str | None:
    """The text with the changes spliced in, None if that cannot be done or does not verify.

    by_value: ids of contents that are rendered from data instead of transplanted.
    """
    try:
        candidates = Splicer(document, changes, intent, by_value).candidates()
    except SpliceError:
        return None
    return next((text for text in candidates if expectation.holds(text)), None)


class Splicer:
    """Turns the changes of one document into splices."""

    def __init__(
        self, document: Document, changes: ChangeSet, intent: Intent, by_value: frozenset[int]
    ) -> None:
        self.document = document
        self.geometry = document.geometry
        self.changes = changes
        self.intent = intent
        self.planter = Planter(document, by_value, changes.contents())
        self.splices = Splices(self.geometry.text)

    def candidates(self) -> list[str]:
        """The new text; without a newline at the end of the source, in several variants.

        A last line without newline stays so, unless what ends the text now needs one. A block
        scalar that is cut off there has a value without final newline, and keeps it as `|-`.
        """
        if self.changes.root is not None:
            self._set_root(self.changes.root)
        else:
            for changes in self.changes.by_collection.values():
                if not self.intent.is_covered(changes.collection):
                    self._collection(changes)
            for alias_place, content, anchor in orphans(self.document, self.intent):
                self._write_out(*alias_place, content, anchor)
        text = self.splices.apply()
        if not self.document.text or self.document.text.endswith("\n"):
            return [text]
        candidates = [text]
        cut_off = last_block_scalar(self.document)
        if cut_off is not None:
            position = indicator_end(self.document, cut_off)
            self.splices.put(position, position, "-", depth=_DEEPEST)
            with contextlib.suppress(SpliceError):  # the scalar itself goes away
                candidates.append(self.splices.apply())
        newline = self.geometry.newline
        return [c.removesuffix(newline) for c in candidates] + candidates

    def _depth(self, node: Node) -> int:
        depth = 0
        while id(node) in self.intent.parents:
            node, depth = self.intent.parents[id(node)][0], depth + 2
        return depth

    def _collection(self, changes: Changes) -> None:
        collection, depth = changes.collection, self._depth(changes.collection)
        if not collection.entries:
            self._fill(changes, depth)
        elif collection.flow:
            FlowEditor(self.geometry, self.planter, self.splices, changes, depth).run()
        else:
            self._block(changes, depth)

    def _block(self, changes: Changes, depth: int) -> None:
        collection = changes.collection
        comments = dict(changes.comments)
        editor = BlockEditor(self.geometry, self.planter, self.splices, changes, depth)
        values = ValueEditor(self.geometry, self.planter, self.splices, depth + 1, comments)
        for index, content in changes.sets.items():
            if self._alias_will_do(collection, index, content):
                continue
            values.replace(collection, index, self.planter.value(content, collection, index))
        remarks = CommentEditor(self.geometry, self.splices, collection, depth + 1)
        beside_dash = editor.beside_dash()
        for (index, place), lines in comments.items():
            if place != "head" or index not in beside_dash:
                remarks.set(index, place, lines)
        if not changes.live and not changes.inserts:
            self._empty(collection, depth)
        else:
            editor.run()

    def _alias_will_do(self, collection: Collection, index: int, content: Content) -> bool:
        """Does the alias at this entry have the wanted value anyway, through its anchor?"""
        alias = collection.entries[index].value
        if not isinstance(alias, Alias) or self.intent.is_removed(alias.target):
            return False
        return self.intent.of(alias) == content_data(content)

    def _empty(self, collection: Collection, depth: int) -> None:
        """All entries go: the collection becomes `{}` or `[]` behind its key."""
        geometry, text = self.geometry, empty_text(collection)
        place = self.intent.parents.get(id(collection))
        count = len(collection.entries)
        if place is None:
            start = geometry.line_start(geometry.start(collection, 0))
            self.splices.put(start, start, text + geometry.newline, depth=depth)
        elif geometry.on_own_line(collection, 0):
            position = geometry.first_line_end(*place)
            self.splices.put(position, position, " " + text, depth=depth)
        else:
            start = geometry.start(collection, 0)
            self.splices.put(
                start, geometry.tail(collection, 0), text + geometry.newline, depth=depth
            )
        for index in range(count):
            if index or place is None or geometry.on_own_line(collection, 0):
                start = geometry.owned_head(collection, index)
                end = geometry.tail(collection, index)
                self.splices.put(start, end, depth=depth)
                after = geometry.blank_lines_end(end)
                if index + 1 < count:
                    self.splices.put(end, after, depth=depth)

    def _fill(self, changes: Changes, depth: int) -> None:
        """Entries for a collection that has none: `{}` grows into lines below its key."""
        collection = changes.collection
        place = self.intent.parents.get(id(collection))
        if not changes.inserts:
            return
        if place is not None and place[0].flow:
            FlowEditor(self.geometry, self.planter, self.splices, changes, depth).run()
            return
        lines: list[str] = []
        for insert in sorted(changes.inserts, key=lambda insert: insert.after):
            lines += self.planter.entry(insert.content, insert.key, collection).entry
        style = self.planter.style_for(changes.inserts[0].content)
        indent = style.list_in_map if isinstance(collection, Sequence) else style.map_in_map
        new = Fragment(self.intent.of(collection), lines=lines, indent=indent or 0)
        if place is None:
            self._replace_root(new)
            return
        if collection.tag:
            properties = self.geometry.text[
                collection.start : self.geometry.after_properties(collection)
            ]
            words = [word for word in properties.split() if not word.startswith("&")]
            new.properties = " ".join(words)
        editor = ValueEditor(self.geometry, self.planter, self.splices, depth + 1, {})
        editor.replace(*place, new)

    def _set_root(self, content: Content) -> None:
        self._replace_root(self.planter.root(content))

    def _replace_root(self, new: Fragment) -> None:
        """Write a new root where the old one is, or at the end of a document without one."""
        geometry, root = self.geometry, self.document.root
        if new.properties:
            raise SpliceError("a root with properties")
        lines = new.lines or new.inline
        text = "".join(line + geometry.newline for line in lines)
        if root is None:
            position = geometry.end_marker()
            self.splices.put(position, position, text)
        elif is_block(root):
            if root.anchor or root.tag:
                raise SpliceError("a root with properties")
            start = geometry.line_start(geometry.start(root, 0))
            self.splices.put(start, geometry.tail(root, len(root.entries) - 1), text)
        else:
            before = geometry.text[geometry.line_start(root.start) : root.start]
            start = root.start
            if before.strip() and new.lines:
                text = geometry.newline + text
                start = geometry.line_start(start) + len(before.rstrip())
            self.splices.put(start, root.end, text.removesuffix(geometry.newline))

    def _write_out(self, collection: Collection, index: int, content: Content, anchor: str) -> None:
        """Put the value of an alias in its place; with `anchor`, it takes over that name."""
        new = self.planter.value(content, collection, index)
        mark = f"&{anchor} " if anchor else ""
        depth = self._depth(collection) + 1
        if collection.flow:
            value = collection.entries[index].value
            self.splices.put(value.start, value.end, mark + new.flow, depth=depth)
            return
        if new.lines:
            new.properties = f"{mark}{new.properties}".rstrip()
        else:
            new.inline[0] = mark + new.inline[0]
        ValueEditor(self.geometry, self.planter, self.splices, depth, {}).replace(
            collection, index, new
        )
