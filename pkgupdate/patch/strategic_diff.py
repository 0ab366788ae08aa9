"""The strategic merge patch that makes one map out of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pkgupdate.patch import directives
from pkgupdate.patch.errors import PatchError
from pkgupdate.patch.fields import Field, list_field, map_field
from pkgupdate.patch.order import item_type, key_of, places, sort_by
from pkgupdate.patch.values import Data, Map, same, text
from pkgupdate.paths import Keyed, Path
from pkgupdate.schema import Schema


@dataclass(frozen=True, slots=True)
class Scope:
    """Which differences go into the patch."""

    changes: bool = True
    deletions: bool = True
    order: bool = True


def diff_maps(
    original: Map,
    modified: Map,
    schema: Schema,
    scope: Scope,
    *,
    retain_keys: bool = False,
    path: Path = (),
) -> Map:
    """The patch from `original` to `modified`, as far as `scope` goes; empty if there is none.

    retain_keys: state the keys of `modified` in the patch, if there is one.
    Raises PatchError with one of the codes of docs/patches.md.
    """
    patch: Map = {}
    for key, value in modified.items():
        if key not in original:
            if scope.changes:
                patch[key] = value
            continue
        before, here = original[key], (*path, key)
        if isinstance(before, dict) and isinstance(value, dict):
            patch |= _map_patch(key, before, value, schema, scope, here)
        elif isinstance(before, list) and isinstance(value, list):
            patch |= _list_patch(key, before, value, schema, scope, here)
        elif scope.changes and not same(before, value):
            patch[key] = value
    if scope.deletions:
        patch |= dict.fromkeys(key for key in original if key not in modified)
    if retain_keys and (
        patch or any(k not in modified and original[k] is not None for k in original)
    ):
        retained = sorted(key for key, value in modified.items() if value is not None)
        if retained:
            patch[directives.RETAIN_KEYS] = retained
    return patch


def _map_patch(key: str, before: Map, after: Map, schema: Schema, scope: Scope, path: Path) -> Map:
    try:
        field = map_field(schema, key, path)
    except PatchError:
        if same(before, after):
            return {}
        raise
    if field.replace:
        return {key: after} if scope.changes and not same(before, after) else {}
    patch = diff_maps(before, after, field.schema, scope, retain_keys=field.retain_keys, path=path)
    return {key: patch} if patch else {}


def _list_patch(
    key: str, before: list[Data], after: list[Data], schema: Schema, scope: Scope, path: Path
) -> Map:
    """The entries of the patch for one list: its items, its deletions, its order."""
    try:
        field = list_field(schema, key, path)
    except PatchError:
        if same(before, after):
            return {}
        raise
    if not field.merge:
        return {key: after} if scope.changes and not same(before, after) else {}
    if not before:
        return {key: after} if after and scope.changes else {}
    if item_type(path, before, after) is dict:
        return _maps_patch(key, before, after, field, scope, path)
    return _scalars_patch(key, before, after, scope, path)


def _maps_patch(
    key: str, before: list[Map], after: list[Map], field: Field, scope: Scope, path: Path
) -> Map:
    items = _changed_items(before, after, field, scope, path)
    merge_key = field.merge_key
    moved = not same([item[merge_key] for item in before], [item[merge_key] for item in after])
    patch: Map = {key: items} if items else {}
    if (
        after
        and scope.order
        and ((scope.changes and (items or moved)) or (scope.deletions and items))
    ):
        patch[directives.order_of(key)] = [{merge_key: item[merge_key]} for item in after]
    return patch


def _changed_items(
    before: list[Map], after: list[Map], field: Field, scope: Scope, path: Path
) -> list[Map]:
    """Changed and added items in the order of `after`, then those to delete, sorted by key.

    Keys pair as text, as in Kubernetes, the first with the first where a list holds one twice.
    """
    merge_key = field.merge_key
    key = key_of(merge_key, path)
    places(before, key)
    order = places(after, key)
    old = _by_text(before, merge_key)
    changed: list[Map] = []
    deleted: list[Map] = []
    for name, items in _by_text(after, merge_key).items():
        partners = old.get(name, [])
        for i, item in enumerate(items):
            if i < len(partners):
                here = (*path, Keyed(((merge_key, name),)))
                patch = diff_maps(
                    partners[i], item, field.schema, scope, retain_keys=field.retain_keys, path=here
                )
                if patch:
                    changed.append({**patch, merge_key: item[merge_key]})
            elif scope.changes:
                changed.append(item)
        old[name] = partners[len(items) :]
    if scope.deletions:
        deleted = [
            {merge_key: item[merge_key], directives.PATCH: directives.DELETE}
            for _, items in sorted(old.items())
            for item in items
        ]
    return sort_by(changed, order, key) + deleted


def _by_text(items: Sequence[Map], merge_key: str) -> dict[str, list[Map]]:
    found: dict[str, list[Map]] = {}
    for item in items:
        found.setdefault(text(item[merge_key]), []).append(item)
    return found


def _scalars_patch(
    key: str, before: list[Data], after: list[Data], scope: Scope, path: Path
) -> Map:
    token = key_of("", path)
    had, has = places(before, token), places(after, token)
    added = [item for item in after if token(item) not in had] if scope.changes else []
    gone = [item for item in before if token(item) not in has] if scope.deletions else []
    patch: Map = {}
    if added:
        patch[key] = added
    if gone:
        unique = {token(item): item for item in gone}.values()
        patch[directives.deletions_from(key)] = sorted(unique, key=text)
    if after and scope.order and (gone or (scope.changes and not same(before, after))):
        patch[directives.order_of(key)] = after
    return patch
