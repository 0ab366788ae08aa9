"""Is a local file or document still as it was fetched?

Layout does not count, nor does what `kpt pkg get` writes into every resource that it fetches: the
merge comment and its own annotations. Values and all other comments do.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from pkgupdate.document.document import Document
from pkgupdate.document.values import MISSING, MaybeValue, Value
from pkgupdate.errors import DocumentError
from pkgupdate.merge.decisions import Decision, Kind
from pkgupdate.package.doc_text import core_text
from pkgupdate.package.kinds import Route, route_of

if TYPE_CHECKING:
    from pkgupdate.document.stream import Part
    from pkgupdate.package.sources import Sources

FETCH_ANNOTATIONS: Final = (
    "internal.kpt.dev/upstream-identifier",
    "cnrm.cloud.google.com/blueprint",
)
_ANNOTATIONS: Final = ("metadata", "annotations")
_MARKS: Final = frozenset(FETCH_ANNOTATIONS)


def is_unchanged(original: Part, local: Part) -> bool:
    """Is the local document the original one, layout and marks of fetching aside?"""
    return _is_same(original, local, with_comments=True)


def is_file_unchanged(path: str, sources: Sources) -> bool:
    """Is the local file the original one in this sense? (It is there.)"""
    original, local = sources.original.entry(path), sources.local.entry(path)
    if original is None or local is None or original.kind is not local.kind:
        return False
    if original == local:
        return True
    route = route_of(path)
    one, other = sources.original.stream(path), sources.local.stream(path)
    if route is Route.PLAIN or one is None or other is None:
        return False
    before = [part for part in one.parts if not part.is_empty]
    after = [part for part in other.parts if not part.is_empty]
    if len(before) != len(after):
        return False
    with_comments = route is not Route.KPTFILE  # each fetch writes that anew, without comments
    return all(
        _is_same(a, b, with_comments=with_comments) for a, b in zip(before, after, strict=True)
    )


def _is_same(original: Part, local: Part, *, with_comments: bool) -> bool:
    if core_text(original.text) == core_text(local.text):
        return True
    try:
        one, other = original.document, local.document
    except DocumentError:
        return False
    if without_fetch_marks(one.data) != without_fetch_marks(other.data):
        return False
    return not with_comments or _comments(one) == _comments(other)


def without_fetch_marks(data: MaybeValue) -> MaybeValue:
    """A resource's data without the annotations that `kpt pkg get` writes into it."""
    if not isinstance(data, dict) or not isinstance(metadata := data.get("metadata"), dict):
        return data
    annotations = metadata.get("annotations")
    if not isinstance(annotations, dict):
        return data
    kept: dict[Value, Value] = {
        key: value for key, value in annotations.items() if key not in FETCH_ANNOTATIONS
    }
    if len(kept) == len(annotations):
        return data
    rest = {key: value for key, value in metadata.items() if key != "annotations"}
    return {**data, "metadata": {**rest, "annotations": kept} if kept else rest}


def is_fetch_mark(decision: Decision) -> bool:
    """Does the decision keep nothing but annotations that `kpt pkg get` wrote?"""
    if decision.kind is not Kind.KEPT or decision.path[:2] != _ANNOTATIONS:
        return False
    if len(decision.path) == len(_ANNOTATIONS):
        local = decision.local
        return (
            isinstance(local, dict) and decision.original is MISSING and not local.keys() - _MARKS
        )
    return decision.path[2] in _MARKS


def _comments(document: Document) -> Counter[str]:
    lines = (" ".join(text.lstrip("#").split()) for _, text in document.all_comments)
    return Counter(line for line in lines if line and not line.startswith("kpt-merge:"))
