"""Planning the update of one package in a workspace: what to fetch, to merge and to lock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from pkgupdate.errors import UpstreamError
from pkgupdate.merge.sides import Sides
from pkgupdate.package.kinds import KPTFILE
from pkgupdate.package.subpackages import without
from pkgupdate.package.tree import EMPTY_TREE, Tree
from pkgupdate.preload import preload
from pkgupdate.update.kptfile import (
    Kptfile,
    LockSection,
    UpstreamSection,
    read_kptfile,
    set_upstream,
)
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.policies import policy_in
from pkgupdate.update.repositories import Repositories, public_repo
from pkgupdate.update.resource_merge import MergeSettings
from pkgupdate.update.strategies import DEFAULT_STRATEGY, strategy_named
from pkgupdate.update.trees import CommitTree, Workspace, expect_changes, path_in
from pkgupdate.upstream.address import check_ref, normal_directory
from pkgupdate.upstream.remote import same_repo
from pkgupdate.upstream.text import printable

if TYPE_CHECKING:
    from pkgupdate.merge.decisions import Decision
    from pkgupdate.upstream.repository import Upstream
    from pkgupdate.upstream.resolve import Resolved

_SHORTEST_COMMIT = 7
# What every merge needs; loading more would keep a CPU from Git. The parts of the merge stand
# before the whole: each is a chance to see that Git is done.
_TO_MERGE = (
    "pkgupdate.package.finder",
    "pkgupdate.package.files",
    "pkgupdate.document.apply",
    "pkgupdate.package.merge",
    "pkgupdate.update.journal",
)

Narrow: TypeAlias = Callable[[str, Sides[Tree]], Sides[Tree]]
"""Given a package's directory and its three trees, what of them takes part in the merge."""


@dataclass(slots=True)
class PackagePlan:
    """What an update does to one package.

    directory: relative to the root package, empty for that one.
    repo: without credentials. upstream_directory: where the package is in it.
    from_ref, from_commit: what was last fetched; empty if nothing was.
    to_ref: what the lock names; to_commit: the commit that it means now.
    decisions: file paths are relative to this package.
    """

    directory: str
    name: str
    repo: str
    upstream_directory: str
    strategy: str
    from_ref: str
    from_commit: str
    to_ref: str
    to_commit: str
    decisions: list[Decision] = field(default_factory=list)


