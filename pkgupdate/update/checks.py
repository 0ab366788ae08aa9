"""What has to be true of a local package before an update plans anything."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pkgupdate.errors import Location, PackageError
from pkgupdate.package.kinds import KPTFILE
from pkgupdate.update.state import find_repository

MAX_LISTED: Final = 10
_UNMERGED = frozenset({"DD", "AU", "UD", "UA", "DU", "AA", "UU"})
_NEAR_DEPTH = 3


def check_package(root: Path) -> None:
    """Refuse a path that is no package folder.

    Raises PackageError `package-missing`, `kptfile-missing` (with the packages nearby),
    `kptfile-broken`.
    """
    if not root.is_dir():
        raise PackageError(
            "package-missing",
            f"there is no folder {root}",
            hint="name the folder of the package, or run the command inside of it",
        )
    kptfile = root / KPTFILE
    if kptfile.is_symlink():
        raise PackageError(
            "kptfile-broken",
            "the Kptfile cannot be read",
            where=Location(file=KPTFILE),
            why="it is a link",
            hint="replace the link by the file",
        )
    if not kptfile.is_file():
        near = [str(path) for path in _packages_near(root)]
        raise PackageError(
            "kptfile-missing",
            f"{root} is no package: it has no Kptfile",
            hint=f"did you mean: {', '.join(near[:MAX_LISTED])}?"
            if near
            else "fetch a package with: pkgupdate get REPO.git/DIRECTORY@REF",
        )


def check_clean(root: Path, *, allow_dirty: bool) -> None:
    """Refuse a package with uncommitted work in its Git repository, if it is in one.

    Ignored files, and files outside of the package, do not matter.
    Raises PackageError `package-unmerged` (always), `package-dirty` (unless `allow_dirty`);
    UpstreamError `git-missing`.
    """
    found = find_repository(root)
    if found is None:
        return
    states = dict(_git_status(root.resolve(), *found))
    unmerged = sorted(path for path, state in states.items() if state in _UNMERGED)
    if unmerged:
        raise PackageError(
            "package-unmerged",
            "the package has conflicts of an earlier Git merge",
            where=Location(file=ascii(unmerged[0])[1:-1]),
            why=listed(unmerged),
            hint="resolve and commit them first",
        )
    if states and not allow_dirty:
        raise PackageError(
            "package-dirty",
            f"the package has uncommitted work in {len(states)} "
            + ("file" if len(states) == 1 else "files"),
            why=listed(sorted(states)),
            hint="commit or stash it first, or add --allow-dirty",
        )


def listed(paths: list[str]) -> str:
    """The first few paths, one a line, and how many more there are."""
    from pkgupdate.upstream.text import printable

    more = len(paths) - MAX_LISTED
    lines = [printable(path) for path in paths[:MAX_LISTED]]
    return "\n".join([*lines, f"and {more} more"] if more > 0 else lines)


def _git_status(root: Path, top: Path, git_directory: Path) -> Iterator[tuple[str, str]]:
    """Path (relative to the package) and two-letter state of every file that is not clean."""
    from pkgupdate.upstream.git import Gateway, GitFailure
    from pkgupdate.upstream.text import clean

    below = root.relative_to(top).as_posix()
    prefix = "" if below == "." else below + "/"
    try:
        output = Gateway(git_directory).run(
            f"--work-tree={top}",
            "status",
            "--porcelain",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            "--",
            f":(top,literal){'' if below == '.' else below}",
        )
    except GitFailure as e:
        raise PackageError(
            "git-failed",
            f"git cannot tell whether {root} has uncommitted work",
            why=clean(e.stderr),
            hint="mend the repository, or add --allow-dirty",
        ) from e
    for record in output.stdout.split(b"\0"):
        if record:
            yield os.fsdecode(record[3:]).removeprefix(prefix), record[:2].decode()


def _packages_near(root: Path) -> Iterable[Path]:
    """The package around the folder, else those a few levels below it."""
    for parent in root.resolve().parents:
        if (parent / KPTFILE).is_file():
            return [parent]
    found: list[Path] = []
    for depth in range(1, _NEAR_DEPTH + 1):
        found += (kptfile.parent for kptfile in root.glob("*/" * depth + KPTFILE))
        if found:
            break
    return sorted(found)
