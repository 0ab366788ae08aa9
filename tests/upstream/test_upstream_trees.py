"""Listing and reading what lies in an upstream directory."""

from __future__ import annotations

import os

import pytest
from upstream_repos import Repo

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream import objects, tree
from pkgupdate.upstream.repository import Upstream


def test_every_kind_of_entry(up: Repo) -> None:
    first = up.commit({"pkg/a.yaml": "a: 1\n", "pkg/deep/er/b": "b", "pkg/run.sh": "#!", "o": ""})
    (up.path / "pkg/run.sh").chmod(0o755)
    (up.path / "pkg/link").symlink_to("../../etc/passwd")
    up.git("add", "-A")
    up.git("update-index", "--add", "--cacheinfo", f"160000,{first},pkg/vendor")
    up.git("commit", "-q", "-m", "more")
    head = up.git("rev-parse", "HEAD")
    with Upstream(up.url) as upstream:
        upstream.ensure([head], "/pkg")
        entries = upstream.tree(head, "/pkg")
        kinds = {path: (entry.mode, entry.kind) for path, entry in entries.items()}
        assert kinds == {
            "a.yaml": (0o100644, "file"),
            "deep/er/b": (0o100644, "file"),
            "link": (0o120000, "link"),
            "run.sh": (0o100755, "exec"),
            "vendor": (0o160000, "submodule"),
        }
        assert entries["vendor"].oid == first
        assert upstream.read_one(entries["link"].oid) == b"../../etc/passwd"
        assert upstream.read_one(entries["a.yaml"].oid) == b"a: 1\n"
        assert set(upstream.tree(head, "/pkg/deep")) == {"er/b"}
        assert set(upstream.tree(head, "/")) >= {"o", "pkg/a.yaml"}


def test_odd_names(up: Repo) -> None:
    names = ["new\nline", "esc\x1b[31m", "blank  name", "ünï", "-rf", '"q"', "tab\t", "a:b"]
    up.commit({f"pkg/{name}": name for name in names})
    with open(os.fsencode(up.path) + b"/pkg/\xff\xfe", "w"):  # noqa: PTH123
        pass
    head = up.commit({})
    with Upstream(up.url) as upstream:
        upstream.ensure([head], "/pkg")
        entries = upstream.tree(head, "/pkg")
        assert set(entries) == {*names, "\udcff\udcfe"}
        oids = [entries[name].oid for name in names]
        assert [data.decode() for _, data in upstream.read(oids)] == names


def test_many_files_in_one_child(up: Repo) -> None:
    head = up.commit({f"pkg/{n % 7}/{n}": "x" * n for n in range(700)})
    with Upstream(up.url) as upstream:
        upstream.ensure([head], "/pkg")
        entries = upstream.tree(head, "/pkg")
        contents = dict(upstream.read(entry.oid for entry in entries.values()))
        assert all(len(contents[e.oid]) == int(p.split("/")[1]) for p, e in entries.items())
        assert upstream.git.started == ["fetch", "cat-file"]


@pytest.mark.parametrize(
    ("directory", "hint"),
    [
        ("/pkgs/web", "/packages/web"),
        ("/package", "/packages"),
        ("/packages/web/f", "/packages/web"),
    ],
)
def test_missing_directory_lists_near_matches(up: Repo, directory: str, hint: str) -> None:
    head = up.commit({"packages/web/f": "", "other/x": ""})
    with Upstream(up.url) as upstream:
        upstream.ensure([head], directory)
        with pytest.raises(UpstreamError) as caught:
            upstream.tree(head, directory)
    assert caught.value.code == "directory-missing"
    assert hint in caught.value.hint


@pytest.mark.parametrize("directory", ["/a/../..", "/.git", "/a\nb"])
def test_hostile_directories(up: Repo, directory: str) -> None:
    head = up.commit({"a/b": ""})
    with Upstream(up.url) as upstream, pytest.raises(UpstreamError, match="not a usable"):
        upstream.ensure([head], directory)


@pytest.mark.parametrize("name", [b"..", b".", b".GIT", b"a/b"])
def test_trees_with_names_that_no_file_has(up: Repo, name: bytes) -> None:
    blob = up.git("hash-object", "-w", "--stdin", stdin="x")
    raw = up.path / "raw"
    raw.write_bytes(b"100644 " + name + b"\0" + bytes.fromhex(blob))
    bad = up.git("hash-object", "-w", "-t", "tree", "--literally", str(raw))
    commit = up.git("commit-tree", bad, "-m", "bad")
    up.git("update-ref", "refs/heads/bad", commit)
    with Upstream(up.url) as upstream:
        upstream.ensure([commit], "/")
        with pytest.raises(UpstreamError) as caught:
            upstream.tree(commit, "/")
    assert caught.value.code == "unsafe-path"


def test_limits(up: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    head = up.commit({"big": "x" * 2000, "small": "x"})
    with Upstream(up.url) as upstream:
        upstream.ensure([head], "/")
        entries = upstream.tree(head, "/")
        monkeypatch.setattr(objects, "MAX_OBJECT_BYTES", 1000)
        with pytest.raises(UpstreamError) as caught:
            upstream.read_one(entries["big"].oid)
        assert caught.value.code == "blob-too-large"
        assert upstream.read_one(entries["small"].oid) == b"x"
        monkeypatch.setattr(tree, "MAX_ENTRIES", 1)
        with pytest.raises(UpstreamError) as caught:
            upstream.tree(head, "/")
        assert caught.value.code == "directory-too-large"


def test_a_sha256_repository(up: Repo) -> None:
    other = Repo(up.path.with_name("up256"), "--object-format=sha256")
    head = other.commit({"pkg/a": "1"})
    with Upstream(other.url) as upstream:
        assert upstream.resolve("main", "/pkg").commit == head
        upstream.ensure([head], "/pkg")
        assert upstream.read_one(upstream.tree(head, "/pkg")["a"].oid) == b"1"
