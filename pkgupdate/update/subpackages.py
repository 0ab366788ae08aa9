"""A package and the independent subpackages in it: what follows what, in which order.

A package comes before those inside of it, because merging it can bring, move or take away
subpackages. An independent subpackage takes part in that merge if it still stands where the
package around it put it (same upstream, same commit): that is how a new ref for it arrives. Then it
is updated from its own upstream:

- if the package around it went to another ref, and the subpackage is from the same repository, from
  inside that package's directory and had the same old ref, it goes to the same new ref (as in kpt);
- one that has just arrived is left as it came, or fetched if it came as a bare Kptfile, unless that
  would lead back to a package around it, or from a remote repository to one on the user's disk.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pkgupdate.errors import Location, PackageError, PkgUpdateError
from pkgupdate.merge.sides import Sides
from pkgupdate.package.kinds import KPTFILE
from pkgupdate.package.subpackages import package_dirs
from pkgupdate.package.tree import Tree
from pkgupdate.update.kptfile import LockSection, UpstreamSection, read_kptfile
from pkgupdate.update.planner import PackagePlan, Planner
from pkgupdate.update.trees import path_in
from pkgupdate.upstream.address import normal_directory
from pkgupdate.upstream.remote import parse_remote, same_repo
from pkgupdate.upstream.text import printable

MAX_PACKAGES: Final = 1000
"""Packages in one run; a guard against packages that hold ever more packages."""


class _Around(NamedTuple):
    """A package that was planned, as those inside of it see it."""

    follows: UpstreamSection
    new_ref: str

    def takes_along(self, sub: UpstreamSection) -> bool:
        """Does a subpackage that follows `sub` go to the new ref too?"""
        directory = normal_directory(self.follows.directory).rstrip("/") + "/"
        return (
            self.new_ref != self.follows.ref == sub.ref
            and same_repo(self.follows.repo, sub.repo)
            and f"{normal_directory(sub.directory)}/".startswith(directory)
        )

    def is_same_package(self, sub: UpstreamSection) -> bool:
        """Does `sub` lead to this very package?"""
        return _source(self.follows) == _source(sub)


class PackageWalk:
    """Plans a package and everything in it that follows an upstream of its own."""

    def __init__(self, planner: Planner, *, strategy: str | None, recurse: bool) -> None:
        self._planner = planner
        self._strategy = strategy
        self._recurse = recurse
        self.plans: list[PackagePlan] = []

    def update(self, ref: str | None) -> None:
        """Plan the root package, to `ref`, and those inside of it."""
        self._update("", ref, self._strategy, ())

    def complete(self) -> None:
        """Only fetch what the root package holds as bare Kptfiles; it itself was just fetched."""
        follows = self._planner.kptfile("").require_upstream()
        self._enter("", (_Around(follows, follows.ref),))

    def _update(
        self, directory: str, ref: str | None, strategy: str | None, around: tuple[_Around, ...]
    ) -> None:
        if len(self.plans) >= MAX_PACKAGES:
            raise PackageError("too-many-packages", f"there are more than {MAX_PACKAGES} packages")
        follows = self._planner.kptfile(directory).require_upstream()
        plan = self._planner.update(directory, ref=ref, strategy=strategy, left_out=self._left_out)
        self.plans.append(plan)
        if self._recurse:
            new_ref = self._planner.kptfile(directory).require_upstream().ref
            self._enter(directory, (*around, _Around(follows, new_ref)))

    def _enter(self, directory: str, around: tuple[_Around, ...]) -> None:
        """Go on with the independent packages directly inside a planned one."""
        inside = [d for d, independent in self._packages(directory).items() if independent]
        for sub in inside:
            if any(sub.startswith(f"{other}/") for other in inside):
                continue  # it comes with that one
            place = path_in(directory, sub)
            try:
                self._subpackage(place, around)
            except PkgUpdateError as e:
                if not str(e.where):
                    e.where = Location(file=path_in(place, KPTFILE))
                raise

    def _subpackage(self, directory: str, around: tuple[_Around, ...]) -> None:
        on_disk = self._planner.workspace.on_disk(path_in(directory, KPTFILE))
        try:
            kptfile = self._planner.kptfile(directory)
            follows = kptfile.require_upstream()
            _source(follows)
        except PkgUpdateError as e:
            if on_disk is not None:
                raise
            self._leave(directory, e.why or e.what)
            return
        if kptfile.lock is None and any(outer.is_same_package(follows) for outer in around):
            self._leave(directory, "it would hold itself")
        elif _reaches_this_machine(follows, around[-1].follows, on_disk):
            self._leave(directory, "its Kptfile, which came from elsewhere, names a local path")
        elif kptfile.lock is not None and on_disk is None:
            self._enter(directory, (*around, _Around(follows, follows.ref)))
        else:
            leader = next((outer for outer in reversed(around) if outer.takes_along(follows)), None)
            ref, strategy = (leader.new_ref, self._strategy) if leader else (None, None)
            self._update(directory, ref, strategy, around)

    def _leave(self, directory: str, why: str) -> None:
        self._planner.notes.append(f"{printable(directory)} is not fetched: {why}")

    def _packages(self, directory: str) -> dict[str, bool]:
        return package_dirs(self._planner.workspace.tree(directory))

    def _left_out(self, sides: Sides[Tree]) -> list[str]:
        """Which subpackages take no part in the merge of the package around them."""
        local = [d for d, independent in package_dirs(sides.local).items() if independent]
        return [d for d in local if not (self._recurse and _takes_part(d, sides))]


def _reaches_this_machine(
    follows: UpstreamSection, around: UpstreamSection, on_disk: bytes | None
) -> bool:
    """Did a remote upstream bring a Kptfile that follows a repository on the user's own disk?"""
    if parse_remote(follows.repo).scheme != "file" or parse_remote(around.repo).scheme == "file":
        return False
    if on_disk is None:
        return True
    before = read_kptfile(on_disk).upstream
    return before is None or not same_repo(before.repo, follows.repo)


def _takes_part(directory: str, sides: Sides[Tree]) -> bool:
    """Is the independent local subpackage still where the package around it put it?

    One that both sides added takes part if the two are different packages: that is a collision.
    """
    stands = sides.map(lambda tree: _sections(tree, directory))
    original, upstream, local = stands
    if local is None or local[0] is None:
        return True
    if original is not None:
        same_lock = original[1] is None or original[1] == local[1]
        return same_lock and original[0] == local[0]
    if upstream is None:
        return False
    return upstream[0] is None or _source(upstream[0]) != _source(local[0])


def _sections(
    tree: Tree, directory: str
) -> tuple[UpstreamSection | None, LockSection | None] | None:
    """The sections of a package's Kptfile (none if one is broken); None if it is not there."""
    path = f"{directory}/{KPTFILE}"
    if path not in tree.entries:
        return None
    try:
        kptfile = read_kptfile(tree.read(path), path)
        if kptfile.upstream is not None:
            _source(kptfile.upstream)
    except PkgUpdateError:
        return None, None
    return kptfile.upstream, kptfile.lock


def _source(follows: UpstreamSection) -> tuple[tuple[str, str, str], str]:
    """Repository and directory, equal if they are the same. Raises UpstreamError `bad-address`."""
    return parse_remote(follows.repo).key, normal_directory(follows.directory)
