"""The node tree of one YAML document: every node knows its exact span in the text.

Spans are half-open ranges of code points in `Document.text` (which has no byte order mark).
`start` includes an anchor or tag, `end` is just after the last character of content. `data` is the
node's canonical value (see `values`), aliases resolved.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeAlias, TypeGuard

from pkgupdate.document.values import Typed, Value


class Scalar:
    """A scalar. `text`: decoded content; `style`: '' (plain), ``'``, ``"``, ``|`` or ``>``."""

    __slots__ = ("anchor", "data", "end", "start", "style", "tag", "text")

    def __init__(
        self, start: int, end: int, text: str, style: str, tag: str, anchor: str, data: str | Typed
    ) -> None:
        self.start, self.end, self.text, self.style = start, end, text, style
        self.tag, self.anchor, self.data = tag, anchor, data


class Alias:
    """``*name`` for the anchored node `target`, whose value is `data`."""

    __slots__ = ("data", "end", "name", "start", "target")

    anchor = ""
    tag = ""

    def __init__(self, start: int, end: int, name: str, target: Node) -> None:
        self.start, self.end, self.name, self.target = start, end, name, target
        self.data: Value = target.data


class Entry:
    """One `key: value` of a map, or one item of a list (`key` is None)."""

    __slots__ = ("key", "value")

    def __init__(self, key: Node | None, value: Node) -> None:
        self.key, self.value = key, value


class _Collection:
    __slots__ = ("anchor", "end", "entries", "flow", "start", "tag")

    def __init__(self, start: int, end: int, flow: bool, tag: str, anchor: str) -> None:
        self.start, self.end, self.flow, self.tag, self.anchor = start, end, flow, tag, anchor
        self.entries: list[Entry] = []


class Mapping(_Collection):
    """A map; `entries` in source order, duplicate keys included. `flow`: written as ``{…}``."""

    __slots__ = ("data",)

    data: Value

    def index(self, key: Value) -> int:
        """Position of the first entry with this canonical key, -1 if there is none."""
        for i, entry in enumerate(self.entries):
            if key_data(entry) == key:
                return i
        return -1

    def get(self, key: Value) -> Node | None:
        """The value node of `key`, or None."""
        i = self.index(key)
        return self.entries[i].value if i >= 0 else None


class Sequence(_Collection):
    """A list; `flow`: written as ``[…]``."""

    __slots__ = ("data",)

    data: Value


Node: TypeAlias = Scalar | Alias | Mapping | Sequence
Collection: TypeAlias = Mapping | Sequence


def key_data(entry: Entry) -> Value:
    """The canonical key of a map entry, as it is used in `Mapping.data`."""
    assert entry.key is not None
    data = entry.key.data
    if type(data) is str:  # by far the most common
        return data
    return Typed("complex", _text_for(data)) if isinstance(data, dict | list) else data


def map_data(items: Iterable[tuple[Value, Value]]) -> dict[Value, Value]:
    """The canonical map of these pairs; a repeated key becomes ``Typed('dup', (key, number))``."""
    data: dict[Value, Value] = {}
    repeated: Counter[Value] = Counter()
    for key, value in items:
        if key in data:
            repeated[key] += 1
            key = Typed("dup", (key, repeated[key]))
        data[key] = value
    return data


_LONGEST_TEXT = 1_000
_PLAIN_TAGS = frozenset({"", "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})


def tagged(tag: str, data: Value) -> Value:
    """The canonical value of a collection with this tag and content."""
    return data if tag in _PLAIN_TAGS else Typed(tag, _text_for(data))


def _text_for(data: Value) -> str:
    """A text that stands for a collection: equal exactly if the collections are.

    A long one is a hash: a text in a text in a text would double its quoting at every level.
    """
    text = repr(data)
    if len(text) <= _LONGEST_TEXT:
        return text
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_block(node: Node) -> TypeGuard[Collection]:
    """Is the node a collection in block style with at least one entry?"""
    return isinstance(node, Mapping | Sequence) and not node.flow and bool(node.entries)


def walk(node: Node) -> Iterator[Node]:
    """The node and all nodes below it (keys included), in source order. Aliases are not entered."""
    yield node
    if isinstance(node, Mapping | Sequence):
        for entry in node.entries:
            if entry.key is not None:
                yield from walk(entry.key)
            yield from walk(entry.value)
