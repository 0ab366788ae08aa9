"""Packages go back and forth between kpt and this program."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from upstream_repo import Repo, config_map, git, kptfile

from pkgupdate.update.get import get_package
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.plan import update_package
from pkgupdate.upstream.address import parse_address

pytestmark = pytest.mark.skipif(not shutil.which("kpt"), reason="kpt is not installed")

DEPLOYMENT = """\
# the shop's web server
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: {replicas}

  template:
    spec:
      containers:
        - name: web
          image: shop:{version}   # pinned
"""


def kpt(place: Path, *args: str) -> str:
    done = subprocess.run(["kpt", "pkg", *args], cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def shop(up: Repo) -> Repo:
    for version in (1, 2, 3):
        up.commit(
            {
                "shop/Kptfile": kptfile("shop", more=f"info:\n  description: d{version}\n"),
                "shop/web.yaml": DEPLOYMENT.format(replicas=1, version=version),
                "shop/cm.yaml": config_map("cm", A=str(version)),
                f"shop/v{version}.yaml": config_map(f"only{version}", A="1"),
                "shop/sub/Kptfile": kptfile("sub"),
                "shop/sub/cm.yaml": config_map("sub", A=str(version)),
            },
            f"v{version}",
        )
    return up


def scale(root: Path, use: Repo) -> None:
    web = root / "web.yaml"
    web.write_text(web.read_text().replace("replicas: 1", "replicas: 5"))
    git(use.path, "add", "-A")
    git(use.path, "commit", "-q", "-m", "scale")


def check(root: Path, version: int) -> None:
    web = (root / "web.yaml").read_text()
    assert "replicas: 5" in web and f"image: shop:{version}" in web
    assert f'A: "{version}"' in (root / "cm.yaml").read_text()
    assert f'A: "{version}"' in (root / "sub/cm.yaml").read_text()
    text = (root / "Kptfile").read_text()
    assert f"description: d{version}" in text and text.count(f"ref: v{version}") == 2


def test_fetched_by_kpt_updated_here_and_by_kpt_again(shop: Repo, use: Repo) -> None:
    kpt(use.path, "get", f"{shop.path}.git/shop@v1", "pkg")
    root = use.path / "pkg"
    scale(root, use)
    assert update_package(root).is_empty
    plan = update_package(root, UpdateOptions(ref="v2"))
    assert not plan.collisions
    check(root, 2)
    git(use.path, "add", "-A")
    git(use.path, "commit", "-q", "-m", "update")
    kpt(use.path, "update", "pkg@v3")
    check(root, 3)
    git(use.path, "add", "-A")
    git(use.path, "commit", "-q", "-m", "update by kpt")
    assert update_package(root).is_empty


def test_fetched_here_updated_by_kpt_and_here_again(shop: Repo, use: Repo) -> None:
    root = use.path / "pkg"
    get_package(parse_address(f"{shop.path}.git/shop@v1"), root)
    scale(root, use)
    kpt(use.path, "update", "pkg@v2")
    check(root, 2)
    git(use.path, "add", "-A")
    git(use.path, "commit", "-q", "-m", "update by kpt")
    plan = update_package(root, UpdateOptions(ref="v3"))
    assert not plan.collisions
    check(root, 3)


def test_kpt_reads_what_is_written_here(shop: Repo, use: Repo) -> None:
    root = use.path / "pkg"
    get_package(parse_address(f"{shop.path}.git/shop@v1"), root)
    scale(root, use)
    update_package(root, UpdateOptions(ref="v2"))
    tree = kpt(use.path, "tree", "pkg")
    assert "Deployment web" in tree and "ConfigMap only2" in tree
    difference = kpt(use.path, "diff", "pkg@v3")
    assert "shop:3" in difference


def test_same_lock_as_kpt(shop: Repo, use: Repo) -> None:
    git(shop.path, "tag", "shop/v7", "v2")
    for ref in ("v1", "v7", "main", git(shop.path, "rev-parse", "v3")):
        kpt(use.path, "get", f"{shop.path}.git/shop@{ref}", "theirs")
        root = use.path / "ours"
        get_package(parse_address(f"{shop.path}.git/shop@{ref}"), root)
        theirs = (use.path / "theirs/Kptfile").read_text()
        assert (root / "Kptfile").read_text() == theirs.replace("name: theirs", "name: ours")
        shutil.rmtree(root)
        shutil.rmtree(use.path / "theirs")
