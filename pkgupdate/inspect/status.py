"""Where packages stand: what they follow, what is new there, what was changed here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from pkgupdate.errors import PackageError, PkgUpdateError, UpstreamError
from pkgupdate.inspect.differences import Difference, differences
from pkgupdate.inspect.newest import newest_version
from pkgupdate.inspect.packages import LocalPackage, open_package, own_files, readable
from pkgupdate.package.subpackages import without
from pkgupdate.update.checks import check_clean
from pkgupdate.update.kptfile import LockSection, UpstreamSection
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.repositories import Repositories
from pkgupdate.update.state import pending
from pkgupdate.update.trees import CommitTree
from pkgupdate.upstream.address import normal_directory
from pkgupdate.upstream.remote import parse_remote

if TYPE_CHECKING:
    from pkgupdate.upstream.resolve import Resolved

_THREADS = 8


class State(StrEnum):
    """Is something half done in the package?"""

    SETTLED = "settled"
    INTERRUPTED = "interrupted"
    """An update died; `pkgupdate recover` brings the package to a whole state."""
    UNMERGED = "unmerged"
    """A Git merge left conflicts in it."""


@dataclass(slots=True)
class PackageStatus:
    """What is known of one package.

    newest: where it could be updated to.
    commits_behind: how many commits on the way there touch its directory; not known either if it
        was fetched from another repository than it follows now.
    local_changes: what differs from what was fetched.
    error: why something above is not known (then it is None).
    """

    root: Path
    package: LocalPackage | None = None
    newest: Resolved | None = None
    commits_behind: int | None = None
    local_changes: list[Difference] | None = None
    state: State = State.SETTLED
    error: PkgUpdateError | None = None

    @property
    def follows(self) -> UpstreamSection | None:
        """What the package follows, None if nothing."""
        return self.package.kptfile.upstream if self.package else None

    @property
    def lock(self) -> LockSection | None:
        """What was last fetched, None if nothing was."""
        return self.package.kptfile.lock if self.package else None

    @property
    def is_behind(self) -> bool:
        """Would an update to the newest bring commits that touch the package's directory?"""
        return bool(self.commits_behind)

    @property
    def is_changed(self) -> bool:
        """Was something changed here, or is something half done?"""
        return bool(self.local_changes) or self.state is not State.SETTLED


def package_statuses(
    roots: Iterable[Path], options: UpdateOptions, *, local: bool = True
) -> list[PackageStatus]:
    """The status of each package, in order.

    A package without upstream that lies in another one is part of that, and left out. Each upstream
    repository is asked for its refs once, and many are asked at the same time. What fails for one
    package is its `error`. local: look for local changes, too.
    """
    statuses = [_read(root) for root in roots]
    statuses = [s for s in statuses if not _is_part_of_another(s, statuses)]
    groups: dict[tuple[str, str, str], list[PackageStatus]] = defaultdict(list)
    for status in statuses:
        if status.follows and status.lock:
            try:
                groups[parse_remote(status.follows.repo).key].append(status)
            except UpstreamError as e:
                status.error = e
    with ExitStack() as stack:
        surveys = [
            _Survey(group, stack.enter_context(Repositories(options)), options, local)
            for group in groups.values()
        ]
        with ThreadPoolExecutor(_THREADS) as pool:
            list(pool.map(_Survey.fetch, surveys))
        for survey in surveys:
            survey.compare()
    return statuses


class _Survey:
    """The packages of one upstream repository."""

    def __init__(
        self,
        statuses: list[PackageStatus],
        repositories: Repositories,
        options: UpdateOptions,
        local: bool,
    ) -> None:
        self._statuses = statuses
        self._repositories = repositories
        self._options = options
        self._local = local

    def fetch(self) -> None:
        """Ask upstream for all that the status needs, and count commits."""
        try:
            self._look_up()
            self._prefetch()
        except UpstreamError as e:
            for status in self._statuses:
                status.error = status.error or e
        for status in self._statuses:
            if status.newest and not status.error:
                self._count(status)

    def compare(self) -> None:
        """Find the local changes. Reads the cache only; merging is not for threads."""
        for status in self._statuses if self._local else ():
            if status.error is None:
                try:
                    with readable(status.root):
                        status.local_changes = self._changes(status)
                except PkgUpdateError as e:
                    status.error = e

    def _look_up(self) -> None:
        follows, _ = _sections(self._statuses[0])
        upstream = self._repositories.open(follows.repo)
        upstream.refs()
        for status in self._statuses:
            try:
                status.newest = newest_version(
                    upstream, *_sections(status), prereleases=self._options.prereleases
                )
            except UpstreamError as e:
                status.error = e

    def _prefetch(self) -> None:
        """One fetch for all packages; what fails in it is tried again package by package."""
        upstream = self._repositories.open(_sections(self._statuses[0])[0].repo)
        commits: list[str] = []
        places: list[tuple[str, str]] = []
        for status in self._statuses:
            _, lock = _sections(status)
            if status.newest and self._repositories.open(lock.repo) is upstream:
                commits += (lock.commit, status.newest.commit)
                places.append((lock.commit, normal_directory(lock.directory)))
        try:
            upstream.ensure_history(commits)
            if self._local:
                upstream.ensure_all(places)
        except UpstreamError as e:
            if e.code not in ("commit-gone", "ref-unknown"):
                raise

    def _count(self, status: PackageStatus) -> None:
        follows, lock = _sections(status)
        assert status.newest is not None
        try:
            upstream, locked = map(self._repositories.open, (follows.repo, lock.repo))
            if status.newest.commit.startswith(lock.commit):
                status.commits_behind = 0
            elif upstream is locked:
                directory = normal_directory(follows.directory)
                history = upstream.history(lock.commit, status.newest.commit, directory)
                status.commits_behind = len(history)
            if self._local:
                locked.ensure([lock.commit], normal_directory(lock.directory))
        except UpstreamError as e:
            status.error = e

    def _changes(self, status: PackageStatus) -> list[Difference]:
        _, lock = _sections(status)
        upstream = self._repositories.open(lock.repo)
        local, left_out = own_files(status.root)
        original = CommitTree(upstream, lock.commit, normal_directory(lock.directory))
        return differences(without(original, left_out), local)


def _sections(status: PackageStatus) -> tuple[UpstreamSection, LockSection]:
    assert status.follows is not None and status.lock is not None
    return status.follows, status.lock


def _read(root: Path) -> PackageStatus:
    status = PackageStatus(root)
    try:
        status.package = open_package(root)
        status.state = _state(root)
        if status.follows:
            status.package.require_lock()
    except PkgUpdateError as e:
        status.error = e
    return status


def _state(root: Path) -> State:
    if pending(root):
        return State.INTERRUPTED
    try:
        check_clean(root, allow_dirty=True)
    except PackageError as e:
        if e.code == "package-unmerged":
            return State.UNMERGED
        raise
    return State.SETTLED


def _is_part_of_another(status: PackageStatus, others: Iterable[PackageStatus]) -> bool:
    if status.follows or status.package is None:
        return False
    parents = status.root.resolve().parents
    return any(other.root.resolve() in parents for other in others)
