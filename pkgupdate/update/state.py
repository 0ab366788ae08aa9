"""Where the journal of a package lives, and the lock that keeps two updates of it apart.

In the Git directory of the repository that holds the package (a worktree has its own), else in the
user's state folder; never in the package. The environment variable PKGUPDATE_STATE_DIR replaces the
user's state folder.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pkgupdate.errors import ApplyError, PkgUpdateError

STATE_DIR_VARIABLE: Final = "PKGUPDATE_STATE_DIR"
PENDING: Final = "pending"
"""Name of the record of a change that has begun; see `pkgupdate.update.journal`."""
LOCK_TIMEOUT: Final = 10.0
"""Seconds that an update waits for another one of the same package."""

_PRIVATE = 0o700


def state_directory(root: Path) -> Path:
    """The folder for the journal of the package at `root` (which need not exist yet)."""
    root = root.resolve()
    for top in (root, *root.parents):
        git_directory = _git_directory(top)
        if git_directory is not None:
            return git_directory / "pkgupdate" / _digest(root.relative_to(top).as_posix())
    return user_state_directory() / _digest(str(root))


def pending(root: Path) -> bool:
    """Did a change of this package begin that did not end?"""
    return (state_directory(root) / PENDING).exists()


def user_state_directory() -> Path:
    """The user's state folder for this program."""
    if base := os.environ.get(STATE_DIR_VARIABLE):
        return Path(base)
    from platformdirs import user_state_path

    return user_state_path("pkgupdate")


def find_repository(root: Path) -> tuple[Path, Path] | None:
    """The working tree around `root` and its Git directory; None outside of any."""
    root = root.resolve()
    for top in (root, *root.parents):
        git_directory = _git_directory(top)
        if git_directory is not None:
            return top, git_directory
    return None


def make_state_directory(root: Path) -> Path:
    """The same, made if it is missing, readable by its owner alone.

    Raises ApplyError `state-unusable`.
    """
    directory = state_directory(root)
    try:
        directory.parent.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        directory.mkdir(mode=_PRIVATE, exist_ok=True)
    except OSError as e:
        raise state_error(directory, e) from e
    return directory


def state_error(directory: Path, error: OSError) -> PkgUpdateError:
    """The error for a journal that cannot be written or read."""
    return ApplyError(
        "state-unusable",
        f"cannot keep the journal of the update in {directory}",
        why=error.strerror or str(error),
        hint="make room there, or check who may write there",
    )


@contextmanager
def locked(root: Path, timeout: float = LOCK_TIMEOUT) -> Iterator[Path]:
    """Hold the lock of the package at `root`; gives its state directory.

    Nests within one thread. Raises ApplyError `package-locked` after `timeout` seconds.
    """
    from filelock import FileLock, Timeout

    directory = make_state_directory(root)
    lock = FileLock(directory / "lock", mode=0o600, is_singleton=True)
    try:
        lock.acquire(timeout=timeout)
    except Timeout as e:
        raise ApplyError(
            "package-locked",
            f"another update of {root} is running",
            why=f"its lock was not free within {timeout:g} seconds",
            hint="wait until it has ended, then run the command again",
        ) from e
    except OSError as e:
        raise state_error(directory, e) from e
    try:
        yield directory
    finally:
        lock.release()


def _git_directory(top: Path) -> Path | None:
    """The Git directory of the working tree whose top is `top`; None if it is no such top."""
    link = top / ".git"
    if link.is_file():
        text = link.read_text(errors="replace")
        if not text.startswith("gitdir:"):
            return None
        link = top / text.removeprefix("gitdir:").strip()
    return link.resolve() if (link / "HEAD").is_file() else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
