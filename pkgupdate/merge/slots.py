"""Where a value sits on one side of a merge, and how two such values compare."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from pkgupdate.document.edits import Content, FromEntry, FromRoot
from pkgupdate.document.nodes import Alias, Collection, Mapping, Node, Sequence
from pkgupdate.document.values import MISSING, MaybeValue, Missing, Typed, Value, to_plain
from pkgupdate.merge.sides import Sides

if TYPE_CHECKING:
    from pkgupdate.document.document import Document


class Slot(NamedTuple):
    """Entry `position` of `collection`, or the root of the document (`collection` is None)."""

    document: Document
    collection: Collection | None
    position: int
    node: Node

    def content(self) -> Content:
        """The value as new content for another document."""
        if self.collection is None:
            return FromRoot(self.document)
        return FromEntry(self.document, self.collection, self.position)


class Home(NamedTuple):
    """Where in the local tree an entry belongs that is not there yet (see `InsertEntry`)."""

    collection: Collection
    after: int
    key: Value | None


SlotSides = Sides[Slot | Missing]


def root_slot(document: Document | None) -> Slot | Missing:
    """The root of a document, if there is one."""
    if document is None or document.root is None:
        return MISSING
    return Slot(document, None, 0, document.root)


def collection_in(slot: Slot) -> Collection:
    """The collection that sits in the slot."""
    assert isinstance(slot.node, Mapping | Sequence)
    return slot.node


def child(slot: Slot, index: int) -> Slot:
    """Entry `index` of the collection in the slot."""
    collection = collection_in(slot)
    return Slot(slot.document, collection, index, collection.entries[index].value)


def data_of(slot: Slot | Missing) -> MaybeValue:
    """The canonical value, `MISSING` where nothing is."""
    return MISSING if isinstance(slot, Missing) else slot.node.data


def is_map(slot: Slot | Missing) -> TypeGuard[Slot]:
    """Is there a map of its own (no alias) that can be merged by its fields?"""
    if isinstance(slot, Missing):
        return False
    return isinstance(slot.node, Mapping) and isinstance(slot.node.data, dict)


def is_list(slot: Slot | Missing) -> TypeGuard[Slot]:
    """Is there a list of its own (no alias) that can be merged by its items?"""
    if isinstance(slot, Missing):
        return False
    return isinstance(slot.node, Sequence) and isinstance(slot.node.data, list)


def same_value(a: Slot, b: Slot) -> bool:
    """Do two slots hold the same?

    Two aliases do if they have one name and one anchor: a change of what they stand for is merged
    there. An alias and a value written out differ, since the first one follows its anchor.
    """
    if not isinstance(a.node, Alias) and not isinstance(b.node, Alias):
        return a.node.data == b.node.data
    if not isinstance(a.node, Alias) or not isinstance(b.node, Alias) or a.node.name != b.node.name:
        return False
    return a.node.data == b.node.data or _anchor(a) == _anchor(b)


def _anchor(slot: Slot) -> tuple[int | Value, ...] | None:
    """Where the anchor of an alias is in its document."""
    assert isinstance(slot.node, Alias)
    return slot.document.anchor_paths.get(id(slot.node.target))


def text_of(value: Value) -> str:
    """A scalar as path segment or merge key: ``53`` and ``"53"`` are the same one."""
    if isinstance(value, str):
        return value
    if isinstance(value, Typed):
        plain = to_plain(value)
        if isinstance(plain, bool):
            return "true" if plain else "false"
        return "null" if plain is None else str(plain)
    return repr(to_plain(value))


def freeze(value: Value) -> Hashable:
    """A hashable stand-in: two values are equal exactly if their stand-ins are."""
    if isinstance(value, dict):
        return frozenset((key, freeze(item)) for key, item in value.items())
    if isinstance(value, list):
        return ("[]", *map(freeze, value))
    return value
