"""What a merge of packages gives: changes of files, and the decisions that explain them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pkgupdate.merge.decisions import Decision
    from pkgupdate.package.tree import FileState


class FileChange(NamedTuple):
    """One file of the local package before and after; None where there is none."""

    path: str
    before: FileState | None
    after: FileState | None


@dataclass(slots=True)
class Stats:
    """How much work a merge was."""

    files_read: int = 0
    documents_parsed: int = 0


@dataclass(slots=True)
class PackageMerge:
    """The outcome of a merge; nothing is written yet.

    changes: real changes only, deletions first, otherwise by path. No path occurs twice, and none
        lies below another that is a file afterwards.
    """

    changes: list[FileChange]
    decisions: list[Decision]
    stats: Stats = field(default_factory=Stats)
