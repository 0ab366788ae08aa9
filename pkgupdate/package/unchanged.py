"""Is a local file or document still as it was fetched?

Layout does not count, nor does what `kpt pkg get` writes into every resource that it fetches: the
merge comment and its own annotations. Values and all other comments do.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from pkgupdate.document.document import Document
from pkgupdate.document.values import MISSING, MaybeValue, Missing, Value
from pkgupdate.errors import DocumentError
from pkgupdate.merge.decisions import Decision, Kind
from pkgupdate.package.doc_text import core_text
from pkgupdate.package.kinds import Route, route_of
from pkgupdate.paths import Path

if TYPE_CHECKING:
    from pkgupdate.document.stream import Part
    from pkgupdate.package.sources import Sources

FETCH_ANNOTATIONS: Final = (
    "internal.kpt.dev/upstream-identifier",
    "cnrm.cloud.google.com/blueprint",
)
_ANNOTATIONS: Final = ("metadata", "annotations")


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
    annotations = metadata.get("annotations", MISSING)
    kept = unmarked(annotations, _ANNOTATIONS)
    if kept == annotations:
        return data
    rest = {key: value for key, value in metadata.items() if key != "annotations"}
    if not isinstance(kept, Missing):
        rest["annotations"] = kept
    return {**data, "metadata": rest}


def unmarked(value: MaybeValue, path: Path) -> MaybeValue:
    """What stands at a path of a resource, without the annotations that `kpt pkg get` writes."""
    if path[:2] != _ANNOTATIONS:
        return value
    if len(path) > len(_ANNOTATIONS):
        return MISSING if path[2] in FETCH_ANNOTATIONS else value
    if not isinstance(value, dict):
        return value
    kept: dict[Value, Value] = {k: v for k, v in value.items() if k not in FETCH_ANNOTATIONS}
    return kept if kept or not value else MISSING


def is_fetch_mark(decision: Decision) -> bool:
    """Does the decision keep nothing but a difference in annotations of `kpt pkg get`?"""
    sides = (decision.original, decision.local)
    original, local = (unmarked(value, decision.path) for value in sides)
    return decision.kind is Kind.KEPT and original == local and (original, local) != sides


def _comments(document: Document) -> Counter[str]:
    lines = (" ".join(text.lstrip("#").split()) for _, text in document.all_comments)
    return Counter(line for line in lines if line and not line.startswith("kpt-merge:"))
