"""The cache: one bare repository per upstream, made, locked and thrown away as a whole.

It is an ordinary bare repository with objects and a few refs; the upstream's URL is not in it. What
has been fetched is recorded by empty files in `ready/`, which spare a git process per question:

    COMMIT       the commit and its trees
    COMMIT.all   all of its blobs
    COMMIT.DIR   the blobs below one directory (a hash of its name)
    COMMIT.log   its history
    partial      blobs were ever left out

The last list of branches and tags is kept in `listing`, for those who must not ask the server.

A reader that finds one of them to be wrong has found the cache damaged, and makes it anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.remote import Remote

ENVIRONMENT = "PKGUPDATE_CACHE_DIR"
LOCK_SECONDS = 600.0
_LISTING = "listing"
_LEFTOVERS = ("*.lock", "refs/**/*.lock", "objects/pack/tmp_*", "objects/pack/.tmp*", ".listing-*")


class CacheDamaged(Exception):
    """An object that must be in the cache is not there, or not as its id says."""


def default_cache_dir() -> Path:
    """Return the folder of all caches: PKGUPDATE_CACHE_DIR, else the user's cache folder."""
    if chosen := os.environ.get(ENVIRONMENT):
        return Path(chosen).absolute()
    from platformdirs import user_cache_path

    return user_cache_path("pkgupdate")


class Cache:
    """The cached repository of one upstream below `root`."""

    def __init__(self, root: Path, remote: Remote) -> None:
        public = remote.public
        slug = re.sub(r"[^A-Za-z0-9]+", "-", public.partition("://")[2] or public).strip("-")
        digest = hashlib.sha256(public.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        self.root = root
        self.path = root / f"{slug[-60:].lstrip('-')}-{digest}"

    def create(self, object_format: str = "sha1") -> None:
        """Make the repository if it is not there, in one step.

        Raises UpstreamError `cache-unwritable`.
        """
        if self.path.is_dir():
            return
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft = Path(tempfile.mkdtemp(prefix=".new-", dir=self.root))
            _write_bare_repository(draft, object_format)
            try:
                draft.rename(self.path)
            except OSError:
                shutil.rmtree(draft, ignore_errors=True)
                if not self.path.is_dir():
                    raise
        except OSError as error:
            raise _unwritable(self.root, error) from error

    def discard(self) -> None:
        """Remove the repository, in one step as far as others can see."""
        try:
            grave = Path(tempfile.mkdtemp(prefix=".old-", dir=self.root))
            with contextlib.suppress(FileNotFoundError):
                self.path.rename(grave / "repository")
        except OSError as error:
            raise _unwritable(self.root, error) from error
        shutil.rmtree(grave, ignore_errors=True)

    @contextlib.contextmanager
    def lock(self, seconds: float = LOCK_SECONDS) -> Iterator[None]:
        """Keep other processes from changing this cache.

        Raises UpstreamError `cache-busy` after `seconds`, and `cache-unwritable`.
        """
        from filelock import FileLock, Timeout

        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = FileLock(self.path.with_name(self.path.name + ".lock"), timeout=seconds)
            lock.acquire()
        except Timeout:
            raise UpstreamError(
                "cache-busy",
                f"another process has held the cache for {seconds:.0f} seconds",
                hint="wait until it ends, or set PKGUPDATE_CACHE_DIR to another folder",
            ) from None
        except OSError as error:
            raise _unwritable(self.root, error) from error
        try:
            yield
        finally:
            lock.release()

    def sweep(self) -> None:
        """Remove what a killed fetch left behind. Only under the lock: nobody else writes then."""
        for pattern in _LEFTOVERS:
            for leftover in self.path.glob(pattern):
                leftover.unlink(missing_ok=True)

    def is_ready(self, commit: str, directory: str | None = None) -> bool:
        """Say whether the trees of `commit`, and the blobs below `directory`, were fetched."""
        if directory is None:
            return self.has(commit)
        return self.has(f"{commit}.all") or self.has(_mark(commit, directory))

    def set_ready(self, commit: str, directory: str | None = None, *, whole: bool = False) -> None:
        """Record what `is_ready` asks for; `whole` stands for every directory."""
        self.record(commit)
        if whole:
            self.record(f"{commit}.all")
        elif directory is not None:
            self.record(_mark(commit, directory))

    def has(self, mark: str) -> bool:
        """Say whether `mark` was recorded."""
        return (self.path / "ready" / mark).exists()

    def record(self, mark: str) -> None:
        """Record a mark; it lasts as long as the repository."""
        try:
            (self.path / "ready").mkdir(exist_ok=True)
            (self.path / "ready" / mark).touch()
        except OSError as error:
            raise _unwritable(self.root, error) from error

    def keep_listing(self, listing: bytes) -> None:
        """Keep git's list of branches and tags, if there is a way to."""
        with contextlib.suppress(OSError):
            with tempfile.NamedTemporaryFile(
                prefix=".listing-", dir=self.path, delete=False
            ) as draft:
                draft.write(listing)
            Path(draft.name).replace(self.path / _LISTING)

    def kept_listing(self) -> bytes | None:
        """The list that was kept last, None if there is none."""
        try:
            return (self.path / _LISTING).read_bytes()
        except OSError:
            return None


def _mark(commit: str, directory: str) -> str:
    return f"{commit}.{hashlib.sha256(directory.encode()).hexdigest()[:16]}"


def _write_bare_repository(path: Path, object_format: str) -> None:
    """Do the work of `git init --bare` without its process, templates and hooks."""
    for folder in ("objects/pack", "objects/info", "refs/heads", "ready"):
        (path / folder).mkdir(parents=True)
    (path / "HEAD").write_text("ref: refs/heads/none\n")
    version, extension = 0, ""
    if object_format != "sha1":
        version, extension = 1, f"[extensions]\n\tobjectFormat = {object_format}\n"
    (path / "config").write_text(
        f"[core]\n\trepositoryFormatVersion = {version}\n\tbare = true\n{extension}"
    )


def _unwritable(root: Path, error: OSError) -> UpstreamError:
    return UpstreamError(
        "cache-unwritable",
        "the cache of upstream repositories cannot be written",
        why=f"{root}: {error.strerror or error}",
        hint="free some space, or set PKGUPDATE_CACHE_DIR to another folder",
    )
