"""Conditions that a new patch has to meet, so that it cannot touch what must never change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from pkgupdate.patch.errors import PatchError
from pkgupdate.patch.values import Map

Precondition: TypeAlias = Callable[[Map], bool]
"""Gets the patch; False refuses it."""


def require_key_unchanged(key: str) -> Precondition:
    """The patch must not name `key` at its top."""
    return lambda patch: key not in patch


def require_metadata_key_unchanged(key: str) -> Precondition:
    """The patch must not name `key` in `metadata`."""

    def holds(patch: Map) -> bool:
        metadata = patch.get("metadata")
        return not isinstance(metadata, dict) or key not in metadata

    return holds


def check_preconditions(patch: Map, preconditions: Iterable[Precondition]) -> None:
    """Raises PatchError (`patch-precondition`) if one does not hold."""
    if not all(condition(patch) for condition in preconditions):
        raise PatchError(
            "patch-precondition",
            "the patch would change what must stay as it is",
            why="it changes " + ", ".join(sorted(patch)),
        )
