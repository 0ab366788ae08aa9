"""Do two patches of one object want different things at the same place?

Both functions give the first such place, and never a value: patches may hold secrets.
"""

from __future__ import annotations

from collections.abc import Iterable

from pkgupdate.patch import directives
from pkgupdate.patch.fields import Field, list_field, map_field
from pkgupdate.patch.order import item_type
from pkgupdate.patch.values import Data, Map, same, text
from pkgupdate.paths import Keyed, Path
from pkgupdate.schema import Schema

_SKIPPED = (directives.PATCH, directives.RETAIN_KEYS)


def merge_conflict(left: Data, right: Data, path: Path = ()) -> Path | None:
    """For JSON merge patches: maps are compared key by key, lists item by item."""
    if isinstance(left, dict) and isinstance(right, dict):
        return _first(
            merge_conflict(value, right[key], (*path, key))
            for key, value in left.items()
            if key in right
        )
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return _first(merge_conflict(item, right[i], (*path, i)) for i, item in enumerate(left))
    return None if same(left, right) else path


def strategic_conflict(left: Map, right: Map, schema: Schema, path: Path = ()) -> Path | None:
    """For strategic merge patches: a `$patch` on one side only is a conflict of the whole map."""
    if not same(left.get(directives.PATCH), right.get(directives.PATCH)):
        return path
    return _first(
        _values(key, value, right[key], schema, (*path, key))
        for key, value in left.items()
        if key in right and key not in _SKIPPED
    )


def _values(key: str, left: Data, right: Data, schema: Schema, path: Path) -> Path | None:
    if isinstance(left, dict) and isinstance(right, dict):
        field = map_field(schema, key, path)
        return None if field.replace else strategic_conflict(left, right, field.schema, path)
    if isinstance(left, list) and isinstance(right, list):
        if key.startswith((directives.SET_ORDER, directives.DELETE_FROM_LIST)):
            return None if same(left, right) else path
        return _lists(left, right, list_field(schema, key, path), path)
    return None if same(left, right) else path


def _lists(left: list[Data], right: list[Data], field: Field, path: Path) -> Path | None:
    if not left and not right:
        return None
    is_maps = item_type(path, left, right) is dict
    if field.merge and not is_maps:
        return None
    if field.merge:
        others = {text(item.get(field.merge_key)): item for item in right}
        pairs = ((text(item.get(field.merge_key)), item) for item in left)
        return _first(
            strategic_conflict(
                item, others[name], field.schema, (*path, Keyed(((field.merge_key, name),)))
            )
            for name, item in pairs
            if name in others
        )
    if len(left) != len(right):
        return path
    if not is_maps:
        return None if sorted(map(text, left)) == sorted(map(text, right)) else path
    return _first(
        strategic_conflict(item, right[i], field.schema, (*path, i)) for i, item in enumerate(left)
    )


def _first(conflicts: Iterable[Path | None]) -> Path | None:
    return next((conflict for conflict in conflicts if conflict is not None), None)
