"""What is fetched, by how many processes, and what happens when a server does not play along."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from upstream_repos import Repo
from upstream_servers import smart_http

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.repository import Upstream


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


@pytest.fixture
def two(up: Repo) -> tuple[Repo, str, str]:
    old = up.commit({"pkg/a": "1", "pkg/b": "b", "other/c": "c"})
    up.git("tag", "v1")
    new = up.commit({"pkg/a": "2"})
    up.git("tag", "v2")
    return up, old, new


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def old_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers of the old protocol refuse commits by id unless configured otherwise."""
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "protocol.version")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "0")


def test_cold_cache_takes_three_processes(two: tuple[Repo, str, str]) -> None:
    up, old, _ = two
    with Upstream(up.url) as upstream:
        new = upstream.resolve("v2", "/pkg").commit
        upstream.ensure([old, new], "/pkg")
        before, after = upstream.tree(old, "/pkg"), upstream.tree(new, "/pkg")
        changed = [p for p in after if before[p] != after[p]]
        assert changed == ["a"]
        assert upstream.read_one(after["a"].oid) == b"2"
        assert upstream.git.started == ["ls-remote", "fetch", "cat-file"]


def test_warm_cache_and_a_commit_fetch_nothing(two: tuple[Repo, str, str]) -> None:
    up, old, new = two
    with Upstream(up.url) as upstream:
        upstream.ensure([old, new], "/pkg")
    with Upstream(up.url, offline=True) as upstream:
        commit = upstream.resolve(new, "/pkg").commit
        upstream.ensure([old, commit], "/pkg")
        assert upstream.git.started == []
        upstream.tree(new, "/pkg")
        assert upstream.git.started == ["cat-file"]


def test_only_two_commits_are_fetched(two: tuple[Repo, str, str]) -> None:
    up, _, _ = two
    commits = [up.commit({"pkg/a": f"later {number}"}) for number in range(5)]
    with Upstream(up.url) as upstream:
        upstream.ensure([commits[1], commits[3]], "/pkg")
        stored = upstream.git.run("cat-file", "--batch-all-objects", "--batch-check").stdout
    assert stored.count(b" commit ") == 2


@pytest.mark.parametrize("allow_ids", [True, False])
@pytest.mark.parametrize("protocol", ["0", "2"])
def test_a_big_file_elsewhere_is_not_fetched(
    up: Repo, cache: Path, monkeypatch: pytest.MonkeyPatch, allow_ids: bool, protocol: str
) -> None:
    old = up.commit({"pkg/a": "1"})
    up.commit({"media/big": os.urandom(8_000_000), "pkg/a": "2"})
    up.git("config", "uploadpack.allowFilter", "true")
    up.git("config", "uploadpack.allowAnySHA1InWant", str(allow_ids).lower())
    if protocol == "0":
        old_protocol(monkeypatch)
    with Upstream(up.url) as upstream:
        new = upstream.resolve("main", "/pkg").commit
        upstream.ensure([old, new], "/pkg")
        entries = upstream.tree(new, "/pkg")
        assert [data for _, data in upstream.read([entries["a"].oid])] == [b"2"]
        assert upstream.read_one(upstream.tree(old, "/pkg")["a"].oid) == b"1"
        if protocol == "2" or allow_ids:
            assert size_of(cache) < 200_000
            assert upstream.git.started.count("fetch") == 2
        # Another directory of the same commits comes by one more fetch of its blobs.
        upstream.ensure([new], "/media")
        assert len(upstream.read_one(upstream.tree(new, "/media")["big"].oid)) == 8_000_000


