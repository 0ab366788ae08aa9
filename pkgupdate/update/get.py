"""Fetching a package for the first time: all of it appears at once, or nothing does."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from pkgupdate.errors import ApplyError, PackageError
from pkgupdate.merge.sides import Sides
from pkgupdate.package.changes import FileChange
from pkgupdate.package.kinds import KPTFILE
from pkgupdate.package.tree import EMPTY_TREE, FileKind, FileState
from pkgupdate.update import files
from pkgupdate.update.folder import Folder, Found, open_directory
from pkgupdate.update.kptfile import (
    LockSection,
    UpstreamSection,
    read_kptfile,
    set_name,
    set_upstream,
)
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.plan import Plan
from pkgupdate.update.planner import PackagePlan, Planner, written_ref
from pkgupdate.update.repositories import Repositories
from pkgupdate.update.resource_merge import MergeSettings, resource_merge
from pkgupdate.update.state import locked
from pkgupdate.update.strategies import DEFAULT_STRATEGY, strategy_named
from pkgupdate.update.subpackages import PackageWalk
from pkgupdate.update.trees import CommitTree, Workspace
from pkgupdate.upstream.address import Address

_NEW_KPTFILE = b"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: package\n"


def get_package(
    address: Address, dest: Path | None = None, options: UpdateOptions | None = None
) -> Plan:
    """Fetch a package into a new folder; gives what was done, as a plan that is carried out.

    dest: the folder to make; if it is there already, a folder named after the upstream directory is
        made in it, as kpt does. None means the working directory.
    The files stay byte for byte, but for merge comments (`options.merge_comments`) and the Kptfile,
    which gets its name, `upstream` and `upstreamLock`. Bare subpackages are fetched too.

    Raises PackageError `destination-exists`, `destination-unusable`, ApplyError `apply-failed`, and
    UpstreamError as `plan_update` does.
    """
    options = options or UpdateOptions()
    root = _destination(address, dest)
    workspace = Workspace(EMPTY_TREE)
    with locked(root):
        with Repositories(options) as repositories:
            plan = _plan(address, root, workspace, repositories, options)
        _write(root, plan.changes)
    return plan


def _destination(address: Address, dest: Path | None) -> Path:
    root = Path.cwd() if dest is None else dest.absolute()
    if root.is_dir():
        directory = address.directory.strip("/") or address.public_repo.replace(":", "/")
        root /= directory.rstrip("/").rpartition("/")[2]
    if os.path.lexists(root):
        raise PackageError(
            "destination-exists",
            f"{root} is there already",
            hint="name another folder, or update that package with: pkgupdate update",
        )
    if not root.parent.is_dir():
        raise PackageError(
            "destination-unusable",
            f"there is no folder {root.parent} to put the package into",
            hint=f"make it first: mkdir -p {root.parent}",
        )
    return root


def _plan(
    address: Address,
    root: Path,
    workspace: Workspace,
    repositories: Repositories,
    options: UpdateOptions,
) -> Plan:
    upstream = repositories.open(address.repo)
    resolved = upstream.resolve(address.ref, address.directory, prereleases=options.prereleases)
    upstream.ensure([resolved.commit], address.directory)
    if options.require_signed:
        upstream.verify_signature(resolved.commit, resolved.ref)
    strategy = options.strategy or DEFAULT_STRATEGY
    strategy_named(strategy)
    tree = CommitTree(upstream, resolved.commit, address.directory)
    settings = MergeSettings(options.policy, options.schema_entries, options.merge_comments)
    merged = resource_merge(Sides(EMPTY_TREE, tree, EMPTY_TREE), settings)
    for change in merged.changes:
        workspace.plan(change.path, change.after)
    if KPTFILE not in workspace:
        workspace.plan(KPTFILE, FileState(FileKind.FILE, _NEW_KPTFILE))
    workspace.rewrite(KPTFILE, set_name(read_kptfile(workspace.read(KPTFILE)), root.name))
    repo, directory = address.public_repo, address.directory
    follows = UpstreamSection(repo, directory, written_ref(address.ref, resolved), strategy)
    lock = LockSection(repo, directory, resolved.ref, resolved.commit)
    kptfile = read_kptfile(workspace.read(KPTFILE))
    workspace.rewrite(KPTFILE, set_upstream(kptfile, follows, lock))
    fetched = PackagePlan(
        "", root.name, repo, directory, strategy, "", "", lock.ref, lock.commit, merged.decisions
    )
    planner = Planner(workspace, repositories, options)
    if repo != address.repo:
        planner.notes.append(
            "the credentials in the address are not stored; "
            "for updates, let a Git credential helper give them"
        )
    walk = PackageWalk(planner, strategy=options.strategy, recurse=options.recurse)
    if options.recurse:
        walk.complete()
    return Plan(root, [fetched, *walk.plans], workspace.changes(), planner.notes)


def _write(root: Path, changes: list[FileChange]) -> None:
    """Build the package beside its place, then rename it. Raises ApplyError `apply-failed`."""
    draft = root.with_name(f".{root.name}.pkgupdate-get")
    at = str(root)
    try:
        with open_directory(root.parent) as parent:
            shutil.rmtree(draft, ignore_errors=True)  # left by a fetch that was killed
            files.mkdir(draft.name, parent, 0o777)
            with Folder(draft) as folder:
                for change in changes:
                    at = change.path
                    assert change.after is not None
                    found = Found(change.after.kind, change.after.content)
                    folder.stage(change.path, found, os.path.basename(change.path))  # noqa: PTH119
                folder.flush()
            at = str(root)
            files.rename(draft.name, root.name, parent)
            with suppress(OSError):  # the package is there, whole
                files.fsync(parent)
    except BaseException as e:
        shutil.rmtree(draft, ignore_errors=True)
        if isinstance(e, OSError):
            raise ApplyError(
                "apply-failed",
                f"cannot write {ascii(at)[1:-1]}",
                why=e.strerror or str(e),
                hint="nothing was left behind",
            ) from e
        raise
