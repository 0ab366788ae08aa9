"""Put a strategic merge patch on a map: the rules of Kubernetes 1.32, one function per rule.

`joining` merges two patches into one instead of a patch into an object: directives and nulls are
kept, for the server to carry out. Results share parts with the arguments and change neither.
"""

from __future__ import annotations

from typing import Final

from pkgupdate.document.values import MISSING
from pkgupdate.patch import directives
from pkgupdate.patch.errors import PatchError, patch_error
from pkgupdate.patch.fields import Field, list_field, map_field
from pkgupdate.patch.order import (
    KeyOf,
    Places,
    Token,
    arrange,
    check_order,
    item_type,
    key_of,
    places,
)
from pkgupdate.patch.values import Data, Map, same, text
from pkgupdate.paths import Keyed, Path
from pkgupdate.schema import Schema

_LIST_DIRECTIVES: Final = (directives.DELETE, directives.REPLACE)


def merge_map(
    original: Map, patch: Map, schema: Schema, *, joining: bool = False, path: Path = ()
) -> Map:
    """`original` with `patch` put on it.

    Raises PatchError with one of the codes of docs/patches.md; nothing is half done.
    """
    if directives.PATCH in patch:
        return _whole_map(patch, path)
    merged, rest = dict(original), dict(patch)
    _retain_keys(merged, rest, joining=joining, path=path)
    _ordered_lists(merged, rest, schema, joining=joining, path=path)
    for key, value in rest.items():
        deletions = key.startswith(directives.DELETE_FROM_LIST)
        if deletions and joining:
            merged[key] = value
            continue
        name = directives.list_name(key, directives.DELETE_FROM_LIST, path) if deletions else key
        present = merged.get(name, MISSING)
        here = (*path, name)
        if value is None:
            merged.pop(name, None)
            if joining:
                merged[name] = None
        elif isinstance(present, dict) and isinstance(value, dict):
            field = map_field(schema, name, here)
            merged[name] = (
                value
                if field.replace
                else merge_map(present, value, field.schema, joining=joining, path=here)
            )
        elif isinstance(present, list) and isinstance(value, list):
            field = list_field(schema, name, here)
            merged[name] = (
                _merge_list(present, value, field, deletions=deletions, joining=joining, path=here)
                if field.merge
                else value
            )
        elif not deletions:
            _take(merged, name, value, joining=joining)
    return merged


def _whole_map(patch: Map, path: Path) -> Map:
    """A map that says what to do with the present one: put itself in its place, or empty it."""
    if patch[directives.PATCH] == directives.REPLACE:
        return {key: value for key, value in patch.items() if key != directives.PATCH}
    if patch[directives.PATCH] == directives.DELETE:
        return {}
    raise _unknown_directive(patch, path)


def _take(merged: Map, name: str, value: Data, *, joining: bool) -> None:
    """Set a field that the patch's value cannot be merged with."""
    value = directives.without_marked(value if joining else directives.without_nulls(value))
    merged.pop(name, None)
    if value is not MISSING:
        merged[name] = value


def _retain_keys(merged: Map, patch: Map, *, joining: bool, path: Path) -> None:
    """Carry out `$retainKeys` and take it out of the patch; when joining, move it to `merged`."""
    keys = patch.pop(directives.RETAIN_KEYS, MISSING)
    if keys is MISSING:
        return
    if joining:
        if not same(merged.setdefault(directives.RETAIN_KEYS, keys), keys):
            raise _bad_retain_keys(path, "the two patches to be joined retain different keys")
        return
    if not isinstance(keys, list):
        raise _bad_retain_keys(path, "$retainKeys must be a list of keys")
    retained = {key for key in keys if isinstance(key, str)}
    for key, value in patch.items():
        is_directive = key.startswith((directives.DELETE_FROM_LIST, directives.SET_ORDER))
        if value is not None and not is_directive and key not in retained:
            raise _bad_retain_keys(path, f"the patch sets {key!r} but $retainKeys leaves it out")
    for key in merged.keys() - retained:
        del merged[key]


