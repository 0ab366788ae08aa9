"""Upstream's commits between what was fetched and another ref."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pkgupdate.inspect.newest import newest_version
from pkgupdate.inspect.packages import LocalPackage, open_package
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.repositories import Repositories
from pkgupdate.upstream.address import check_ref, normal_directory
from pkgupdate.upstream.history import Commit
from pkgupdate.upstream.resolve import Resolved


@dataclass(frozen=True, slots=True)
class PackageLog:
    """The commits that touch the package's directory, newest first.

    target: where the log ends. is_backward: `target` lies before what was fetched; `commits` are
    those that going there would take back.
    """

    package: LocalPackage
    target: Resolved
    commits: list[Commit]
    is_backward: bool


def package_log(root: Path, ref: str | None, options: UpdateOptions) -> PackageLog:
    """The log of the package at `root` up to `ref`; None is the newest, as `status` has it.

    Raises PackageError (`kptfile-missing`, `upstream-missing`, `lock-missing`, …), UpstreamError.
    """
    package = open_package(root)
    follows, lock = package.kptfile.require_upstream(), package.require_lock()
    directory = normal_directory(follows.directory)
    with Repositories(options) as repositories:
        upstream = repositories.open(follows.repo)
        if ref is None:
            target = newest_version(upstream, follows, lock, prereleases=options.prereleases)
        else:
            target = upstream.resolve(check_ref(ref), directory, prereleases=options.prereleases)
        if target.commit.startswith(lock.commit):
            return PackageLog(package, target, [], False)
        commits = upstream.history(lock.commit, target.commit, directory)
        is_backward = not commits
        if is_backward:
            commits = upstream.history(target.commit, lock.commit, directory)
        return PackageLog(package, target, commits, is_backward and bool(commits))
