"""From three versions of a package to changes of files and the decisions that explain them.

1. Subpackages that were renamed, or came or went as a whole, are settled.
2. Of the files that upstream changed, those untouched here are taken whole.
3. YAML files are split into documents, the versions of each resource matched and merged, and the
   results laid out in files again.
4. Kptfiles and all other files merge one by one.
5. What would put a file where a directory is, or the other way round, is taken back.

A file that turns out not to be mergeable as YAML sends the merge back to step 2, with that file
among the others. Files that upstream did not change are not looked at, nor reported. What steps 3
and 4 need is loaded by the first file that comes so far.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.package.changes import FileChange, PackageMerge, Stats
from pkgupdate.package.clashes import clash_decision, find_clashes
from pkgupdate.package.files import FileMerge, FileMerger
from pkgupdate.package.finder import LocalFinder, resources_of
from pkgupdate.package.identity import Identity
from pkgupdate.package.ignore import Ignore
from pkgupdate.package.kinds import KPTFILE, Route, route_of
from pkgupdate.package.links import outside_links
from pkgupdate.package.moves import Move, find_moves
from pkgupdate.package.not_mergeable import NotMergeable, Reason
from pkgupdate.package.renamed import RenamedTree, as_moves, find_renamed
from pkgupdate.package.settle import settle_subpackages
from pkgupdate.package.sources import Source, Sources
from pkgupdate.package.subpackages import without
from pkgupdate.package.tree import FileKind, FileState, Tree
from pkgupdate.package.upstream_paths import check_upstream_paths

if TYPE_CHECKING:
    from pkgupdate.package.schemas import PackageSchemas
    from pkgupdate.schema import SchemaEntry

__all__ = ["FileChange", "FileState", "PackageMerge", "merge_trees"]


def merge_trees(
    sides: Sides[Tree],
    *,
    policy: Policy,
    schema_entries: Iterable[SchemaEntry] = (),
    is_root: bool = True,
    merge_comments: bool = False,
    exclude_dirs: Iterable[str] = (),
) -> PackageMerge:
    """Merge three versions of a package; reads through the trees and writes nothing.

    schema_entries: list rules of the policy.
    is_root: the Kptfile at the top is that of the package that is updated (else a dependent one).
    merge_comments: mark resources that are added with their identity.
    exclude_dirs: subpackages that are not part of this merge, as they follow their own upstream.

    Raises PackageError (`unsafe-path`).
    """
    directories = tuple(exclude_dirs)
    trees = sides.map(lambda tree: without(tree, directories))
    check_upstream_paths(trees.upstream.entries)
    renamed = find_renamed(trees)
    if not renamed:
        return _PackageMerger(trees, policy, tuple(schema_entries), is_root, merge_comments).run()
    older = trees.map(lambda tree: RenamedTree(tree, renamed))
    seen = trees._replace(original=older.original, local=older.local)
    result = _PackageMerger(seen, policy, tuple(schema_entries), is_root, merge_comments).run()
    return as_moves(result, trees.local, renamed)


class _PackageMerger:
    """One merge; the steps in the order of the module's text."""

    def __init__(
        self,
        trees: Sides[Tree],
        policy: Policy,
        entries: tuple[SchemaEntry, ...],
        is_root: bool,
        merge_comments: bool,
    ) -> None:
        self._stats = Stats()
        self._trees = trees
        self._sources: Sources = trees.map(lambda tree: Source(tree, self._stats))
        self._policy = policy
        self._is_root = is_root
        self._merge_comments = merge_comments
        self._ignore = Ignore(trees.upstream, trees.local)
        self._decisions: list[Decision] = self._leave_submodules()
        self._deleted, decisions = settle_subpackages(self._sources, policy)
        self._decisions += decisions
        original, upstream, _ = self._sources
        self._changed = sorted(
            path
            for path in original.paths | upstream.paths
            if original.entry(path) != upstream.entry(path)
        )
        self._files = FileMerger(self._sources, policy)
        self._finder = LocalFinder(self._sources, self._ignore)
        self._entries = entries
        self._as_text: dict[str, Reason] = {}
        self._blocked: set[str] = set()

    def run(self) -> PackageMerge:
        """The whole merge."""
        clash_notes: list[Decision] = []
        while True:
            try:
                results, decisions = self._merge_once()
            except NotMergeable as fault:
                assert not self._as_text.keys() >= fault.reasons.keys(), "a file was split again"
                self._as_text |= fault.reasons
                continue
            clashes = find_clashes(*self._present(results))
            if not clashes:
                break
            blocked_before = len(self._blocked)
            for blocker, blocked in sorted(clashes.items()):
                self._blocked |= blocked
                clash_notes.append(clash_decision(blocker, blocked))
            assert len(self._blocked) > blocked_before, "a clash could not be resolved"
        changes = self._changes(results)
        decisions = [*self._decisions, *decisions, *clash_notes, *outside_links(changes)]
        decisions.sort(key=lambda decision: (decision.file, decision.resource))
        self._stats.documents_parsed = sum(source.documents_parsed for source in self._sources)
        return PackageMerge(changes, decisions, self._stats)

    def _leave_submodules(self) -> list[Decision]:
        """Hide the submodules of both upstream versions, and name those of the new one."""
        decisions = []
        for source in (self._sources.original, self._sources.upstream):
            entries = {path: source.entry(path) for path in source.paths}
            found = {p for p, e in entries.items() if e and e.kind is FileKind.SUBMODULE}
            source.hide(found.__contains__)
            if source is self._sources.upstream:
                decisions = [_submodule_note(path) for path in sorted(found)]
        return decisions

    def _merge_once(self) -> tuple[dict[str, FileState | None], list[Decision]]:
        """What every touched file becomes (None: it goes), and the decisions about it."""
        self._finder.leave_out(set())
        results: dict[str, FileState | None] = dict.fromkeys(self._deleted)
        decisions: list[Decision] = []
        pool: list[str] = []
        moves, notes = find_moves(self._sources, self._is_plain)
        moves = [move for move in moves if move.path not in self._blocked]
        decisions += notes
        for move in moves:
            self._follow(move, results, decisions)
        moved = {path for move in moves for path in move.paths}
        for path in self._changed:
            if path in moved:
                continue
            if self._route(path) is Route.RESOURCES and not self._takes_whole(path):
                pool.append(path)
                continue
            if path in self._blocked and path not in self._sources.local.paths:
                continue
            merge = self._merge_file(path)
            results[path] = merge.state
            decisions += merge.decisions
        if pool:
            self._merge_resources(pool, results, decisions)
        return results, decisions

    def _merge_file(self, path: str) -> FileMerge:
        """Merge a file that is not split into resources."""
        if route_of(path) is Route.KPTFILE:
            from pkgupdate.package.kptfiles import merge_kptfile

            is_root = self._is_root and path == KPTFILE
            return merge_kptfile(path, self._sources, self._files, self._policy, is_root=is_root)
        reason = self._as_text.get(path)
        if reason and not reason.as_text and path in self._sources.local.paths:
            state = self._sources.local.state(path)
            note = f"the merge cannot be written here; the file stays as it is: {reason.note}"
            decision = Decision(Kind.COLLISION, Rule.NOT_YAML, Subject.FILE, path, note=note)
            return FileMerge(path, state, [decision])
        return self._files.merge(Sides(path, path, path), note=reason.note if reason else "")

    def _follow(
        self, move: Move, results: dict[str, FileState | None], decisions: list[Decision]
    ) -> None:
        """Merge a file that has different names."""
        merge = self._files.merge(move.paths, path=move.path)
        if merge.path != move.paths.local:
            results[move.paths.local] = None
            decisions.append(
                Decision(
                    Kind.APPLIED,
                    Rule.MOVED,
                    Subject.FILE,
                    file=move.paths.local,
                    new_path=move.path,
                )
            )
        results[merge.path] = merge.state
        decisions += merge.decisions

    def _merge_resources(
        self, pool: list[str], results: dict[str, FileState | None], decisions: list[Decision]
    ) -> None:
        """Match and merge the documents of these files. Raises NotMergeable."""
        from pkgupdate.package.layout import lay_out
        from pkgupdate.package.match import match
        from pkgupdate.package.resources import UnitMerger
        from pkgupdate.package.units import merge_units

        resources = self._sources.map(
            lambda source: [r for path in pool for r in resources_of(source, path)]
        )
        self._finder.leave_out({*pool, *self._as_text})
        matching = match(resources, self._finder.find)
        merger = UnitMerger(
            self._policy,
            self._schemas.for_resource,
            merge_comments=self._merge_comments,
            blocked=self._blocked,
        )
        merged = merge_units(matching.units, merger, self._schemas)
        decisions += matching.notes
        for item in merged:
            decisions += item.decisions
        for path, text in lay_out(merged, self._sources).items():
            results[path] = self._resource_file(path, text, decisions)

    @cached_property
    def _schemas(self) -> PackageSchemas:
        from pkgupdate.package.schemas import PackageSchemas

        return PackageSchemas(self._sources, self._changed, self._ignore, self._entries)

    def _resource_file(
        self, path: str, text: str | None, decisions: list[Decision]
    ) -> FileState | None:
        """The file with its merged text and mode. Raises NotMergeable."""
        if text is None:
            return None
        content = text.encode()
        local = self._sources.local.state(path)
        if local and content != local.content and route_of(path) is Route.JSON:
            _check_json(path, text)
        kind, mode_decisions = self._files.merge_mode(path)
        decisions += mode_decisions
        return FileState(kind, content)

    def _present(self, results: dict[str, FileState | None]) -> tuple[set[str], set[str]]:
        """All files as they would be afterwards, and those of them that are new."""
        local = set(self._trees.local.entries)
        written = {path for path, state in results.items() if state}
        return (local - {path for path, state in results.items() if not state}) | written, (
            written - local
        )

    def _changes(self, results: dict[str, FileState | None]) -> list[FileChange]:
        """What differs from the local files, deletions first."""
        changes = [
            FileChange(path, before, after)
            for path, after in sorted(results.items())
            for before in [self._sources.local.state_before(path)]
            if before != after
        ]
        return sorted(changes, key=lambda change: change.after is not None)

    def _route(self, path: str) -> Route:
        """Which merger the file goes to: `RESOURCES` only if all versions are text files."""
        route = route_of(path)
        if path in self._as_text or self._ignore.covers(path):
            return Route.PLAIN
        if route is Route.KPTFILE or route is Route.PLAIN:
            return route
        for source in self._sources:
            entry = source.entry(path)
            if entry and (entry.kind is FileKind.LINK or source.stream(path) is None):
                return Route.PLAIN
        return Route.RESOURCES

    def _is_plain(self, path: str) -> bool:
        return route_of(path) is Route.PLAIN or self._ignore.covers(path)

    def _takes_whole(self, path: str) -> bool:
        """Can upstream's version replace the local one without looking at single resources?

        It can if the file is as it was fetched, the policy cares for no part of it, and none of the
        resources that are new in it is already somewhere else here.
        """
        original, upstream, local = (source.entry(path) for source in self._sources)
        policy = self._policy
        has_parts = policy.in_detail or policy.protected or policy.scope
        if original != local or has_parts or path in self._blocked:
            return False
        if upstream is None:
            return True
        before = resources_of(self._sources.original, path)
        texts = {resource.part.text for resource in before}
        after = resources_of(self._sources.upstream, path)
        fresh = [resource for resource in after if resource.part.text not in texts]
        known = {resource.identity for resource in before} if fresh else set()
        new = [r.identity for r in fresh if r.identity and r.identity not in known]
        return not any(self._merge_comments or self._is_elsewhere(i, path) for i in new)

    def _is_elsewhere(self, identity: Identity, path: str) -> bool:
        """Is the resource in a file that was edited here, so that the two have to be merged?"""
        directory = path.rpartition("/")[0]
        return identity.is_named and (
            identity in self._moved_away or bool(self._finder.find(identity, directory))
        )

    @cached_property
    def _moved_away(self) -> set[Identity | None]:
        """What upstream took out of files that were edited here."""
        original, upstream, local = self._sources
        found: set[Identity | None] = set()
        for path in self._changed:
            if original.entry(path) != local.entry(path) and self._route(path) is Route.RESOURCES:
                left = {resource.identity for resource in resources_of(upstream, path)}
                found |= {resource.identity for resource in resources_of(original, path)} - left
        return found


def _check_json(path: str, text: str) -> None:
    try:
        json.loads(text)
    except (ValueError, RecursionError) as e:
        raise NotMergeable({path: Reason(f"the result would be no JSON: {e}")}) from e


def _submodule_note(path: str) -> Decision:
    note = "this is a Git submodule, which is not fetched"
    return Decision(Kind.KEPT, Rule.SUBMODULE, Subject.FILE, file=path, note=note)
