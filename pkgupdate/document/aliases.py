"""Aliases that edits cut off from their anchor: it goes away, or comes to stand after them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import TypeAlias

from pkgupdate.document.changes import Changes
from pkgupdate.document.document import Document
from pkgupdate.document.edits import Content, FromData, FromEntry
from pkgupdate.document.intent import Intent
from pkgupdate.document.nodes import Alias, Collection, Mapping, Node, Sequence

Place: TypeAlias = tuple[Collection, int]


def orphans(document: Document, intent: Intent) -> Iterator[tuple[Place, Content, str]]:
    """Alias entries whose value has to be written out: where, what, and under which anchor.

    Where an anchored node goes away, its first alias takes over value and anchor, so that the
    others still refer to it. An alias that comes to stand before its anchor gets the bare value.
    """
    aliases = document.tree.aliases
    if not aliases:
        return
    places = _places(document.root)
    heirs: set[int] = set()
    moved = [c for c in intent.changes.by_collection.values() if c.reordered]
    for alias in aliases:
        place, source = places.get(id(alias)), places.get(id(alias.target))
        if place is None or source is None or intent.is_covered_entry(*place):
            continue
        if intent.is_removed(alias.target):
            if id(alias.target) not in heirs or moved:
                heirs.add(id(alias.target))
                name = "" if moved else alias.name
                yield place, _content(document, intent, alias, source), name
        elif any(_passes(changes, alias) for changes in moved):
            yield place, _content(document, intent, alias, source), ""


def _content(document: Document, intent: Intent, alias: Alias, source: Place) -> Content:
    """The text of the anchored node, or its value where other edits change it."""
    value = intent.of(alias)
    return FromEntry(document, *source) if value == alias.data else FromData(value)


def _passes(changes: Changes, alias: Alias) -> bool:
    """Does the order put the entry of an alias before the one of its anchor?"""
    entries = changes.collection.entries
    starts = [entry.value.start if entry.key is None else entry.key.start for entry in entries]
    users = bisect_right(starts, alias.start) - 1
    owners = bisect_right(starts, alias.target.start) - 1
    order = [slot for slot in changes.slots() if isinstance(slot, int)]
    if users == owners or users not in order or owners not in order:
        return False
    inside = alias.end <= entries[-1].value.end and alias.target.end <= entries[-1].value.end
    return inside and users >= 0 and owners >= 0 and order.index(users) < order.index(owners)


def _places(root: Node | None) -> dict[int, Place]:
    """For every value node: the entry that holds it."""
    places: dict[int, Place] = {}
    pending = [] if root is None else [root]
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping | Sequence):
            for index, entry in enumerate(node.entries):
                places[id(entry.value)] = (node, index)
                pending.append(entry.value)
    return places
