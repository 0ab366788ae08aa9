"""JSON merge patches (RFC 7386): maps merge, null deletes, everything else is replaced.

Lists are taken as they are, nulls in their items included. (Kubernetes drops null fields of maps
in lists.) A patch cannot set a field to null.
"""

from __future__ import annotations

from pkgupdate.patch.conflicts import merge_conflict
from pkgupdate.patch.errors import PatchConflict
from pkgupdate.patch.values import Data, Map, same
from pkgupdate.paths import format_path


def apply(original: Data, patch: Data) -> Data:
    """`original` with the patch put on it."""
    if not isinstance(patch, dict):
        return patch
    result = dict(original) if isinstance(original, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = apply(result.get(key), value)
    return result


def create(original: Map, modified: Map) -> Map:
    """The patch that makes `modified` out of `original`; empty if they are equal."""
    patch: Map = dict.fromkeys(key for key in original if key not in modified)
    for key, value in modified.items():
        before = original.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            if changes := create(before, value):
                patch[key] = changes
        elif key not in original or not same(before, value):
            patch[key] = value
    return patch


def create_three_way(original: Map, modified: Map, current: Map) -> Map:
    """The patch for `current` that carries out what changed from `original` to `modified`.

    Raises PatchConflict (`patch-conflict`) where a deletion and a change meet at one place.
    """
    changes = _changes(create(current, modified))
    deletions = _deletions(create(original, modified))
    conflict = merge_conflict(changes, deletions)
    if conflict is not None:
        raise PatchConflict(
            "patch-conflict",
            "the desired object deletes and changes the same place",
            why=f"at {format_path(conflict)}",
            hint="compare the last applied object with the live one",
        )
    return _join(deletions, changes)


def _changes(patch: Map) -> Map:
    """The patch without what it deletes; an empty map that was set stays."""
    kept: Map = {}
    for key, value in patch.items():
        if isinstance(value, dict) and value:
            if below := _changes(value):
                kept[key] = below
        elif value is not None:
            kept[key] = value
    return kept


def _deletions(patch: Map) -> Map:
    """Nothing but what the patch deletes."""
    kept: Map = {}
    for key, value in patch.items():
        if value is None:
            kept[key] = None
        elif isinstance(value, dict) and (below := _deletions(value)):
            kept[key] = below
    return kept


def _join(left: Map, right: Map) -> Map:
    """One patch of two that do not collide; nulls stay."""
    joined = dict(left)
    for key, value in right.items():
        before = joined.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            value = _join(before, value)
        joined[key] = value
    return joined
