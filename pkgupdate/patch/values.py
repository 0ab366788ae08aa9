"""Plain data compared as JSON has it: `1`, `1.0`, `true` and `"1"` are four different values."""

from __future__ import annotations

from typing import Any, TypeAlias

from pkgupdate.patch.errors import patch_error
from pkgupdate.paths import Path

Data: TypeAlias = Any
"""dict (with `str` keys), list, str, int, float, bool or None, nested to any depth."""

Map: TypeAlias = "dict[str, Data]"


def same(left: Data, right: Data) -> bool:
    """Are the two equal in type and value, all the way down?"""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return len(left) == len(right) and all(
            key in right and same(value, right[key]) for key, value in left.items()
        )
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def token(value: Data, path: Path) -> tuple[type, Data]:
    """What stands for a scalar in sets and dictionaries.

    Raises PatchError (`patch-not-scalar`) for a map or list.
    """
    if isinstance(value, dict | list):
        raise patch_error(
            "patch-not-scalar",
            "a map or list stands where items are told apart by a single value",
            path,
            hint="only lists of scalars, and lists of maps with a merge key, can be merged",
        )
    return type(value), value


def text(value: Data) -> str:
    """The scalar as text, the way Kubernetes compares and sorts merge keys."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return "<nil>" if value is None else str(value)
