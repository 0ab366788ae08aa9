"""JSON patches (RFC 6902), made and applied by the `jsonpatch` library."""

from __future__ import annotations

from copy import deepcopy
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

    result = deepcopy(original)
    for number, operation in enumerate(operations, 1):
        try:
            result = jsonpatch.JsonPatch([operation]).apply(result, in_place=True)
        except (jsonpatch.InvalidJsonPatch, TypeError) as error:
            raise PatchError(
                "patch-format",
                "this is no JSON patch",
                why=f"operation {number} is not valid",
                hint="see RFC 6902",
            ) from error
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
            # The library's own text shows the values around the place, which may be secret.
            raise PatchError(
                "json-patch-failed",
                "an operation of the JSON patch cannot be carried out",
                why=f"operation {number}: {operation['op']} {operation['path']}",
                hint="nothing there to act on, or another value than the test wants",
            ) from error
    return result
