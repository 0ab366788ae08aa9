"""Fetching a package: whole, as upstream has it, or not at all."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
from pathlib import Path

import pytest
from faults import count, failing, kill_at, snapshot
from upstream_repo import Repo, config_map, git, kptfile

from pkgupdate.errors import ApplyError, PackageError, UpstreamError
from pkgupdate.update.get import get_package
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.plan import Plan
from pkgupdate.upstream.address import parse_address

ODD = "# head\r\nkind:   Service\r\napiVersion: v1\r\n\r\nmetadata:\r\n    name: 'web'  # x\r\n"
STREAM = f"{config_map('a', A='1')}---\n# only a comment\n---\n{config_map('b', B='1')}"
PUBLISHED = kptfile("published", upstream="https://example.org/base|/base|v9|copy-merge")


@pytest.fixture
def shop(up: Repo) -> Repo:
    up.path.joinpath("shop").mkdir()
    up.path.joinpath("shop/link").symlink_to("odd.yaml")
    up.path.joinpath("shop/out").symlink_to("../../etc/passwd")
    up.write(
        {
            "shop/Kptfile": "# ours\n" + PUBLISHED + "x-more: [1,  2]\n",
            "shop/odd.yaml": ODD,
            "shop/stream.yaml": STREAM,
            "shop/run.sh": "#!/bin/sh\n",
            "shop/tmpl.yaml": "{{ if x }}\na: b\n{{ end }}\n",
            "shop/.gitignore": "*.log\n",
            "shop/logo.png": b"\x89PNG\0\xff",
            "shop/spaced name/ünï.txt": "text",
            "other/x": "x",
        }
    )
    up.path.joinpath("shop/run.sh").chmod(0o755)
    up.commit({}, "v1")
    return up


def get(repo: Repo, what: str, dest: Path | None, **options: object) -> Plan:
    address = parse_address(f"{repo.path}.git{what}")
    return get_package(address, dest, UpdateOptions(**options))  # type: ignore[arg-type]


def test_everything_arrives_as_it_is(shop: Repo, tmp_path: Path) -> None:
    root = tmp_path / "pkg"
    plan = get(shop, "/shop@v1", root, merge_comments=False)
    there, here = snapshot(shop.path / "shop"), snapshot(root)
    assert plan.root == root
    assert {d.file for d in plan.decisions if d.rule.value == "link"} == {"out"}
    kptfile_there, kptfile_here = there.pop("Kptfile")[1], here.pop("Kptfile")[1]
    assert here == there
    commit = git(shop.path, "rev-parse", "v1")
    expected = "# ours\n" + kptfile(
        "pkg",
        upstream=f"{shop.path}|/shop|v1|resource-merge",
        lock=f"{shop.path}|/shop|v1|{commit}",
        more="x-more: [1,  2]\n",
    )
    assert kptfile_here.decode() == expected != kptfile_there.decode()
    assert not list(tmp_path.glob(".pkg*"))


def test_merge_comments_are_the_only_change(shop: Repo, tmp_path: Path) -> None:
    get(shop, "/shop@v1", tmp_path / "pkg")
    odd = (tmp_path / "pkg/odd.yaml").read_bytes().decode()
    assert odd == ODD.replace("metadata:", "metadata: # kpt-merge: /web")
    stream = (tmp_path / "pkg/stream.yaml").read_text()
    assert stream == STREAM.replace("metadata:", "metadata: # kpt-merge: /a", 1).replace(
        "metadata:\n", "metadata: # kpt-merge: /b\n"
    )
    assert (tmp_path / "pkg/tmpl.yaml").read_text().startswith("{{ if x }}")


def test_where_it_goes(shop: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "place"
    place.mkdir()
    assert get(shop, "/shop@v1", place).root == place / "shop"
    monkeypatch.chdir(place)
    with pytest.raises(PackageError) as caught:
        get(shop, "/shop@v1", None)
    assert caught.value.code == "destination-exists"
    assert get(shop, "/other", None).root == place / "other"
    assert get(shop, "", Path("whole"), recurse=False).root == place / "whole"
    with pytest.raises(PackageError) as caught:
        get(shop, "/shop@v1", place / "no/such")
    assert caught.value.code == "destination-unusable" and "mkdir" in caught.value.hint
    assert "name: shop\n" in (place / "shop/Kptfile").read_text()


def test_default_branch_and_a_new_kptfile(shop: Repo, tmp_path: Path) -> None:
    get(shop, "/other", tmp_path / "o")
    commit = git(shop.path, "rev-parse", "main")
    assert (tmp_path / "o/Kptfile").read_text() == kptfile(
        "o",
        upstream=f"{shop.path}|/other|main",
        lock=f"{shop.path}|/other|main|{commit}",
    )
    assert snapshot(tmp_path / "o")["x"][1] == b"x"


def test_nothing_is_left_after_a_failure(shop: Repo, tmp_path: Path) -> None:
    for what in ("/shop@v7", "/shopp@v1"):
        with pytest.raises(UpstreamError):
            get(shop, what, tmp_path / "pkg")
    calls = count(lambda: get(shop, "/shop@v1", tmp_path / "first"))
    for point, name in enumerate(calls):
        try:
            with failing(point, errno.ENOSPC):
                get(shop, "/shop@v1", tmp_path / "pkg")
        except ApplyError as e:
            assert e.code == "apply-failed" and e.why == "No space left on device"
            assert not list(tmp_path.glob("*pkg*")), name
        else:
            assert (name, point) == ("fsync", len(calls) - 1)


def test_killed_at_every_call(shop: Repo, tmp_path: Path) -> None:
    root = tmp_path / "pkg"
    calls = count(lambda: get(shop, "/shop@v1", tmp_path / "first"))
    for point in range(len(calls) - 1):
        kill_at(point, lambda: get(shop, "/shop@v1", root))
        assert not root.exists()
    get(shop, "/shop@v1", root)
    assert set(snapshot(root)) == set(snapshot(tmp_path / "first"))
    assert [p.name for p in tmp_path.glob(".*pkg*")] == []


def test_it_works_on_at_once(shop: Repo, tmp_path: Path) -> None:
    previous = os.umask(0o027)
    try:
        get(shop, "/shop@v1", tmp_path / "pkg")
    finally:
        os.umask(previous)
    assert stat.S_IMODE((tmp_path / "pkg/run.sh").stat().st_mode) == 0o750
    assert stat.S_IMODE((tmp_path / "pkg/odd.yaml").stat().st_mode) == 0o640


def test_submodules_are_said(shop: Repo, tmp_path: Path) -> None:
    commit = git(shop.path, "rev-parse", "HEAD")
    git(shop.path, "update-index", "--add", "--cacheinfo", f"160000,{commit},shop/vendor")
    git(shop.path, "commit", "-q", "-m", "submodule")
    plan = get(shop, "/shop@main", tmp_path / "pkg")
    assert [d.file for d in plan.decisions if d.rule.value == "submodule"] == ["vendor"]


def test_names_that_could_do_harm_are_refused(up: Repo, tmp_path: Path) -> None:
    up.commit({"shop/README": "x", "shop/readme": "y"}, "v1")
    with pytest.raises(PackageError) as caught:
        get(up, "/shop@v1", tmp_path / "pkg")
    assert caught.value.code == "unsafe-path"
    assert not (tmp_path / "pkg").exists()


def test_no_program_of_the_package_runs(up: Repo, tmp_path: Path) -> None:
    up.commit({"shop/.gitattributes": "* filter=evil\n", "shop/a.yaml": config_map("a")}, "v1")
    marker = tmp_path / "ran"
    subprocess.run(["git", "-C", up.path, "config", "filter.evil.smudge", f"touch {marker}"])
    get(up, "/shop@v1", tmp_path / "pkg")
    assert not marker.exists()


def test_signed_only(up: Repo, tmp_path: Path) -> None:
    up.commit({"shop/a.yaml": config_map("a")}, "v1")
    with pytest.raises(UpstreamError) as caught:
        get(up, "/shop@v1", tmp_path / "pkg", require_signed=True)
    assert caught.value.code == "signature-missing"
    assert not (tmp_path / "pkg").exists()
