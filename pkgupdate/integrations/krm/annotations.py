"""The annotations by which a pipeline keeps track of items: file, index, and its own ids.

kpt writes path and index twice, under `internal.config.kubernetes.io/` and in their legacy form;
both have to say the same. None of them belongs to the resource, so they are taken off before a
merge and put back afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pkgupdate.document.apply import apply_edits
from pkgupdate.document.document import Document
from pkgupdate.document.edits import DeleteEntry, Edit, FromData, InsertEntry, SetValue
from pkgupdate.document.nodes import Mapping as MapNode
from pkgupdate.document.nodes import Node
from pkgupdate.document.values import Typed, Value
from pkgupdate.errors import DocumentError
from pkgupdate.integrations.krm.resource_list import data_text

INTERNAL: Final = "internal.config.kubernetes.io/"
PATHS: Final = ("config.kubernetes.io/path", INTERNAL + "path")
INDEXES: Final = ("config.kubernetes.io/index", INTERNAL + "index")
PACKAGE_PATH: Final = INTERNAL + "package-path"
SET: Final = "pkgupdate.dev/set"
"""Which of the three versions an item of a `PackageMerge` belongs to."""

_LEGACY = ("config.kubernetes.io/path", "config.kubernetes.io/index", "config.k8s.io/id", SET)


def annotations_of(data: Value) -> dict[str, str]:
    """The annotations of an item that are texts or numbers, as texts."""
    found = data
    for key in ("metadata", "annotations"):
        found = found.get(key, {}) if isinstance(found, dict) else {}
    if not isinstance(found, dict):
        return {}
    return {
        key: str(value.value if isinstance(value, Typed) else value)
        for key, value in found.items()
        if isinstance(key, str) and isinstance(value, str | Typed)
    }


def tracking(data: Value) -> dict[str, str]:
    """Those of an item's annotations that belong to the pipeline."""
    return {key: value for key, value in annotations_of(data).items() if _is_tracking(key)}


def without_tracking(text: str) -> str:
    """The text of an item without the annotations of the pipeline, and without what held only them.

    Raises DocumentError if the text is no YAML.
    """
    document = Document(text)
    root = document.root
    metadata = _map(root, "metadata")
    annotations = _map(metadata, "annotations")
    if not isinstance(root, MapNode) or metadata is None or annotations is None:
        plain = _without(document.data)
        return text if plain == document.data else data_text(plain)
    doomed = [i for i, entry in enumerate(annotations.entries) if _is_tracking(_key(entry.key))]
    if not doomed:
        return text
    edits: Iterable[Edit] = [DeleteEntry(annotations, index) for index in doomed]
    if len(doomed) == len(annotations.entries):
        edits = [DeleteEntry(metadata, metadata.index("annotations"))]
        if len(metadata.entries) == 1:
            edits = [DeleteEntry(root, root.index("metadata"))]
    return _edited(document, edits, _without(document.data))


def with_tracking(text: str, values: Mapping[str, str]) -> str:
    """The text of an item with these annotations. Raises DocumentError if it is no YAML."""
    document = Document(text)
    intended = _with(document.data, values)
    if intended == document.data:
        return text
    return _edited(document, _insertions(document.root, values), intended)


def _insertions(root: Node | None, values: Mapping[str, str]) -> Iterator[Edit]:
    new: dict[Value, Value] = {}
    new |= values.items()
    if not isinstance(root, MapNode):
        return
    metadata = _map(root, "metadata")
    if metadata is None:
        yield from _put(root, "metadata", {"annotations": new})
        return
    annotations = _map(metadata, "annotations")
    if annotations is None:
        yield from _put(metadata, "annotations", new)
        return
    for key, value in values.items():
        yield from _put(annotations, key, value)


def _put(parent: MapNode, key: str, value: Value) -> Iterator[Edit]:
    index = parent.index(key)
    if index < 0:
        yield InsertEntry(parent, len(parent.entries) - 1, key, FromData(value))
    elif parent.entries[index].value.data != value:
        yield SetValue(parent, index, FromData(value))


def _edited(document: Document, edits: Iterable[Edit], intended: Value) -> str:
    """The document after the edits; if they cannot be written, its value alone."""
    try:
        return apply_edits(document, edits)
    except DocumentError:
        return data_text(intended)


def _without(data: Value) -> Value:
    metadata = data.get("metadata") if isinstance(data, dict) else None
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(annotations, dict) or not any(map(_is_tracking, annotations)):
        return data
    assert isinstance(data, dict) and isinstance(metadata, dict)
    kept: Value = {key: value for key, value in annotations.items() if not _is_tracking(key)}
    fields = {key: value for key, value in metadata.items() if key != "annotations"}
    if kept:
        fields["annotations"] = kept
    rest = {key: value for key, value in data.items() if key != "metadata"}
    return {**rest, "metadata": fields} if fields else rest


def _with(data: Value, values: Mapping[str, str]) -> Value:
    if not isinstance(data, dict):
        return data
    metadata = data.get("metadata")
    fields = metadata if isinstance(metadata, dict) else {}
    before = fields.get("annotations")
    annotations: dict[Value, Value] = {**(before if isinstance(before, dict) else {})}
    annotations |= values.items()
    return {**data, "metadata": {**fields, "annotations": annotations}}


def _is_tracking(key: Value) -> bool:
    return isinstance(key, str) and (key.startswith(INTERNAL) or key in _LEGACY)


def _key(node: Node | None) -> Value:
    return "" if node is None else node.data


def _map(node: Node | None, key: str) -> MapNode | None:
    """The map with entries of its own below a key (no alias, which others would share)."""
    value = node.get(key) if isinstance(node, MapNode) else None
    return value if isinstance(value, MapNode) else None
