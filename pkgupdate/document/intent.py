"""The value that a document should have after some edits, worked out on data alone.

An alias follows its anchor: editing below an anchored node, or setting its value (the anchor
stays), changes every alias of it. Deleting an anchored node leaves its aliases with the value it
had.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from pkgupdate.document.changes import ChangeSet, content_data, group_edits, parents_of
from pkgupdate.document.document import Document
from pkgupdate.document.edits import Edit, InsertEntry
from pkgupdate.document.nodes import (
    Alias,
    Collection,
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    key_data,
    map_data,
    tagged,
)
from pkgupdate.document.values import NULL, Value


def apply_to_data(document: Document, edits: Iterable[Edit]) -> Value:
    """The canonical value that the edits of this document intend."""
    return Intent(document, group_edits(edits)).data()


class Intent:
    """Intended values of the nodes of one document under one set of changes."""

    def __init__(self, document: Document, changes: ChangeSet) -> None:
        self.document = document
        self.changes = changes
        self.parents = parents_of(document.root) if changes.by_collection else {}
        self.touched = self._touched()
        self._aliases: dict[int, Value] = {}
        self._replaced = {
            id(c.collection.entries[i].value): content_data(content)
            for c in changes.by_collection.values()
            for i, content in c.sets.items()
        }

    def _touched(self) -> set[int]:
        """Changed collections and all collections around them, through aliases too."""
        pending: list[Node] = [c.collection for c in self.changes.by_collection.values()]
        touched: set[int] = set()
        while pending:
            node = pending.pop()
            while id(node) not in touched:
                touched.add(id(node))
                if id(node) not in self.parents:
                    break
                node = self.parents[id(node)][0]
        return touched

    def data(self) -> Value:
        """The value of the whole document."""
        if self.changes.root is not None:
            return content_data(self.changes.root)
        if self.document.root is None:
            return NULL
        return self.of(self.document.root)

    def of(self, node: Node) -> Value:
        """The value of one node of the tree after the edits."""
        if isinstance(node, Scalar):
            return node.data
        if isinstance(node, Alias):
            return self._of_alias(node)
        if id(node) not in self.touched and not self.document.tree.aliases:
            return node.data
        changes = self.changes.of(node)
        slots = changes.slots() if changes else range(len(node.entries))
        sets = changes.sets if changes else {}
        if isinstance(node, Sequence):
            items = [
                content_data(slot.content)
                if isinstance(slot, InsertEntry)
                else content_data(sets[slot])
                if slot in sets
                else self.of(node.entries[slot].value)
                for slot in slots
            ]
            return tagged(node.tag, items)
        pairs = []
        for slot in slots:
            if isinstance(slot, InsertEntry):
                assert slot.key is not None
                pairs.append((slot.key, content_data(slot.content)))
            else:
                entry = node.entries[slot]
                value = content_data(sets[slot]) if slot in sets else self.of(entry.value)
                pairs.append((key_data(entry), value))
        return tagged(node.tag, map_data(pairs))

    def _of_alias(self, alias: Alias) -> Value:
        target = alias.target
        if id(target) not in self._aliases:
            self._aliases[id(target)] = self._of_target(target)
        return self._aliases[id(target)]

    def _of_target(self, target: Node) -> Value:
        if id(target) in self._replaced:
            return self._replaced[id(target)]
        if self.is_removed(target):
            return target.data
        return self.of(target)

    def is_covered_entry(self, collection: Collection, index: int) -> bool:
        """Does this entry go away, or is its value replaced, or does it lie in such an entry?"""
        changes = self.changes.of(collection)
        if changes and (index in changes.deletes or index in changes.sets):
            return True
        return self.is_covered(collection)

    def is_removed(self, node: Node) -> bool:
        """Does an anchored node go away, with an entry that is deleted or replaced around it?"""
        return id(node) in self._removed_anchors

    @cached_property
    def _removed_anchors(self) -> set[int]:
        if not self.document.tree.anchored:
            return set()
        return {
            id(node)
            for entry, whole in self._lost_entries()
            for node in anchored_below(entry, whole)
        }

    def _lost_entries(self) -> list[tuple[Entry, bool]]:
        """Deleted entries (True) and entries whose value is replaced (False)."""
        lost = []
        for changes in self.changes.by_collection.values():
            entries = changes.collection.entries
            lost += [(entries[i], True) for i in changes.deletes]
            lost += [(entries[i], False) for i in changes.sets]
        return lost

    def is_covered(self, collection: Collection) -> bool:
        """Does the collection lie inside an entry that is itself deleted or replaced?"""
        node = collection
        while id(node) in self.parents:
            node, index = self.parents[id(node)]
            changes = self.changes.of(node)
            if changes and (index in changes.deletes or index in changes.sets):
                return True
        return False


def anchored_below(entry: Entry, whole: bool) -> list[Node]:
    """Nodes with an anchor in an entry; without `whole`, the value node itself does not count."""
    pending: list[Node] = [entry.value]
    if whole and entry.key is not None:
        pending.append(entry.key)
    found: list[Node] = []
    while pending:
        node = pending.pop()
        if node.anchor and (whole or node is not entry.value):
            found.append(node)
        if isinstance(node, Mapping | Sequence):
            for inner in node.entries:
                pending.append(inner.value)
                if inner.key is not None:
                    pending.append(inner.key)
    return found