def test_a_server_without_filters_or_ids(
    two: tuple[Repo, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    up, old, new = two
    old_protocol(monkeypatch)
    with Upstream(up.url) as upstream:
        upstream.ensure([old, new], "/pkg")
        assert upstream.read_one(upstream.tree(old, "/pkg")["a"].oid) == b"1"


def test_filters_that_come_and_go(two: tuple[Repo, str, str]) -> None:
    up, old, new = two
    up.git("config", "uploadpack.allowFilter", "true")
    with Upstream(up.url) as upstream:
        upstream.ensure([old], "/pkg")
    up.git("config", "uploadpack.allowFilter", "false")
    with Upstream(up.url) as upstream:
        upstream.ensure([old, new], "/")
        for commit in (old, new):
            entries = upstream.tree(commit, "/")
            assert len(list(upstream.read(e.oid for e in entries.values()))) == 3


def test_a_rewritten_branch(two: tuple[Repo, str, str], tmp_path: Path) -> None:
    up, _, new = two
    up.git("tag", "-d", "v2")
    up.git("commit", "-q", "--amend", "-m", "rewritten")
    head = up.git("rev-parse", "HEAD")
    with Upstream(up.url, cache_dir=tmp_path / "one") as upstream:
        upstream.ensure([new, head], "/pkg")
        assert upstream.tree(new, "/pkg") == upstream.tree(head, "/pkg")
    up.git("-c", "gc.reflogExpire=now", "reflog", "expire", "--expire=now", "--all")
    up.git("prune", "--expire=now")
    with Upstream(up.url, cache_dir=tmp_path / "two") as upstream:
        with pytest.raises(UpstreamError) as caught:
            upstream.ensure([new, head], "/pkg")
        assert caught.value.code == "commit-gone"
        assert new[:12] in caught.value.what
    with Upstream(up.url, cache_dir=tmp_path / "one") as upstream:
        upstream.ensure([new, head], "/pkg")  # the cache still has it


def test_offline(two: tuple[Repo, str, str]) -> None:
    up, old, _ = two
    with Upstream(up.url, offline=True) as upstream:
        for work in (lambda: upstream.resolve("v1", "/"), lambda: upstream.ensure([old], "/")):
            with pytest.raises(UpstreamError) as caught:
                work()
            assert caught.value.code == "offline-miss"


def test_a_plain_path_and_a_stored_address(two: tuple[Repo, str, str], tmp_path: Path) -> None:
    up, old, _ = two
    bare = Repo(tmp_path / "bare.git", "--bare")
    up.git("push", "-q", str(bare.path), "main")
    for repo in (str(up.path), f"{up.path}.git/", str(tmp_path / "bare"), str(bare.path)):
        if repo.endswith(".git/"):
            continue
        with Upstream(repo) as upstream:
            upstream.ensure([old], "/pkg")
            assert set(upstream.tree(old, "/pkg")) == {"a", "b"}


@pytest.mark.parametrize("filters", [True, False])
@pytest.mark.parametrize("protocol", ["0", "2"])
def test_http_with_a_login_in_the_address(
    two: tuple[Repo, str, str],
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    filters: bool,
    protocol: str,
) -> None:
    up, old, new = two
    up.git("config", "uploadpack.allowFilter", str(filters).lower())
    if protocol == "0":
        old_protocol(monkeypatch)
    lines: list[str] = []
    with smart_http(up.path.parent, "me:s3cret-token") as port:
        repo = f"http://me:s3cret-token@127.0.0.1:{port}/up"
        with Upstream(repo, log=lines.append) as upstream:
            assert upstream.resolve("v2", "/pkg").commit == new
            upstream.ensure([old, new], "/pkg")
            contents = [
                [data for _, data in upstream.read(e.oid for e in entries.values())]
                for entries in (upstream.tree(old, "/pkg"), upstream.tree(new, "/pkg"))
            ]
            assert len(upstream.history(old, new, "/pkg")) == 1
    assert contents == [[b"1", b"b"], [b"2", b"b"]]
    kept = [file.read_text("latin-1") for file in cache.rglob("*") if file.is_file()]
    assert "s3cret" not in "\n".join([*lines, *kept, *map(str, cache.rglob("*"))])


def test_history(two: tuple[Repo, str, str]) -> None:
    up, old, _ = two
    up.commit({"other/c": "not in pkg"}, "elsewhere")
    up.commit({"pkg/b": "new b"}, "Change b\n\nBecause of\nreasons.")
    head = up.git("rev-parse", "HEAD")
    with Upstream(up.url) as upstream:
        upstream.ensure([old, head], "/pkg")
        commits = upstream.history(old, head, "/pkg")
        assert [commit.subject for commit in commits] == ["Change b", "change"]
        assert commits[0].body == "Because of\nreasons."
        assert (commits[0].commit, commits[0].author) == (head, "tester")
        assert len(upstream.history(old, head, "/")) == 3
        assert upstream.history(head, head, "/") == []
        assert upstream.git.started.count("fetch") == 2


def test_inherited_git_variables_do_not_matter(
    two: tuple[Repo, str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    up, old, _ = two
    user = Repo(tmp_path / "user")
    for name, value in {
        "GIT_DIR": str(user.path / ".git"),
        "GIT_WORK_TREE": str(user.path),
        "GIT_INDEX_FILE": str(user.path / "index"),
        "GIT_OBJECT_DIRECTORY": str(user.path / "objects"),
        "GIT_CONFIG_PARAMETERS": "'core.bare'='false'",
        "GIT_NAMESPACE": "x",
    }.items():
        monkeypatch.setenv(name, value)
    with Upstream(up.url) as upstream:
        upstream.ensure([old], "/pkg")
        assert set(upstream.tree(old, "/pkg")) == {"a", "b"}
    assert not (user.path / "objects").exists()
    assert os.environ["GIT_NAMESPACE"] == "x"


def test_nothing_from_upstream_runs(two: tuple[Repo, str, str], tmp_path: Path) -> None:
    up, _, _ = two
    trace = tmp_path / "ran"
    head = up.commit(
        {
            "pkg/.gitattributes": "* filter=evil\n",
            ".gitmodules": f'[submodule "m"]\n\tpath = m\n\turl = ext::sh -c "touch {trace}"\n',
            "pkg/hooks/post-checkout": f"#!/bin/sh\ntouch {trace}\n",
        }
    )
    with Upstream(up.url) as upstream:
        upstream.ensure([head], "/pkg")
        entries = upstream.tree(head, "/pkg")
        list(upstream.read(entry.oid for entry in entries.values()))
    assert not trace.exists()


def test_refs_offline_are_those_seen_last(two: tuple[Repo, str, str]) -> None:
    up, _, new = two
    with Upstream(up.url) as upstream:
        seen = upstream.refs()
    up.git("tag", "later")
    with Upstream(up.url, offline=True) as upstream:
        assert upstream.refs() == seen
        assert upstream.resolve("main", "/pkg").commit == new
        assert upstream.git.started == []


def test_the_history_of_many_commits_is_one_fetch(two: tuple[Repo, str, str]) -> None:
    up, old, new = two
    with Upstream(up.url) as upstream:
        upstream.ensure_history([old, new])
        assert upstream.git.started.count("fetch") == 1
        upstream.history(old, new, "/pkg")
        assert upstream.git.started.count("fetch") == 1
