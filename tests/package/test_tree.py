from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from pkgupdate.errors import PackageError
from pkgupdate.package.ignore import Ignore
from pkgupdate.package.tree import DiskTree, FileEntry, FileKind, MemoryTree, blob_id
from pkgupdate.package.upstream_paths import check_upstream_paths


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "dir/.git/hooks").mkdir(parents=True)
    (tmp_path / "dir/.git/hooks/x").write_text("no")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.git").write_text("gitdir: elsewhere")
    (tmp_path / "a.yaml").write_text("a: 1\n")
    (tmp_path / "dir/run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "dir/run.sh").chmod(0o755)
    (tmp_path / "link").symlink_to("dir")
    (tmp_path / "name with é.txt").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / os.fsdecode(b"odd\xff.txt")).write_text("odd")
    return tmp_path


def test_disk_tree_sees_files_and_links_only(root: Path) -> None:
    tree = DiskTree(root)
    kinds = {path: entry.kind for path, entry in tree.entries.items()}
    assert kinds == {
        "a.yaml": FileKind.FILE,
        "dir/run.sh": FileKind.EXEC,
        "link": FileKind.LINK,
        "name with é.txt": FileKind.FILE,
        "odd\udcff.txt": FileKind.FILE,
    }
    assert tree.read("link") == b"dir"
    assert tree.read("odd\udcff.txt") == b"odd"


def test_ids_are_gits(root: Path) -> None:
    output = subprocess.run(
        ["git", "hash-object", "--no-filters", "a.yaml", "dir/run.sh"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    entries = DiskTree(root).entries
    assert [entries["a.yaml"].oid, entries["dir/run.sh"].oid] == output
    assert entries["link"] == FileEntry(FileKind.LINK, blob_id(b"dir"))


def test_files_are_hashed_only_when_looked_up(root: Path) -> None:
    tree = DiskTree(root)
    assert "a.yaml" in tree.entries
    (root / "a.yaml").unlink()
    assert len(list(tree.entries)) == 5
    with pytest.raises(FileNotFoundError):
        tree.entries["a.yaml"]


def test_known_ids_are_not_computed(root: Path) -> None:
    assert DiskTree(root, oids={"a.yaml": "known"}).entries["a.yaml"].oid == "known"


def test_disk_tree_of_some_paths_goes_through_no_link(root: Path) -> None:
    paths = ["a.yaml", "link/run.sh", "missing", "a.yaml/x", "sub/.git", "dir/.git/hooks/x", "dir"]
    assert list(DiskTree(root, paths=paths).entries) == ["a.yaml"]


def test_link_swapped_in_is_not_followed(root: Path) -> None:
    tree = DiskTree(root)
    tree.entries["a.yaml"]
    (root / "a.yaml").unlink()
    (root / "a.yaml").symlink_to("/etc/passwd")
    assert tree.read("a.yaml") == b"/etc/passwd"


@pytest.mark.parametrize(
    ("paths", "why"),
    [
        (["/etc/passwd"], "relative"),
        (["../x"], "leads out"),
        (["a/../../x"], "leads out"),
        (["a//x"], "leads out"),
        (["./x"], "leads out"),
        ([".git/config"], "Git's own"),
        (["a/.GIT/hooks/x"], "Git's own"),
        (["a/.g\u200cit/x"], "Git's own"),
        (["git~1/x"], "Git's own"),
        ([".git. /x"], "Git's own"),
        (["a\0b"], "NUL"),
        (["README", "readme"], "cannot tell it from"),
        (["Dir/x", "dir/y"], "cannot tell it from"),
        (["link", "LINK/x"], "cannot tell it from"),
    ],
)
def test_unsafe_names_from_upstream(paths: list[str], why: str) -> None:
    with pytest.raises(PackageError) as error:
        check_upstream_paths(paths)
    assert error.value.code == "unsafe-path"
    assert why in error.value.why
    assert "\0" not in str(error.value)


def test_usual_names_from_upstream() -> None:
    check_upstream_paths([".gitignore", ".github/x.yaml", "a b/ü.yaml", "x..y", "a/x", "b/x"])


def test_ignore_is_relative_to_its_file() -> None:
    local = MemoryTree({".krmignore": b"*.tmpl\n!keep.tmpl\n", "sub/.krmignore": b"/x.yaml\n"})
    upstream = MemoryTree({".krmignore": b"examples/\n"})
    ignore = Ignore(upstream, local)
    ignored = ["a.tmpl", "sub/b.tmpl", "sub/x.yaml", "examples/a.yaml", "d/examples/a.yaml"]
    assert all(ignore.covers(path) for path in ignored)
    assert not any(ignore.covers(path) for path in ["keep.tmpl", "x.yaml", "sub/d/x.yaml", "a"])
