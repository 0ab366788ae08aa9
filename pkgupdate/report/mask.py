"""The text of a file with the values of its Secrets replaced by labels.

Equal values get equal labels for as long as one `Mask` is used, so that a diff of masked texts
still shows which values changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from pkgupdate.document.document import BOM, Document
from pkgupdate.document.nodes import Mapping, Node, Sequence, key_data
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
        nodes = sorted(_secret_nodes(document.root), key=lambda node: node.start, reverse=True)
        for node in nodes:
            column = node.start - text.rfind("\n", 0, node.start) - 1
            text = text[: node.start] + self._replacement(node, " " * column) + text[node.end :]
        return (BOM + text if document.bom else text) if nodes else None

    def _replacement(self, node: Node, indent: str) -> str:
        """What stands for a secret node: its keys with labels, or one label."""
        if not isinstance(node, Mapping) or not node.entries:
            return self._label(node.data)
        pairs = [f"{to_plain(key_data(e))}: {self._label(e.value.data)}" for e in node.entries]
        return "{" + ", ".join(pairs) + "}" if node.flow else f"\n{indent}".join(pairs)

    def _label(self, value: Value) -> str:
        return self._labels.setdefault(repr(value), f"(hidden {len(self._labels) + 1})")


def _secret_nodes(node: Node) -> Iterator[Node]:
    """The nodes of a resource, or a list of them, whose values may not be shown."""
    if not isinstance(node, Mapping):
        return
    kind = node.get("kind")
    is_secret = kind is not None and kind.data == "Secret"
    for entry in node.entries:
        key = key_data(entry)
        if key == "items" and isinstance(entry.value, Sequence):
            for item in entry.value.entries:
                yield from _secret_nodes(item.value)
        elif is_secret and key not in OPEN_FIELDS:
            yield entry.value
        elif is_secret and key == "metadata":
            yield from _copies(entry.value)


def _copies(metadata: Node) -> Iterator[Node]:
    """The copy of the whole Secret that kubectl keeps in an annotation."""
    annotations = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    if isinstance(annotations, Mapping) and (copy := annotations.get(LAST_APPLIED)):
        yield copy
