"""One upstream repository as the rest of the program sees it: refs, commits, trees, blobs.

Everything goes through its cache. A cache that turns out to be damaged is thrown away and filled
again, once, without a word; what fails then is the upstream's fault and raised.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream import history, signature
from pkgupdate.upstream.address import normal_directory
from pkgupdate.upstream.cache import LOCK_SECONDS, Cache, CacheDamaged, default_cache_dir
from pkgupdate.upstream.failures import meaning, not_found, refused_ids, unexplained
from pkgupdate.upstream.fetch import Fetcher, FilterRefused, commit_gone
from pkgupdate.upstream.git import Gateway, GitFailure
from pkgupdate.upstream.objects import ObjectReader
from pkgupdate.upstream.refs import Refs, is_commit_id, parse_head, parse_refs
from pkgupdate.upstream.remote import parse_remote
from pkgupdate.upstream.resolve import Resolved, is_short_id, resolve_name
from pkgupdate.upstream.text import printable
from pkgupdate.upstream.tree import TreeEntry, TreeLister

_T = TypeVar("_T")


class Upstream:
    """An upstream repository; use it as a context so that its git child ends.

    repo: address of the repository alone, with or without `.git`; may hold credentials.
    cache_dir: folder of all caches, by default `default_cache_dir()`.
    offline: never talk to the upstream; what is not cached is UpstreamError `offline-miss`.
    timeout: seconds for each git process and for waiting on another user of the cache.
    log: receives a line for each git process started.

    Every method may raise UpstreamError: git-missing, repo-unreachable, auth-failed, timeout,
    fetch-interrupted, cache-busy, cache-unwritable, git-failed, offline-miss.
    """

    def __init__(
        self,
        repo: str,
        *,
        cache_dir: Path | None = None,
        offline: bool = False,
        timeout: float | None = None,
        log: Callable[[str], None] | None = None,
    ) -> None:
        self._remote = parse_remote(repo)
        self.repo = self._remote.public
        self._offline = offline
        self._lock_seconds = LOCK_SECONDS if timeout is None else timeout
        self._cache = Cache((cache_dir or default_cache_dir()).absolute(), self._remote)
        self.git = Gateway(self._cache.path, timeout=timeout, log=log)
        self._fetcher = Fetcher(self.git, self._cache, self._remote)
        self._reader = ObjectReader(self.git)
        self._lister = TreeLister(self._reader)
        self._refs: Refs | None = None
        self._expanded: dict[str, str] = {}
        self._ensured: dict[tuple[str, str], None] = {}

    def __enter__(self) -> Upstream:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the git child."""
        self._reader.close()

    def refs(self) -> Refs:
        """Return the branches and tags; asks the server once. Offline: as they were last seen."""
        if self._refs is None:
            listing = self._cache.kept_listing() if self._offline else None
            if listing is None:
                listing = self._online(self._fetcher.branches_and_tags)
                self._cache.keep_listing(listing)
            self._refs = parse_refs(listing)
        return self._refs

    def resolve(self, ref: str, directory: str, *, prereleases: bool = False) -> Resolved:
        """Return the commit that `ref` means for the package in `directory`.

        An empty ref is the default branch. Raises UpstreamError `ref-unknown` (with near matches),
        `ref-ambiguous`, `version-unknown`, `bad-constraint`, `repo-empty`.
        """
        if not ref:
            return self._default_branch()
        if is_commit_id(ref):
            return Resolved(ref, ref, "commit")
        refs = self.refs() if not (self._offline and is_short_id(ref)) else Refs({}, {}, {})
        if found := resolve_name(ref, directory, refs, prereleases=prereleases):
            return found
        if is_short_id(ref):
            return Resolved(self._full_id(ref), ref, "commit")
        raise refs.unknown(ref, self.repo)

    def ensure(self, commits: Iterable[str], directory: str) -> None:
        """Have the commits, their trees and all blobs below `directory` in the cache.

        Nothing is asked of the server if they are. A directory that a commit lacks is no error
        here. Raises UpstreamError `commit-gone`.
        """
        self.ensure_all((commit, directory) for commit in commits)

    def ensure_all(self, places: Iterable[tuple[str, str]]) -> None:
        """The same for many (commit, directory), in as few trips as for one."""
        wanted = dict.fromkeys((self._full_id(c), normal_directory(d)) for c, d in places)
        self._ensured |= wanted
        absent = [place for place in wanted if not self._cache.is_ready(*place)]
        if absent:
            self._online(lambda: self._fill(absent))

    def tree(self, commit: str, directory: str) -> Mapping[str, TreeEntry]:
        """Return the files below `directory` by relative path; nothing of them is read.

        Raises UpstreamError `directory-missing` (with near matches), `directory-too-large`,
        `unsafe-path`.
        """
        full, directory = self._full_id(commit), normal_directory(directory)
        return self._recovering(lambda: self._lister.files(full, directory, self.repo))

    def read(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield id and content of blobs, in the order asked for, by one git process.

        Raises UpstreamError `blob-too-large`.
        """
        pending = list(oids)
        done = 0
        for is_last in (False, True):
            try:
                for blob in self._reader.read(pending[done:]):
                    done += 1
                    yield blob.oid, blob.data
                return
            except CacheDamaged as damage:
                if is_last:
                    raise self._damaged(damage) from damage
                self._renew()

    def read_one(self, oid: str) -> bytes:
        """Return the content of one blob; raises as `read`."""
        return next(self.read([oid]))[1]

    def history(self, old: str, new: str, directory: str) -> list[history.Commit]:
        """Return the commits of `old..new` that touch `directory`, newest first.

        Fetches the history of both, which `ensure` does not.
        """
        first, last = self._full_id(old), self._full_id(new)
        self.ensure_history([first, last])
        return self._recovering(
            lambda: history.log(self.git, first, last, normal_directory(directory))
        )

    def ensure_history(self, commits: Iterable[str]) -> None:
        """Have the history of the commits in the cache, by one fetch for all of them.

        Raises UpstreamError `commit-gone`.
        """
        wanted = list(dict.fromkeys(self._full_id(commit) for commit in commits))
        if not all(self._cache.has(f"{commit}.log") for commit in wanted):
            self._online(lambda: self._deepen(wanted))

    def verify_signature(self, commit: str, ref: str) -> None:
        """Have git verify the annotated tag `ref`, else the commit itself.

        Raises UpstreamError `signature-missing`, `signature-bad`.
        """
        full = self._full_id(commit)
        tag = ref.removeprefix("refs/tags/")
        tag_object = ""
        if not is_commit_id(ref) and self.refs().tags.get(tag) == full:
            tag_object = self.refs().tag_objects.get(tag, "")
        if tag_object:
            self._online(lambda: self._fetch_tag(tag))
        self._recovering(lambda: signature.verify(self.git, self._reader, full, tag, tag_object))

    def _default_branch(self) -> Resolved:
        listing = self._online(self._fetcher.head)
        head = parse_head(listing)
        if head is None:
            raise UpstreamError(
                "repo-empty",
                f"{self.repo} has no default branch",
                hint="give a branch, tag or commit as @REF",
            )
        branch, commit = head
        return Resolved(commit, branch or commit, "branch" if branch else "commit")

    def _full_id(self, commit: str) -> str:
        """Return the full id of a commit given by its first digits: from the cache if it knows."""
        if is_commit_id(commit):
            return commit
        if commit not in self._expanded:
            if not is_short_id(commit):
                raise UpstreamError("ref-unknown", f"'{printable(commit)}' is not a commit id")
            found = self._recovering(lambda: self._lookup(commit))
            if not found and not self._offline:
                found = self._online(lambda: self._fetch_all_for(commit))
            if not found:
                raise self.refs().unknown(commit, self.repo)
            self._expanded[commit] = found
        return self._expanded[commit]

    def _lookup(self, short: str) -> str:
        try:
            output = self.git.run("rev-parse", "--verify", f"{short}^{{commit}}")
        except GitFailure as failure:
            if "is ambiguous" in failure.stderr:
                raise UpstreamError(
                    "ref-ambiguous",
                    f"several commits of {self.repo} begin with {short}",
                    hint="give more digits of the commit id",
                ) from failure
            if "Needed a single revision" in failure.stderr:
                return ""
            raise
        return output.stdout.decode().strip()

    def _fetch_all_for(self, short: str) -> str:
        with self._locked():
            self._fetcher.everything()
        return self._lookup(short)

    def _fetch_tag(self, tag: str) -> None:
        with self._locked():
            self._fetcher.tag(tag)

    def _fill(self, places: list[tuple[str, str]]) -> None:
        """Fetch what `ensure_all` promises and the cache lacks."""
        with self._locked():
            commits = dict.fromkeys(commit for commit, _ in places)
            absent = [commit for commit in commits if not self._cache.is_ready(commit)]
            if absent:
                self._fetcher.commits(absent, self._is_cached, self.repo)
            without = [place for place in places if not self._cache.is_ready(*place)]
            try:
                if without:
                    self._fetcher.blobs(self._blobs(without))
            except FilterRefused:
                self._fetcher.filtering = False
                self._discard()
                everything = dict.fromkeys([*commits, *(commit for commit, _ in self._ensured)])
                self._fetcher.commits(list(everything), self._is_cached, self.repo)
            for commit, directory in without:
                self._cache.set_ready(commit, directory)

    def _blobs(self, places: list[tuple[str, str]]) -> list[str]:
        oids: list[str] = []
        for commit, directory in places:
            try:
                entries = self._lister.files(commit, directory, self.repo)
            except UpstreamError as error:
                if error.code != "directory-missing":
                    raise
                continue  # told by whoever asks for the tree
            oids += [entry.oid for entry in entries.values() if entry.kind != "submodule"]
        return oids

    def _deepen(self, commits: list[str]) -> None:
        with self._locked():
            try:
                self._fetcher.deepen(commits)
            except GitFailure as failure:
                if not refused_ids(failure):
                    raise
                self._fetcher.everything()
                for commit in commits:
                    if not self._is_cached(commit):
                        raise commit_gone(commit, self.repo) from failure
            for commit in commits:
                self._cache.record(f"{commit}.log")

    def _is_cached(self, commit: str) -> bool:
        try:
            self._reader.read_one(commit)
        except CacheDamaged:
            return False
        return True

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with self._cache.lock(self._lock_seconds):
            self._create()
            yield

    def _create(self) -> None:
        is_sha256 = any(len(commit) == 64 for commit, _ in self._ensured)
        self._cache.create("sha256" if is_sha256 else "sha1")

    def _discard(self) -> None:
        self._reader.close()
        self._cache.discard()
        self._create()

    def _online(self, work: Callable[[], _T]) -> _T:
        """Do work that talks to the upstream."""
        if self._offline:
            raise UpstreamError(
                "offline-miss",
                f"what is needed of {self.repo} is not in the cache",
                why="the upstream must not be contacted in offline mode",
                hint="run the command once without --offline",
            )
        try:
            return self._recovering(work)
        except UpstreamError as error:
            if error.code == "repo-unreachable" and self._retry_with_suffix(error):
                return self._recovering(work)
            raise

    def _retry_with_suffix(self, error: UpstreamError) -> bool:
        """Some servers know a repository only by `REPO.git`, which kpt does not store."""
        cause = error.__cause__
        is_missing = isinstance(cause, GitFailure) and not_found(cause)
        return is_missing and self._fetcher.use_git_suffix()

    def _recovering(self, work: Callable[[], _T]) -> _T:
        """Do work on the cache; if that is damaged, make it anew and do the work once more."""
        self._create()
        try:
            return work()
        except GitFailure as failure:
            if error := meaning(failure, self._remote):
                raise error from failure
        except CacheDamaged:
            pass
        self._renew()
        try:
            return work()
        except GitFailure as failure:
            error = meaning(failure, self._remote) or unexplained(failure, self._remote)
            raise error from failure
        except CacheDamaged as damage:
            raise self._damaged(damage) from damage

    def _renew(self) -> None:
        """Throw the cache away and fetch again what `ensure` was asked for."""
        if self._offline:
            raise self._damaged(CacheDamaged("it cannot be filled again in offline mode"))
        with self._cache.lock(self._lock_seconds):
            self._discard()
        try:
            self._fill(list(self._ensured))
        except GitFailure as failure:
            error = meaning(failure, self._remote) or unexplained(failure, self._remote)
            raise error from failure
        except CacheDamaged as damage:
            raise self._damaged(damage) from damage

    def _damaged(self, damage: CacheDamaged) -> UpstreamError:
        return UpstreamError(
            "cache-damaged",
            f"the cache of {self.repo} is damaged",
            why=str(damage),
            hint=f"remove {self._cache.path}",
        )
