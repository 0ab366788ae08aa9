"""A file on one side, a directory of that name on the other."""

from __future__ import annotations

from collections.abc import Iterable, Set

from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.package.sources import ancestors


def find_clashes(present: Set[str], added: Set[str]) -> dict[str, set[str]]:
    """The added files that cannot be placed, by the path that stands in their way.

    present: all files as they would be in the end. added: those of them that are new; the others
    are local ones, and stay.
    """
    clashes: dict[str, set[str]] = {}
    new_dirs: dict[str, set[str]] = {}
    for path in present:
        for directory in ancestors(path):
            if directory not in present:
                continue
            if path in added:
                clashes.setdefault(directory, set()).add(path)
            elif directory in added:
                new_dirs.setdefault(directory, set()).add(path)
    for directory, paths in new_dirs.items():
        clashes.setdefault(min(paths), set()).add(directory)
    return clashes


def clash_decision(blocker: str, blocked: Iterable[str]) -> Decision:
    """Says that upstream's files could not be placed."""
    names = ", ".join(sorted(blocked))
    return Decision(
        Kind.COLLISION,
        Rule.EDIT_EDIT,
        Subject.FILE,
        file=blocker,
        local="file",
        result="file",
        note=f"this file is here where upstream has a directory, or the other way round;"
        f" left out: {names}",
    )
