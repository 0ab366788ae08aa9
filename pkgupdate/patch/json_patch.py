"""JSON patches (RFC 6902), made and applied by the `jsonpatch` library."""

from __future__ import annotations

from typing import Any

from pkgupdate.patch.errors import PatchError
from pkgupdate.patch.values import Data


def create(original: Data, modified: Data) -> list[dict[str, Any]]:
    """The operations that make `modified` out of `original`; empty if they are equal."""
    import jsonpatch

    return list(jsonpatch.make_patch(original, modified).patch)


def apply(original: Data, operations: Data) -> Data:
    """`original` after the operations, all of them or none.

    Raises PatchError: `patch-format` (no list of operations), `json-patch-failed` (an operation
    has no place to act on, or a test does not hold).
    """
    import jsonpatch

    try:
        return jsonpatch.apply_patch(original, operations)
    except jsonpatch.InvalidJsonPatch as error:
        raise PatchError(
            "patch-format", "this is no JSON patch", why=str(error), hint="see RFC 6902"
        ) from error
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
        raise PatchError(
            "json-patch-failed",
            "an operation of the JSON patch cannot be carried out",
            why=_without_values(error),
        ) from error


def _without_values(error: Exception) -> str:
    """The library's text for a failed test shows both values, which may be secret."""
    import jsonpatch

    if isinstance(error, jsonpatch.JsonPatchTestFailed):
        return "a test operation does not hold"
    return str(error)
