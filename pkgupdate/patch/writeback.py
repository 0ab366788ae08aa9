"""New data into an old text: the edits that change nothing but the values that differ."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import SequenceMatcher

from pkgupdate.document.apply import apply_edits
from pkgupdate.document.document import Document
from pkgupdate.document.edits import (
    DeleteEntry,
    Edit,
    FromData,
    InsertEntry,
    Reorder,
    SetRoot,
    SetValue,
)
from pkgupdate.document.nodes import Mapping, Node, Sequence, key_data
from pkgupdate.document.values import from_plain
from pkgupdate.errors import DocumentError, Location
from pkgupdate.patch.resources import MERGE_KEY, inherited_data, kubernetes_data, plain_key
from pkgupdate.patch.values import Data, Map, same, text
from pkgupdate.schema import Schema


def write_back(document: Document, data: Map, schema: Schema) -> str:
    """The text of the document with `data` as its value; comments and layout stay.

    schema: tells which items of a list belong together. Raises DocumentError (`edit-failed`).
    """
    written = apply_edits(document, list(edits_for(document, data, schema)))
    if not same(kubernetes_data(Document(written).data), data):
        raise DocumentError(
            "edit-failed",
            "the new values cannot be written into this document",
            where=Location(document.name, document.first_line),
            why="a value that would have to change comes from a merge key (<<) or an alias",
            hint="write the value out in the document",
        )
    return written


def edits_for(document: Document, data: Map, schema: Schema) -> Iterator[Edit]:
    """The edits that make `data` (plain) the value of the document."""
    root = document.root
    if isinstance(root, Mapping):
        yield from _map_edits(root, data, schema)
    elif root is None or not same(kubernetes_data(root.data), data):
        yield SetRoot(FromData(from_plain(data)))


def _map_edits(node: Mapping, data: Map, schema: Schema) -> Iterator[Edit]:
    places: dict[str, int] = {}
    inherited = inherited_data(node.data) if isinstance(node.data, dict) else {}
    for i, entry in enumerate(node.entries):
        if key_data(entry) == MERGE_KEY:
            continue
        key = plain_key(key_data(entry))
        places[key] = i
        if key not in data:
            yield DeleteEntry(node, i)
        else:
            yield from _value_edits(node, i, entry.value, data[key], schema.field(key))
    after = len(node.entries) - 1
    for key, value in data.items():
        if key not in places and not (key in inherited and same(inherited[key], value)):
            yield InsertEntry(node, after, from_plain(key), FromData(from_plain(value)))


def _value_edits(
    parent: Mapping | Sequence, index: int, node: Node, data: Data, schema: Schema
) -> Iterator[Edit]:
    if same(kubernetes_data(node.data), data):
        return
    if isinstance(node, Mapping) and isinstance(data, dict) and data:
        yield from _map_edits(node, data, schema)
    elif isinstance(node, Sequence) and isinstance(data, list) and data:
        yield from _list_edits(node, data, schema)
    else:
        yield SetValue(parent, index, FromData(from_plain(data)))


def _list_edits(node: Sequence, data: list[Data], schema: Schema) -> Iterator[Edit]:
    old = [kubernetes_data(entry.value.data) for entry in node.entries]
    pairs = _pairs(old, data, schema)
    survivors = set(pairs.values())
    for i in range(len(old)):
        if i not in survivors:
            yield DeleteEntry(node, i)
    after = -1
    for place, item in enumerate(data):
        if place in pairs:
            after = pairs[place]
            yield from _value_edits(node, after, node.entries[after].value, item, schema.items())
        else:
            yield InsertEntry(node, after, None, FromData(from_plain(item)))
    order = tuple(pairs[place] for place in sorted(pairs))
    if list(order) != sorted(order):
        yield Reorder(node, order)


def _pairs(old: list[Data], new: list[Data], schema: Schema) -> dict[int, int]:
    """The old item for each new one, by position in both lists."""
    old_keys, new_keys = _keys(old, schema), _keys(new, schema)
    if old_keys is not None and new_keys is not None:
        places = {key: i for i, key in enumerate(old_keys)}
        return {i: places[key] for i, key in enumerate(new_keys) if key in places}
    pairs: dict[int, int] = {}
    matcher = SequenceMatcher(None, _tokens(old), _tokens(new), autojunk=False)
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if tag in ("equal", "replace"):
            count = min(old_end - old_start, new_end - new_start)
            pairs |= {new_start + i: old_start + i for i in range(count)}
    return pairs


def _keys(items: list[Data], schema: Schema) -> list[tuple[str, ...]] | None:
    """The key of every item; None if the list has none, or one twice."""
    rule = schema.list_rule
    if rule is None or rule.kind != "map" or not all(isinstance(item, dict) for item in items):
        return None
    keys = [
        tuple(text(item.get(key, rule.defaults.get(key))) for key in rule.keys) for item in items
    ]
    return keys if len(set(keys)) == len(keys) else None


def _tokens(items: list[Data]) -> list[str]:
    return [json.dumps(item, sort_keys=True) for item in items]
