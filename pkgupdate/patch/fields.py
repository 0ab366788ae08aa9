"""How strategic merge patches treat a field: looked up in the schema, with Kubernetes' errors."""

from __future__ import annotations

from typing import NamedTuple

from pkgupdate.patch.directives import MERGE, REPLACE
from pkgupdate.patch.errors import patch_error
from pkgupdate.paths import Path
from pkgupdate.schema import Schema


class Field(NamedTuple):
    """A field whose value is a map or a list.

    schema: of the map, or of the items of the list.
    merge: a list whose items are merged, not replaced as a whole.
    replace: a map that is replaced as a whole.
    merge_key: tells the items of a merged list of maps apart; empty for lists of scalars.
    retain_keys: patches for these maps carry `$retainKeys`.
    """

    schema: Schema
    merge: bool
    replace: bool
    merge_key: str
    retain_keys: bool


def map_field(schema: Schema, key: str, path: Path) -> Field:
    """The field `key` that holds a map.

    Raises PatchError (`patch-unknown-field`) where the type has no such field, and so says nothing
    about how to merge it. Where no type is known at all, maps merge and lists are replaced.
    """
    _check(schema, key, path)
    return _field(schema.field(key), items=False)


def list_field(schema: Schema, key: str, path: Path) -> Field:
    """The field `key` that holds a list. Raises PatchError as `map_field` does, and where the type
    wants no list (`patch-type`)."""
    _check(schema, key, path)
    found = schema.field(key)
    if found.is_known and found.shape != "list":
        raise patch_error("patch-type", f"{key!r} is no list in {schema.type_name}", path)
    return _field(found, items=True)


def _field(found: Schema, *, items: bool) -> Field:
    strategies = found.patch_strategies
    return Field(
        schema=found.items() if items else found,
        merge=MERGE in strategies,
        replace=REPLACE in strategies,
        merge_key=found.patch_merge_key,
        retain_keys="retainKeys" in strategies,
    )


def _check(schema: Schema, key: str, path: Path) -> None:
    if not schema.is_known:
        return
    if schema.shape in ("struct", "any") and not schema.has_field(key):
        raise patch_error(
            "patch-unknown-field",
            f"cannot merge inside {key!r}: {schema.type_name or 'its type'} has no such field",
            path,
            why=f"unable to find api field in struct {schema.type_name} "
            f'for the json field "{key}" (Kubernetes)',
            hint="set the whole field, or use a JSON merge patch",
        )
    if schema.shape not in ("struct", "any"):
        raise patch_error(
            "patch-type",
            f"cannot merge inside {key!r}: Kubernetes keeps single values here",
            path,
            why=f"merging an object in json but data type is not struct, instead is: "
            f"{schema.shape} (Kubernetes)",
            hint="use a JSON merge patch",
        )
