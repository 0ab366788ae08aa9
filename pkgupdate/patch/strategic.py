"""Strategic merge patches, as Kubernetes 1.32 makes and applies them.

A patch is plain data. `schema` is that of the resource (`SchemaSet.for_resource`); Kubernetes takes
these patches only for its own types, see `SchemaSet.is_builtin`.
"""

from __future__ import annotations

from collections.abc import Iterable

from pkgupdate.patch.conflicts import strategic_conflict
from pkgupdate.patch.errors import PatchConflict
from pkgupdate.patch.preconditions import Precondition, check_preconditions
from pkgupdate.patch.strategic_diff import Scope, diff_maps
from pkgupdate.patch.strategic_merge import merge_map
from pkgupdate.patch.values import Map
from pkgupdate.paths import format_path
from pkgupdate.schema import Schema


def create_two_way(
    original: Map, modified: Map, schema: Schema, preconditions: Iterable[Precondition] = ()
) -> Map:
    """The patch that makes `modified` out of `original`; empty if they are equal.

    Raises PatchError: `patch-unknown-field` where the two differ inside a field that the type does
    not have, `patch-merge-key`, `patch-mixed-list`, `patch-list-of-lists`, `patch-precondition`.
    """
    patch = diff_maps(original, modified, schema, Scope())
    check_preconditions(patch, preconditions)
    return patch


def create_three_way(
    original: Map,
    modified: Map,
    current: Map,
    schema: Schema,
    *,
    overwrite: bool = True,
    preconditions: Iterable[Precondition] = (),
) -> Map:
    """The patch for `current` that carries out what changed from `original` to `modified`.

    It holds what `modified` states and `current` has otherwise, and deletes what `original` had
    and `modified` has no more. What only `current` has stays.

    overwrite: False refuses a patch that touches what `current` changed against `original`.
    Raises PatchError as `create_two_way`, and PatchConflict (`patch-conflict`).
    """
    changes = diff_maps(current, modified, schema, Scope(deletions=False))
    deletions = diff_maps(original, modified, schema, Scope(changes=False))
    patch = merge_map(deletions, changes, schema, joining=True)
    check_preconditions(patch, preconditions)
    if not overwrite:
        theirs = diff_maps(original, current, schema, Scope(order=False))
        conflict = strategic_conflict(patch, theirs, schema)
        if conflict is not None:
            raise PatchConflict(
                "patch-conflict",
                "the patch and a change of the live object collide",
                why=f"both change {format_path(conflict) or 'the whole object'}, differently",
                hint="overwrite the live change, or take it into the desired object first",
            )
    return patch


def apply(original: Map, patch: Map, schema: Schema) -> Map:
    """`original` with the patch put on it, all directives carried out.

    Raises PatchError: `patch-unknown-field`, `patch-type`, `patch-merge-key`, `patch-mixed-list`,
    `patch-list-of-lists`, `patch-empty-list`, `patch-not-scalar`, `patch-order`, `patch-format`,
    `patch-directive`.
    """
    return merge_map(original, patch, schema)