class Planner:
    """Plans packages of one workspace one after the other; `notes` are for people."""

    def __init__(
        self,
        workspace: Workspace,
        repositories: Repositories,
        options: UpdateOptions,
        narrow: Narrow = lambda directory, sides: sides,
    ) -> None:
        self.workspace = workspace
        self.notes: list[str] = []
        self._repositories = repositories
        self._options = options
        self._narrow = narrow

    def kptfile(self, directory: str) -> Kptfile:
        """The Kptfile of the package in a directory. Raises PackageError `kptfile-broken`."""
        path = path_in(directory, KPTFILE)
        return read_kptfile(self.workspace.read(path), path)

    def update(
        self,
        directory: str,
        *,
        ref: str | None = None,
        strategy: str | None = None,
        left_out: Callable[[Sides[Tree]], list[str]] = lambda sides: [],
    ) -> PackagePlan:
        """Plan the package in a directory; its new content is in the workspace afterwards.

        ref, strategy: None takes those in its Kptfile. left_out: given the three trees, says which
        directories take no part in the merge.
        Raises PackageError and UpstreamError as described where they come from.
        """
        kptfile = self.kptfile(directory)
        follows = kptfile.require_upstream()
        lock = kptfile.lock
        upstream_directory = normal_directory(follows.directory)
        upstream = self._repositories.open(follows.repo)
        wanted = check_ref(follows.ref if ref is None else ref)
        preload(*_TO_MERGE)
        resolved = upstream.resolve(
            wanted, upstream_directory, prereleases=self._options.prereleases
        )
        plan = PackagePlan(
            directory,
            kptfile.name,
            public_repo(follows.repo),
            follows.directory,
            strategy or follows.strategy or DEFAULT_STRATEGY,
            lock.ref if lock else "",
            lock.commit if lock else "",
            resolved.ref,
            resolved.commit,
        )
        merge = strategy_named(plan.strategy)
        self._note_moved_tag(directory, upstream, follows, lock, resolved)
        new_ref = written_ref(wanted, resolved)
        if lock and _is_fetched(follows, lock, resolved):
            if new_ref != follows.ref:
                self._lock(directory, kptfile, follows._replace(ref=new_ref), resolved)
            return plan
        if self._options.require_signed:
            upstream.ensure([resolved.commit], upstream_directory)
            upstream.verify_signature(resolved.commit, resolved.ref)
        if lock is None:
            self.notes.append(
                f"{printable(directory or kptfile.name)} has no upstreamLock with a commit, so it "
                "is merged with an empty original: what differs collides"
            )
        sides = self._sides(directory, upstream, upstream_directory, lock, resolved)
        directories = left_out(sides)
        taking_part = sides.map(lambda tree: without(tree, directories))
        settings = MergeSettings(
            policy_in(self._options.policy, directory),
            self._options.schema_entries,
            self._options.merge_comments,
        )
        merged = merge(self._narrow(directory, taking_part), settings)
        for change in merged.changes:
            self.workspace.plan(path_in(directory, change.path), change.after)
        plan.decisions += merged.decisions
        self._lock(directory, self.kptfile(directory), follows._replace(ref=new_ref), resolved)
        return plan

    def _sides(
        self,
        directory: str,
        upstream: Upstream,
        upstream_directory: str,
        lock: LockSection | None,
        resolved: Resolved,
    ) -> Sides[Tree]:
        original: CommitTree | None = None
        wanted = [resolved.commit]
        if lock is not None:
            locked_directory = normal_directory(lock.directory)
            locked_upstream = upstream
            if not same_repo(lock.repo, upstream.repo):
                locked_upstream = self._holder_of(lock, locked_directory, upstream)
            elif locked_directory == upstream_directory:
                wanted.append(lock.commit)
            else:
                upstream.ensure([lock.commit], locked_directory)
            original = CommitTree(locked_upstream, lock.commit, locked_directory)
        upstream.ensure(wanted, upstream_directory)
        new = CommitTree(upstream, resolved.commit, upstream_directory)
        if original:
            expect_changes(original, new)
        return Sides(original or EMPTY_TREE, new, self.workspace.tree(directory))

    def _holder_of(self, lock: LockSection, directory: str, upstream: Upstream) -> Upstream:
        """The repository that has the locked commit, now that the package follows another one.

        Most often the whole repository moved, and the old address answers no more.
        """
        try:
            upstream.ensure([lock.commit], directory)
        except UpstreamError:
            former = self._repositories.open(lock.repo)
            former.ensure([lock.commit], directory)
            return former
        return upstream

    def _lock(
        self, directory: str, kptfile: Kptfile, follows: UpstreamSection, resolved: Resolved
    ) -> None:
        lock = LockSection(
            public_repo(follows.repo), follows.directory, resolved.ref, resolved.commit
        )
        content = set_upstream(kptfile, follows._replace(strategy=""), lock)
        self.workspace.rewrite(path_in(directory, KPTFILE), content)

    def _note_moved_tag(
        self,
        directory: str,
        upstream: Upstream,
        follows: UpstreamSection,
        lock: LockSection | None,
        resolved: Resolved,
    ) -> None:
        """Say so if the tag that was fetched is another commit today; the base stays the commit."""
        if lock is None or resolved.kind == "commit" or not same_repo(lock.repo, follows.repo):
            return
        now = upstream.refs().tags.get(lock.ref.removeprefix("refs/tags/"))
        if now and not now.startswith(lock.commit):
            place = f"{printable(directory)}: " if directory else ""
            self.notes.append(
                f"{place}tag {printable(lock.ref)} moved since it was fetched "
                f"({lock.commit[:12]} then, {now[:12]} now); "
                "the commit that was fetched is the base of the merge"
            )


def _is_fetched(follows: UpstreamSection, lock: LockSection, resolved: Resolved) -> bool:
    """Is the commit to update to the one that was fetched? (kpt keeps short ids short.)"""
    return (
        len(lock.commit) >= _SHORTEST_COMMIT
        and resolved.commit.startswith(lock.commit)
        and same_repo(follows.repo, lock.repo)
        and normal_directory(follows.directory) == normal_directory(lock.directory)
    )


def written_ref(wanted: str, resolved: Resolved) -> str:
    """What `upstream.git.ref` becomes: what was asked for; what a constraint chose."""
    is_chosen = not wanted or not f"/{resolved.ref}".endswith(f"/{wanted}")
    return resolved.ref if is_chosen else wanted
