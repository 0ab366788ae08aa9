"""Bringing objects from the upstream into the cache: as few trips and as few objects as it allows.

One shallow fetch brings every commit that is needed, without blobs where the server can leave them
out; a second one then brings the blobs below the package's directory, all at once. Servers that do
not hand out commits by id are asked for all branches and tags, with their history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.cache import Cache
from pkgupdate.upstream.failures import refused_ids
from pkgupdate.upstream.git import Gateway, GitFailure, Output
from pkgupdate.upstream.remote import Remote

_REMOTE = "upstream"
_PARTIAL = "partial"
_WHOLE_HISTORY = "--depth=2147483647"
_EVERYTHING = ("+refs/heads/*:refs/pkgupdate/heads/*", "+refs/tags/*:refs/pkgupdate/tags/*")
_FETCH = ("fetch", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--force")


class FilterRefused(Exception):
    """The server left blobs out and then did not hand them out by id."""


class Fetcher:
    """Runs git commands that talk to the upstream. All but the first two need the cache's lock."""

    def __init__(self, gateway: Gateway, cache: Cache, remote: Remote) -> None:
        self._gateway = gateway
        self._cache = cache
        self._url = remote.url
        self.filtering = True

    def use_git_suffix(self) -> bool:
        """Try `REPO.git` from now on, as some servers want; False if there is nothing to try."""
        if self._url.endswith(".git") or self._url.startswith(("/", "file:")):
            return False
        self._url += ".git"
        return True

    def branches_and_tags(self) -> bytes:
        """Return git's list of all branches and tags. Raises GitFailure."""
        return self._talk("ls-remote", "--heads", "--tags", _REMOTE).stdout

    def head(self) -> bytes:
        """Return git's answer about the default branch. Raises GitFailure."""
        return self._talk("ls-remote", "--symref", _REMOTE, "HEAD").stdout

    def commits(self, commits: list[str], is_there: Callable[[str], bool], repo: str) -> None:
        """Fetch commits with their trees, and with their blobs where the server sends them.

        Raises UpstreamError `commit-gone`, GitFailure.
        """
        self._cache.sweep()
        kept = [f"+{commit}:refs/pkgupdate/{commit}" for commit in commits]
        try:
            output = self._fetch("--depth=1", _REMOTE, *kept)
        except GitFailure as failure:
            if not refused_ids(failure):
                raise
            output = self.everything()
            for commit in commits:
                if not is_there(commit):
                    raise commit_gone(commit, repo) from failure
        self._record(commits, output)

    def everything(self) -> Output:
        """Fetch all branches and tags with their history. Raises GitFailure."""
        self._cache.sweep()
        shallow = (self._cache.path / "shallow").exists()
        depth = [_WHOLE_HISTORY] if shallow else []
        return self._fetch(*depth, "--prune", _REMOTE, *_EVERYTHING)

    def deepen(self, commits: list[str]) -> None:
        """Fetch the history of commits. Raises GitFailure."""
        self._cache.sweep()
        kept = [f"+{commit}:refs/pkgupdate/{commit}" for commit in commits]
        self._record(commits, self._fetch(_WHOLE_HISTORY, _REMOTE, *kept))

    def tag(self, tag: str) -> None:
        """Fetch the object of an annotated tag. Raises GitFailure."""
        self._cache.sweep()
        self._fetch("--depth=1", _REMOTE, f"+refs/tags/{tag}:refs/pkgupdate/tags/{tag}")

    def blobs(self, oids: Iterable[str]) -> None:
        """Fetch those of the blobs that are not in the cache, all in one trip.

        Raises FilterRefused, GitFailure.
        """
        missing = self._missing(oids)
        if not missing:
            return
        request = "".join(f"{oid}\n" for oid in missing).encode()
        try:
            self._fetch("--stdin", _REMOTE, stdin=request, negotiate="noop")
        except GitFailure as failure:
            if refused_ids(failure):
                raise FilterRefused from failure
            raise

    def _missing(self, oids: Iterable[str]) -> list[str]:
        question = "".join(f"{oid}\n" for oid in dict.fromkeys(oids)).encode()
        answer = self._gateway.run("cat-file", "--batch-check", stdin=question).stdout
        lines = (line.split() for line in answer.decode().splitlines())
        return [fields[0] for fields in lines if fields[1:] == ["missing"]]

    def _record(self, commits: list[str], output: Output) -> None:
        left_out = self.filtering and "filtering not recognized" not in output.stderr
        if left_out:
            self._cache.record(_PARTIAL)
        # A server counts on the blobs of commits that it has sent before, left out or not.
        whole = not self._cache.has(_PARTIAL)
        for commit in commits:
            self._cache.set_ready(commit, whole=whole)

    def _fetch(self, *args: str, stdin: bytes = b"", negotiate: str = "") -> Output:
        config = {}
        if self.filtering:
            # Only for this process: in the repository's own configuration it would make readers
            # fetch each missing object alone.
            config = {"remote.upstream.promisor": "true"}
            config["remote.upstream.partialCloneFilter"] = "blob:none"
        if negotiate:
            config["fetch.negotiationAlgorithm"] = negotiate
        return self._talk(*_FETCH, *args, config=config, stdin=stdin)

    def _talk(self, *args: str, config: dict[str, str] | None = None, stdin: bytes = b"") -> Output:
        config = {"remote.upstream.url": self._url, **(config or {})}
        return self._gateway.run(*args, config=config, stdin=stdin)


def commit_gone(commit: str, repo: str) -> UpstreamError:
    """Return the error for a commit that the upstream no longer has."""
    return UpstreamError(
        "commit-gone",
        f"commit {commit[:12]} is not in {repo} any more",
        why="a branch was rewritten or a tag was moved, and the server has dropped the commit",
        hint="set upstreamLock.git.commit to the commit that now has the same content",
    )
