"""Links that lead out of the package: kept as they are, never followed, and said."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable

from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.package.changes import FileChange
from pkgupdate.package.tree import FileKind


def outside_links(changes: Iterable[FileChange]) -> list[Decision]:
    """A note for every link that arrives and points outside."""
    return [
        Decision(
            Kind.KEPT,
            Rule.LINK,
            Subject.FILE,
            file=change.path,
            result=target,
            note="this link points outside the package; it is not followed",
        )
        for change in changes
        if change.after is not None and change.after.kind is FileKind.LINK
        for target in [os.fsdecode(change.after.content)]
        if leads_outside(change.path, target)
    ]


def leads_outside(path: str, target: str) -> bool:
    """Does a link at `path` with this target leave the package (by its text alone)?"""
    if target.startswith("/"):
        return True
    resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return resolved == ".." or resolved.startswith("../")
