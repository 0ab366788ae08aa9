"""What is never shown unless asked for: the values of Secrets, in objects, patches and paths."""

from __future__ import annotations

from typing import Final

from pkgupdate.patch.last_applied import DEFAULT_KEY, KUBECTL_KEY
from pkgupdate.patch.values import Data
from pkgupdate.paths import Path

HIDDEN: Final = "(hidden)"
_HELD: Final = ("data", "stringData")
_HIDDEN_CREDENTIALS: Final = "://***@"
_COPIES: Final = (DEFAULT_KEY, KUBECTL_KEY)


def hidden(kind: str, data: Data, path: Path = ()) -> Data:
    """The data with `(hidden)` for every secret value.

    kind: of the resource. path: where in the resource, or in a patch for it, the data stand.
    """
    if kind != "Secret":
        return data
    if isinstance(data, dict):
        return {key: hidden(kind, value, (*path, key)) for key, value in data.items()}
    if isinstance(data, list):
        return [hidden(kind, item, (*path, i)) for i, item in enumerate(data)]
    is_held = path[:1] and path[0] in _HELD
    is_copy = path[:2] == ("metadata", "annotations") and path[2:3] and path[2] in _COPIES
    return HIDDEN if (is_held or is_copy) and isinstance(data, str | int | float) else data


def is_redacted(patch: Data) -> bool:
    """Was something hidden in the patch when it was printed?"""
    if isinstance(patch, dict):
        return any(map(is_redacted, patch.values()))
    if isinstance(patch, list):
        return any(map(is_redacted, patch))
    return isinstance(patch, str) and (patch == HIDDEN or _HIDDEN_CREDENTIALS in patch)
