"""Edits grouped by the collection that they change, with the order of the entries afterwards."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from pkgupdate.document.edits import (
    CommentPlace,
    Content,
    DeleteEntry,
    Edit,
    FromData,
    FromEntry,
    FromRoot,
    InsertEntry,
    Reorder,
    SetComment,
    SetMargin,
    SetRoot,
    SetValue,
)
from pkgupdate.document.nodes import Collection, Mapping, Node, Sequence
from pkgupdate.document.values import Value

Slot: TypeAlias = "int | InsertEntry"
"""An entry after the edits: the index of a local one, or a new one."""


@dataclass(slots=True, eq=False)
class Changes:
    """What happens to one collection."""

    collection: Collection
    sets: dict[int, Content] = field(default_factory=dict)
    deletes: set[int] = field(default_factory=set)
    inserts: list[InsertEntry] = field(default_factory=list)
    order: tuple[int, ...] | None = None
    comments: dict[tuple[int, CommentPlace], tuple[str, ...]] = field(default_factory=dict)

    @property
    def live(self) -> list[int]:
        """The surviving entries in source order."""
        return [i for i in range(len(self.collection.entries)) if i not in self.deletes]

    @property
    def reordered(self) -> bool:
        """Do surviving entries change places?"""
        return self.order is not None and self._order() != self.live

    def _order(self) -> list[int]:
        live = self.live
        if not self.order:
            return live
        alive = set(live)
        order = [i for i in dict.fromkeys(self.order) if i in alive]
        return order + [i for i in live if i not in set(order)] if len(order) < len(live) else order

    def groups(self) -> list[tuple[int, list[InsertEntry]]]:
        """Surviving entries in their new order, each with the new entries that follow it.

        The first group has index -1: what comes before all surviving entries.
        """
        live = self.live
        followers: dict[int, list[InsertEntry]] = {}
        for insert in sorted(self.inserts, key=lambda insert: insert.after):
            position = bisect_right(live, insert.after)
            anchor = live[position - 1] if position else -1
            followers.setdefault(anchor, []).append(insert)
        return [(i, followers.get(i, [])) for i in (-1, *self._order())]

    def slots(self) -> list[Slot]:
        """All entries after the edits."""
        slots: list[Slot] = []
        for index, inserts in self.groups():
            if index >= 0:
                slots.append(index)
            slots += inserts
        return slots


@dataclass(slots=True, eq=False)
class ChangeSet:
    """All edits of one document. `root`: new content of the whole document."""

    by_collection: dict[int, Changes] = field(default_factory=dict)
    root: Content | None = None

    def contents(self) -> list[Content]:
        """All new content."""
        found = [] if self.root is None else [self.root]
        for changes in self.by_collection.values():
            found += [*changes.sets.values(), *(insert.content for insert in changes.inserts)]
        return found

    def of(self, node: Node) -> Changes | None:
        """The changes of a collection, None if it has none of its own."""
        return self.by_collection.get(id(node))

    def on(self, collection: Collection) -> Changes:
        """The changes of a collection, to add to."""
        return self.by_collection.setdefault(id(collection), Changes(collection))


def group_edits(edits: Iterable[Edit]) -> ChangeSet:
    """Sort edits by collection; the last of several edits of one place wins, a delete over all.

    Edits of margins are not among them (see `margins`).
    """
    result = ChangeSet()
    for edit in edits:
        if isinstance(edit, SetMargin):
            continue
        if isinstance(edit, SetRoot):
            result.root = edit.content
            continue
        changes = result.on(edit.collection)
        match edit:
            case SetValue():
                changes.sets[edit.index] = edit.content
            case DeleteEntry():
                changes.deletes.add(edit.index)
            case InsertEntry():
                changes.inserts.append(edit)
            case Reorder():
                changes.order = edit.order
            case SetComment():
                changes.comments[edit.index, edit.place] = edit.lines
    for changes in result.by_collection.values():
        for index in changes.deletes:
            changes.sets.pop(index, None)
        for place in [place for place in changes.comments if place[0] in changes.deletes]:
            del changes.comments[place]
    return result


def content_data(content: Content) -> Value:
    """The canonical value of new content."""
    match content:
        case FromEntry():
            return content.collection.entries[content.index].value.data
        case FromRoot():
            return content.document.data
        case FromData():
            return content.data


def parents_of(root: Node | None) -> dict[int, tuple[Collection, int]]:
    """For every collection below the root: the collection that holds it, and at which index."""
    parents: dict[int, tuple[Collection, int]] = {}
    pending = [root] if isinstance(root, Mapping | Sequence) else []
    while pending:
        node = pending.pop()
        for index, entry in enumerate(node.entries):
            value = entry.value
            if isinstance(value, Mapping | Sequence):
                parents[id(value)] = (node, index)
                pending.append(value)
    return parents