def _ordered_lists(merged: Map, patch: Map, schema: Schema, *, joining: bool, path: Path) -> None:
    """Merge and order the lists that have a `$setElementOrder`, and take them out of the patch."""
    for directive in [key for key in patch if key.startswith(directives.SET_ORDER)]:
        order = patch.pop(directive)
        if joining and not same(merged.setdefault(directive, order), order):
            raise patch_error(
                "patch-format", f"the two patches to be joined disagree on {directive}", path
            )
        name = directives.list_name(directive, directives.SET_ORDER, path)
        here = (*path, name)
        present, value = merged.get(name, MISSING), patch.pop(name, MISSING)
        for items in (order, present, value):
            if items is not MISSING and not isinstance(items, list):
                raise patch_error("patch-format", f"{directive} is about lists only", path)
        field = list_field(schema, name, here)
        key = key_of(field.merge_key, here)
        check_order(value or (), order, key, here)
        if present is MISSING and value is MISSING:
            continue
        if value is MISSING:
            items = present
        elif present is MISSING:
            items = directives.without_marked(value)
        elif field.merge:
            items = _merge_list(present, value, field, joining=joining, path=here)
        else:
            items = value
        present, value = present or [], value or []
        item_type(here, present, value)
        live = _places_seen(present, value, key) if field.merge_key else places(present, key)
        merged[name] = arrange(items, places(order, key), live, key)


def _merge_list(
    present: list[Data],
    patch: list[Data],
    field: Field,
    *,
    deletions: bool = False,
    joining: bool,
    path: Path,
) -> list[Data]:
    """The list of the patch merged into the present one: maps by their key, scalars as a set.

    deletions: the patch's list holds the scalars to take out.
    """
    if not present and not patch:
        return []
    is_maps = item_type(path, present, patch) is dict
    if is_maps and not field.merge_key:
        raise patch_error("patch-merge-key", "the type states no merge key for this list", path)
    key = key_of(field.merge_key, path)
    if not is_maps and deletions:
        unwanted = places(patch, key)
        return [item for item in present if key(item) not in unwanted]
    if not is_maps:
        merged = list({key(item): item for item in (*present, *patch)}.values())
        return arrange(merged, places(patch, key), places(present, key), key)

    for item in patch:
        if item.get(directives.PATCH, directives.DELETE) not in _LIST_DIRECTIVES:
            raise _unknown_directive(item, path)
    added = [item for item in patch if directives.PATCH not in item]
    doomed = _doomed(patch, key)
    if _replaces(patch):
        return arrange(added, {}, places(added, key), key)
    kept = [item for item in present if key(item) not in doomed]
    merged = list(kept)
    at = places(merged, key)
    for item in added:
        place = at.setdefault(key(item), len(merged))
        if place < len(merged):
            merged[place] = merge_map(
                merged[place],
                item,
                field.schema,
                joining=joining,
                path=_item_path(path, item, field),
            )
        else:
            merged.append(item)
    return arrange(merged, places(added, key), places(kept, key), key)


def _places_seen(present: list[Data], patch: list[Data], key: KeyOf) -> Places:
    """The places of the live list's items by which a directive has to order the merged list.

    Kubernetes merges in the memory of the live list: deleted items give room at its end, where the
    last ones still stand a second time until added items take their place and count as live.
    """
    order = [key(item) for item in present]
    doomed = _doomed(patch, key)
    alive, last, left_over = [True] * len(order), len(order) - 1, list[Token]()
    indices: dict[Token, list[int]] = {}
    for i, token in enumerate(order):
        indices.setdefault(token, []).append(i)
    for i in (i for token in doomed for i in indices.get(token, ())):
        while not alive[last]:
            last -= 1
        left_over.append(order[last])
        alive[i] = False
    kept = [token for token, is_alive in zip(order, alive, strict=True) if is_alive]
    memory = kept + left_over[::-1]
    if not _replaces(patch):
        added = dict.fromkeys(key(item) for item in patch if directives.PATCH not in item)
        survivors = frozenset(kept)
        new = [token for token in added if token not in survivors]
        memory[len(kept) : len(kept) + len(new)] = new
    seen: dict[Token, int] = {}
    for place, token in enumerate(memory[: len(order)]):
        seen.setdefault(token, place)
    return seen


def _doomed(patch: list[Data], key: KeyOf) -> dict[Token, None]:
    """The keys of the items that the patch deletes, in its order."""
    return dict.fromkeys(
        key(item) for item in patch if item.get(directives.PATCH) == directives.DELETE
    )


def _replaces(patch: list[Data]) -> bool:
    return any(item.get(directives.PATCH) == directives.REPLACE for item in patch)


def _item_path(path: Path, item: Map, field: Field) -> Path:
    return (*path, Keyed(((field.merge_key, text(item[field.merge_key])),)))


def _unknown_directive(item: Map, path: Path) -> PatchError:
    return patch_error(
        "patch-directive",
        f"{directives.PATCH}: {item[directives.PATCH]!r} cannot be carried out here",
        path,
        hint="use delete or replace",
    )


def _bad_retain_keys(path: Path, why: str) -> PatchError:
    return patch_error(
        "patch-format",
        "$retainKeys is not valid",
        path,
        why=why,
        hint="list every key that the patch sets, and those that shall stay",
    )
