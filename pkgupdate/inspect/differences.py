"""What differs between two versions of a package: resource by resource, path by path.

There is no second engine for this. A merge whose local side is the original takes every change of
upstream, so its decisions say what changed from the one to the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from pkgupdate.document.values import MISSING, MaybeValue
from pkgupdate.merge.decisions import Decision, DecisionKey, Kind, Rule, Subject
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.package.changes import FileChange
from pkgupdate.package.kinds import Route, route_of
from pkgupdate.package.merge import merge_trees
from pkgupdate.package.tree import FileKind, FileState, Tree
from pkgupdate.package.unchanged import unmarked

Change = Literal["added", "deleted", "changed", "moved"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One place that differs. `place`: a decision that says where; `before`, `after`: the values.

    For whole files and resources the values are fingerprints.
    """

    place: Decision
    before: MaybeValue
    after: MaybeValue

    @property
    def change(self) -> Change:
        """What became of the place."""
        if self.place.rule is Rule.MOVED:
            return "moved"
        if self.before is MISSING:
            return "added"
        return "deleted" if self.after is MISSING else "changed"

    @property
    def key(self) -> DecisionKey:
        """Equal for two differences at one place."""
        return self.place.key


def differences(before: Tree, after: Tree) -> list[Difference]:
    """What changed from one version of a package to another, by file and resource.

    Left out is what fetching a package writes into it: name, `upstream` and `upstreamLock` of its
    Kptfile, merge comments and the annotations of `kpt pkg get`. Raises PackageError `unsafe-path`.
    """
    merge = merge_trees(Sides(before, after, before), policy=Policy(in_detail=True))
    found = [d for decision in merge.decisions for d in _difference(decision)]
    found += _modes(before, after)
    return sorted(found, key=lambda d: (d.place.file, d.place.resource))


def file_changes(before: Tree, after: Tree) -> Iterator[FileChange]:
    """The files that differ, byte by byte, in order of their paths."""
    for path in sorted({*before.entries, *after.entries}):
        old, new = (_state(tree, path) for tree in (before, after))
        if old != new:
            yield FileChange(path, old, new)


class Extent(NamedTuple):
    """How much differs: resources, files that are none, and paths in all of them."""

    resources: int
    files: int
    paths: int


def extent(found: Iterable[Difference]) -> Extent:
    """Count the places."""
    keys = {d.key for d in found}
    places = {(file, resource) for file, resource, _, _ in keys}
    resources = sum(1 for _, resource in places if resource)
    return Extent(resources, len(places) - resources, len(keys))


def _difference(decision: Decision) -> Iterator[Difference]:
    before, after = (unmarked(v, decision.path) for v in (decision.original, decision.upstream))
    if decision.subject is Subject.MODE:
        return  # told by `_modes`, for every kind of file
    is_comment = decision.subject.value.startswith("comment")
    if is_comment and route_of(decision.file) is Route.KPTFILE:
        return  # each fetch by kpt writes the Kptfile without its comments
    if before != after or decision.rule is Rule.MOVED:
        yield Difference(replace(decision, edits=()), before, after)


def _modes(before: Tree, after: Tree) -> Iterator[Difference]:
    for path in before.entries.keys() & after.entries.keys():
        old, new = before.entries[path].kind.value, after.entries[path].kind.value
        if old != new:
            place = Decision(Kind.APPLIED, Rule.UPSTREAM_ONLY, Subject.MODE, path)
            yield Difference(place, old, new)


def _state(tree: Tree, path: str) -> FileState | None:
    entry = tree.entries.get(path)
    if entry is None:
        return None
    is_submodule = entry.kind is FileKind.SUBMODULE
    return FileState(entry.kind, entry.oid.encode() if is_submodule else tree.read(path))
