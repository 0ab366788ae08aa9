"""The last fallback: the same changes made on ruamel.yaml's round-trip tree, which is then dumped.

It loses layout and, at times, comments, so its result counts only after verification.
"""

from __future__ import annotations

import io
import re
from typing import Any

from pkgupdate.document.changes import ChangeSet, content_data
from pkgupdate.document.document import Document
from pkgupdate.document.edits import InsertEntry
from pkgupdate.document.nodes import Mapping, Node, Sequence
from pkgupdate.document.style import DEFAULT
from pkgupdate.document.values import Typed, Value, resolve_plain

_LEADING_MARKER = re.compile(r"(?:[ \t]*(?:[#%][^\n]*)?\r?\n)*---(?=[ \t\r\n]|\Z)")


def round_trip(document: Document, changes: ChangeSet) -> str | None:
    """The document with `changes`, as ruamel.yaml writes it; None if it cannot."""
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 1 << 20
    yaml.allow_duplicate_keys = True
    style = document.style.or_else(DEFAULT)
    offset = style.list_in_map or 0
    yaml.indent(mapping=style.map_in_map, sequence=offset + 2, offset=offset)
    yaml.explicit_start = _LEADING_MARKER.match(document.text) is not None
    buffer = io.StringIO()
    try:
        tree = yaml.load(document.text.replace("\r\n", "\n"))
        _change(document.root, tree, changes)
        yaml.dump(tree, buffer)
    except Exception:
        # It fails in many ways on odd documents; what it cannot write is reported by the caller.
        return None
    text = buffer.getvalue()
    if not document.text.endswith("\n"):
        text = text.removesuffix("\n")
    return text if document.newline == "\n" else text.replace("\n", "\r\n")


def _change(node: Node | None, tree: Any, changes: ChangeSet) -> None:
    """Make the changes at and below `node` on the matching part of ruamel.yaml's tree."""
    if not isinstance(node, Mapping | Sequence):
        return
    keys = list(tree.keys()) if isinstance(node, Mapping) else list(range(len(node.entries)))
    for entry, key in zip(node.entries, keys, strict=True):
        _change(entry.value, tree[key], changes)
    own = changes.of(node)
    if own is None:
        return
    old = {index: tree[key] for index, key in enumerate(keys)}
    for index, content in own.sets.items():
        old[index] = _plain(content_data(content))
    if not own.reordered:
        for index in own.sets:
            tree[keys[index]] = old[index]
        for index in sorted(own.deletes, reverse=True):
            del tree[keys[index]]
    else:
        for key in reversed(keys):
            del tree[key]
    for position, slot in enumerate(own.slots()):
        new = isinstance(slot, InsertEntry)
        if not new and not own.reordered:
            continue
        value = _plain(content_data(slot.content)) if isinstance(slot, InsertEntry) else old[slot]
        if isinstance(node, Sequence):
            tree.insert(position, value)
        elif isinstance(slot, InsertEntry):
            assert slot.key is not None
            tree.insert(position, _plain(slot.key), value)
        else:
            tree.insert(position, keys[slot], value)


def _plain(value: Value) -> Any:
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString, PlainScalarString

    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, Typed):
        if value.tag in ("bool11", "time", "merge"):
            return PlainScalarString(value.value)
        return float(value.value) if value.tag == "float" else value.value
    plain = isinstance(resolve_plain(value), str)
    return value if plain else DoubleQuotedScalarString(value)
