"""The words of a strategic merge patch that are instructions, not data.

$patch: delete | replace                in a map, or in an item of a list of maps
$retainKeys: [a, b]                     clear every other key of this map
$deleteFromPrimitiveList/finalizers     values to take out of the list beside it
$setElementOrder/containers             the order in which the items shall stand
"""

from __future__ import annotations

from typing import Final

from pkgupdate.document.values import MISSING
from pkgupdate.patch.errors import patch_error
from pkgupdate.patch.values import Data
from pkgupdate.paths import Path

PATCH: Final = "$patch"
DELETE: Final = "delete"
REPLACE: Final = "replace"
MERGE: Final = "merge"
RETAIN_KEYS: Final = "$retainKeys"
DELETE_FROM_LIST: Final = "$deleteFromPrimitiveList"
SET_ORDER: Final = "$setElementOrder"


def list_name(key: str, directive: str, path: Path) -> str:
    """The field that ``directive/field`` is about.

    Raises PatchError (`patch-format`) for a key that only begins like the directive.
    """
    word, slash, name = key.partition("/")
    if word != directive or not slash:
        raise patch_error(
            "patch-format",
            f"{key!r} is no directive of a strategic merge patch",
            path,
            hint=f"write {directive}/FIELD",
        )
    return name


def order_of(name: str) -> str:
    """The key of the order directive for the list `name`."""
    return f"{SET_ORDER}/{name}"


def deletions_from(name: str) -> str:
    """The key of the deletion directive for the list of scalars `name`."""
    return f"{DELETE_FROM_LIST}/{name}"


def without_nulls(value: Data) -> Data:
    """The value without the null fields of its maps; null items of lists stay."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value


def without_marked(value: Data) -> Data:
    """The value without the maps that hold `$patch`; MISSING if it is one itself.

    Kubernetes does this where a patch meets nothing that it could be merged with.
    """
    if isinstance(value, dict):
        if PATCH in value:
            return MISSING
        kept = ((key, without_marked(item)) for key, item in value.items())
        return {key: item for key, item in kept if item is not MISSING}
    if isinstance(value, list):
        return [item for item in map(without_marked, value) if item is not MISSING]
    return value
