"""From a ref to a commit, on real repositories."""

from __future__ import annotations

from pathlib import Path

import pytest
from upstream_repos import Repo

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.repository import Upstream
from pkgupdate.upstream.resolve import Resolved


@pytest.fixture
def tagged(up: Repo) -> Repo:
    for number, tag in enumerate(["v1.0.0", "pkg/v1.0.0", "pkg/v1.2.0", "v1.3.0", "light"]):
        up.commit({"pkg/sub/n": str(number)})
        up.git("tag", tag)
    up.commit({"pkg/sub/n": "annotated"})
    up.git("tag", "-a", "-m", "note", "noted")
    up.git("tag", "-a", "-m", "rc", "pkg/v2.0.0-rc.1")
    up.git("branch", "feature/x")
    up.git("branch", "light")
    up.commit({"pkg/sub/n": "head"})
    return up


CASES = [
    # ref, directory, what it must mean for git, name for the lock, kind
    ("v1.0.0", "/pkg", "pkg/v1.0.0", "pkg/v1.0.0", "tag"),
    ("v1.0.0", "/pkg/sub", "pkg/v1.0.0", "pkg/v1.0.0", "tag"),
    ("v1.0.0", "/", "v1.0.0^{}", "v1.0.0", "tag"),
    ("v1.0.0", "/other", "v1.0.0", "v1.0.0", "tag"),
    ("pkg/v1.2.0", "/pkg", "pkg/v1.2.0", "pkg/v1.2.0", "tag"),
    ("v1.3.0", "/pkg", "v1.3.0", "v1.3.0", "tag"),
    ("noted", "/pkg", "noted^{commit}", "noted", "tag"),
    ("light", "/pkg", "refs/tags/light", "light", "tag"),
    ("refs/heads/light", "/pkg", "refs/heads/light", "refs/heads/light", "branch"),
    ("refs/tags/noted", "/pkg", "noted^{commit}", "refs/tags/noted", "tag"),
    ("feature/x", "/pkg", "feature/x", "feature/x", "branch"),
    ("main", "/pkg", "main", "main", "branch"),
    ("", "/pkg", "main", "main", "branch"),
    ("latest", "/pkg", "pkg/v1.2.0", "pkg/v1.2.0", "tag"),
    ("latest", "/", "v1.3.0", "v1.3.0", "tag"),
    ("^1.0", "/pkg/sub", "pkg/v1.2.0", "pkg/v1.2.0", "tag"),
    ("~1.0", "/other", "v1.0.0", "v1.0.0", "tag"),
    (">=2.0.0-0", "/pkg", "pkg/v2.0.0-rc.1^{commit}", "pkg/v2.0.0-rc.1", "tag"),
]


@pytest.mark.parametrize(("ref", "directory", "meant", "name", "kind"), CASES)
def test_resolve(tagged: Repo, ref: str, directory: str, meant: str, name: str, kind: str) -> None:
    with Upstream(tagged.url) as upstream:
        found = upstream.resolve(ref, directory)
        assert (found.commit, found.ref) == (tagged.git("rev-parse", meant), name)
        assert found.kind == kind
        assert upstream.git.started == ["ls-remote"]


def test_commits_short_and_full(tagged: Repo) -> None:
    commit = tagged.git("rev-parse", "main~3")
    with Upstream(tagged.url) as upstream:
        assert upstream.resolve(commit, "/pkg") == Resolved(commit, commit, "commit")
        assert upstream.git.started == []
        assert upstream.resolve(commit[:8], "/pkg") == Resolved(commit, commit[:8], "commit")
        upstream.ensure([commit[:8]], "/pkg")
        assert "sub/n" in upstream.tree(commit[:8], "/pkg")
    with Upstream(tagged.url) as again:
        again.ensure([commit[:8]], "/pkg")
        assert again.git.started == ["rev-parse"]


def test_detached_head_without_ref(up: Repo) -> None:
    commit = up.commit({"a": "1"})
    up.git("checkout", "-q", "--detach")
    assert Upstream(up.url).resolve("", "/") == Resolved(commit, commit, "commit")


@pytest.mark.parametrize(
    ("ref", "code", "hint"),
    [
        ("v1.0.1", "ref-unknown", "v1.0.0"),
        ("1.3.0", "ref-unknown", "v1.3.0"),
        ("mian", "ref-unknown", "main"),
        ("refs/tags/nope", "ref-unknown", "tags"),
        ("abcdef12345", "ref-unknown", "tags"),
        ("^7", "version-unknown", "pkg/v2.0.0-rc.1"),
        ("^a", "bad-constraint", ">=1,<2"),
    ],
)
def test_unknown_refs_list_near_matches(tagged: Repo, ref: str, code: str, hint: str) -> None:
    with Upstream(tagged.url) as upstream, pytest.raises(UpstreamError) as caught:
        upstream.resolve(ref, "/pkg")
    assert caught.value.code == code
    assert hint in caught.value.hint


def test_empty_repository(up: Repo) -> None:
    for ref, code in (("", "repo-empty"), ("main", "ref-unknown")):
        with pytest.raises(UpstreamError) as caught:
            Upstream(up.url).resolve(ref, "/")
        assert caught.value.code == code


def test_new_commits_and_moved_tags_are_seen(up: Repo, tmp_path: Path) -> None:
    old = up.commit({"pkg/n": "1"})
    up.git("tag", "v1")
    with Upstream(up.url) as upstream:
        upstream.ensure([upstream.resolve("v1", "/pkg").commit], "/pkg")
    moved = up.commit({"pkg/n": "2"})
    up.git("tag", "-f", "v1")
    with Upstream(up.url) as upstream:
        new = upstream.resolve("v1", "/pkg").commit
        assert new == moved
        upstream.ensure([old, new], "/pkg")
        assert upstream.tree(old, "/pkg") != upstream.tree(new, "/pkg")
