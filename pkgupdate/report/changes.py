"""What happens to a file, in words and letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pkgupdate.package.changes import FileChange


def action(change: FileChange) -> str:
    """``added``, ``deleted``, ``modified``, or ``mode`` (only the kind of file changes)."""
    if change.before is None:
        return "added"
    if change.after is None:
        return "deleted"
    return "mode" if change.before.content == change.after.content else "modified"


def letter(change: FileChange) -> str:
    """A, D or M, as in `git status`."""
    return {"added": "A", "deleted": "D"}.get(action(change), "M")
