"""The plan of an update: worked out in memory, shown or carried out afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pkgupdate.errors import ApplyError, Location, PackageError
from pkgupdate.package.tree import DiskTree, Tree
from pkgupdate.preload import preload
from pkgupdate.update.checks import check_clean, check_package
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.state import locked, pending
from pkgupdate.update.trees import Workspace, path_in

if TYPE_CHECKING:
    from pkgupdate.merge.decisions import Decision
    from pkgupdate.package.changes import FileChange
    from pkgupdate.update.planner import Narrow, PackagePlan

_TO_ASK_UPSTREAM = ("pkgupdate.update.subpackages", "yaml", "pkgupdate.upstream.repository")


@dataclass(slots=True)
class Plan:
    """What an update does to a package and the packages inside of it.

    root: the folder of the package.
    packages: the root first, each before those inside of it.
    changes: paths relative to the root; deletions first, the Kptfiles last.
    notes: sentences for people about things that are not decisions of the merge.
    """

    root: Path
    packages: list[PackagePlan] = field(default_factory=list)
    changes: list[FileChange] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def decisions(self) -> list[Decision]:
        """The decisions of all packages, with paths relative to the root."""
        return [
            _placed(decision, package.directory)
            for package in self.packages
            for decision in package.decisions
        ]

    @property
    def collisions(self) -> list[Decision]:
        """Those where both sides changed the same thing in different ways."""
        from pkgupdate.merge.decisions import Kind

        return [decision for decision in self.decisions if decision.kind is Kind.COLLISION]

    @property
    def is_empty(self) -> bool:
        """Is there nothing to do?"""
        return not self.changes


def plan_update(root: Path, options: UpdateOptions | None = None) -> Plan:
    """Work out the update of the package at `root`; writes nothing into it.

    Raises PackageError (package-missing, kptfile-missing, kptfile-broken, upstream-missing,
    package-dirty, package-unmerged, strategy-unknown, local-changes, unreadable, unsafe-path, …),
    UpstreamError (ref-unknown, commit-gone, directory-missing, repo-unreachable, …), and ApplyError
    `update-pending` if an earlier update has to be recovered first.
    """
    options = options or UpdateOptions()
    check_package(root)
    if pending(root):
        raise ApplyError(
            "update-pending",
            f"an earlier update of {root} did not end",
            hint=f"run: pkgupdate recover {root}",
        )
    preload(*_TO_ASK_UPSTREAM)
    check_clean(root, allow_dirty=options.allow_dirty)
    try:
        plan = plan_tree(DiskTree(root), options)
        plan.root = root
        return plan
    except OSError as e:
        raise PackageError(
            "unreadable",
            "a file of the package cannot be read",
            where=Location(file=ascii(str(e.filename or root))[1:-1]),
            why=e.strerror or str(e),
        ) from e


def plan_tree(
    tree: Tree, options: UpdateOptions, narrow: Narrow = lambda directory, sides: sides
) -> Plan:
    """Work out the update of a package, wherever its files are.

    tree: has a Kptfile at its top. narrow: see `Planner`. Raises what `plan_update` raises for
    faults of the package and of its upstream, and OSError for files that cannot be read.
    """
    from pkgupdate.update.planner import Planner
    from pkgupdate.update.policies import with_inner_protections
    from pkgupdate.update.repositories import Repositories
    from pkgupdate.update.subpackages import PackageWalk

    options = replace(options, policy=with_inner_protections(options.policy, tree))
    workspace = Workspace(tree)
    with Repositories(options) as repositories:
        planner = Planner(workspace, repositories, options, narrow)
        walk = PackageWalk(planner, strategy=options.strategy, recurse=options.recurse)
        walk.update(options.ref)
        return Plan(Path(), walk.plans, workspace.changes(), planner.notes)


def apply_plan(plan: Plan) -> None:
    """Write what was planned, all or nothing.

    Raises ApplyError as `journal.apply_changes` does.
    """
    from pkgupdate.update.journal import apply_changes

    apply_changes(plan.root, plan.changes)


def update_package(root: Path, options: UpdateOptions | None = None) -> Plan:
    """Recover an update that died, then plan and apply one, under the lock of the package.

    Raises what `exclusive`, `plan_update` and `apply_plan` raise.
    """
    with exclusive(root) as notes:
        plan = plan_update(root, options)
        plan.notes[:0] = notes
        apply_plan(plan)
    return plan


@contextmanager
def exclusive(root: Path) -> Iterator[list[str]]:
    """Keep other updates away from the package, and recover one that died; gives notes about it.

    Raises ApplyError `package-locked`, and what `journal.recover` raises.
    """
    check_package(root)
    with locked(root):
        recovered = None
        if pending(root):
            from pkgupdate.update.journal import recover

            recovered = recover(root)
        yield [f"an earlier update had broken off; it was {recovered} first"] if recovered else []


def _placed(decision: Decision, directory: str) -> Decision:
    if not directory:
        return decision
    new_path = path_in(directory, decision.new_path) if decision.new_path else ""
    return replace(decision, file=path_in(directory, decision.file), new_path=new_path)
