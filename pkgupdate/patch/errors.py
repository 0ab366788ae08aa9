"""Failures of patches."""

from __future__ import annotations

from pkgupdate.errors import Location, PkgUpdateError
from pkgupdate.paths import Path, format_path


class PatchError(PkgUpdateError):
    """A patch cannot be made, read or applied."""


class PatchConflict(PatchError):
    """A three-way patch would overwrite what somebody else changed (`patch-conflict`)."""


def patch_error(code: str, what: str, path: Path, *, why: str = "", hint: str = "") -> PatchError:
    """The error `code` at a place in the patch."""
    return PatchError(code, what, where=Location(path=format_path(path)), why=why, hint=hint)
