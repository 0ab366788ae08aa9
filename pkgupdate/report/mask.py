"""The text of a file with the values of its Secrets replaced by labels.

Equal values get equal labels for as long as one `Mask` is used, so that a diff of masked texts
still shows which values changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pkgupdate.document.document import BOM, Document
from pkgupdate.document.nodes import Collection, Entry, Mapping, Node, Sequence, key_data
from pkgupdate.document.stream import Stream
from pkgupdate.document.values import Value, to_plain
from pkgupdate.errors import DocumentError
from pkgupdate.report.redact import LAST_APPLIED, OPEN_FIELDS, holds_secret


class Mask:
    """Hides the values of Secrets in texts; remembers its labels."""

    def __init__(self) -> None:
        self._labels: dict[str, str] = {}

    def text(self, text: str) -> str | None:
        """The masked text; None if it seems to hold a Secret and cannot be read as YAML."""
        if not holds_secret(text):
            return text
        try:
            stream = Stream(text)
            masked = {i: self._document(part.document) for i, part in enumerate(stream.parts)}
            return stream.render({i: t for i, t in masked.items() if t is not None})
        except DocumentError:
            return None

    def _document(self, document: Document) -> str | None:
        """The masked text of one document; None if nothing in it is secret."""
        if document.root is None:
            return None
        text = document.text
        places = list(_secret_places(document.root, len(text), is_secret=False))
        spans = [(p.node.start, p.node.end, self._replacement(p.node, text)) for p in places]
        for start, comment in document.all_comments:
            if any(p.start <= start < p.node.start or p.node.end <= start < p.end for p in places):
                spans.append((start, start + len(comment), "# (hidden)"))
        for start, end, label in sorted(spans, reverse=True):
            text = text[:start] + label + text[end:]
        return (BOM + text if document.bom else text) if spans else None

    def _replacement(self, node: Node, text: str) -> str:
        """What stands for a secret node: its keys with labels, or one label.

        Comments between the keys go with them.
        """
        if not isinstance(node, Mapping) or not node.entries:
            return self._label(node.data)
        pairs = [f"{to_plain(key_data(e))}: {self._label(e.value.data)}" for e in node.entries]
        indent = " " * (node.start - text.rfind("\n", 0, node.start) - 1)
        return "{" + ", ".join(pairs) + "}" if node.flow else f"\n{indent}".join(pairs)

    def _label(self, value: Value) -> str:
        return self._labels.setdefault(repr(value), f"(hidden {len(self._labels) + 1})")


class _Place(NamedTuple):
    """A node that may not be shown, and the stretch of text whose comments belong to it."""

    start: int
    node: Node
    end: int


def _secret_places(node: Node, end: int, *, is_secret: bool) -> Iterator[_Place]:
    """The values of a resource, or a list of them, that may not be shown.

    end: where the stretch of text of `node` ends. is_secret: the node is known to be a Secret.
    """
    if not isinstance(node, Mapping):
        return
    kind = node.get("kind")
    is_secret = is_secret or (kind is not None and kind.data == "Secret")
    in_list = kind is not None and kind.data == "SecretList"
    for entry, entry_end in _with_ends(node, end):
        key = key_data(entry)
        if key == "items" and isinstance(entry.value, Sequence):
            for item, item_end in _with_ends(entry.value, entry_end):
                yield from _secret_places(item.value, item_end, is_secret=in_list)
        elif entry.key is not None and is_secret and key not in OPEN_FIELDS:
            yield _Place(entry.key.end, entry.value, entry_end)
        elif is_secret and key == "metadata":
            yield from _copies(entry.value)


def _with_ends(collection: Collection, end: int) -> Iterator[tuple[Entry, int]]:
    """Each entry with the offset at which the next one starts."""
    starts = [(entry.key or entry.value).start for entry in collection.entries]
    return zip(collection.entries, [*starts[1:], end], strict=True)


def _copies(metadata: Node) -> Iterator[_Place]:
    """The copy of the whole Secret that kubectl keeps in an annotation."""
    annotations = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    if isinstance(annotations, Mapping) and (copy := annotations.get(LAST_APPLIED)):
        yield _Place(copy.start, copy, copy.end)
