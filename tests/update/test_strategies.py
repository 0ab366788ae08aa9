"""The four strategies on real packages, beside kpt where it has them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from faults import snapshot
from upstream_repo import Repo, config_map, git, kptfile, write_files

from pkgupdate.errors import PackageError
from pkgupdate.merge.decisions import Kind, Rule
from pkgupdate.update.get import get_package
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.plan import Plan, update_package
from pkgupdate.upstream.address import parse_address

PIPELINE = "pipeline:\n  mutators:\n    - image: set-labels:v{}\n"
needs_kpt = pytest.mark.skipif(not shutil.which("kpt"), reason="kpt is not installed")


@pytest.fixture
def root(up: Repo, use: Repo) -> Path:
    """A package at v1; v2 changes, adds and deletes files and changes the pipeline."""
    up.commit(
        {
            "shop/Kptfile": kptfile("shop", more=PIPELINE.format(1)),
            "shop/same.yaml": config_map("same", A="1"),
            "shop/changed.yaml": config_map("changed", A="1", B="1"),
            "shop/deleted.yaml": config_map("deleted", A="1"),
            "shop/script.sh": "echo 1\n",
            "shop/sub/Kptfile": kptfile("sub"),
            "shop/sub/cm.yaml": config_map("sub", A="1"),
        },
        "v1",
    )
    up.commit(
        {
            "shop/Kptfile": kptfile("shop", more=PIPELINE.format(2)),
            "shop/changed.yaml": config_map("changed", A="2", B="1"),
            "shop/deleted.yaml": None,
            "shop/new.yaml": config_map("new", A="1"),
            "shop/script.sh": "echo 2\n",
            "shop/sub/cm.yaml": config_map("sub", A="2"),
        },
        "v2",
    )
    package = use.path / "shop"
    get_package(parse_address(f"{up.path}.git/shop@v1"), package)
    use.commit({})
    return package


def update(root: Path, strategy: str) -> Plan:
    options = UpdateOptions(ref="v2", strategy=strategy, allow_dirty=True)
    return update_package(root, options)


def edit(root: Path) -> None:
    write_files(
        root,
        {
            "same.yaml": config_map("same", A="mine"),
            "changed.yaml": config_map("changed", A="1", B="mine"),
            "mine.yaml": config_map("mine", A="1"),
        },
    )


def values(root: Path) -> dict[str, object]:
    """The files of a package by value, without what kpt adds to resources."""
    found: dict[str, object] = {}
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        name = path.relative_to(root).as_posix()
        if path.suffix == ".yaml" or path.name == "Kptfile":
            data = yaml.safe_load(path.read_text())
            annotations = data["metadata"].get("annotations", {})
            annotations.pop("internal.kpt.dev/upstream-identifier", None)
            if not annotations:
                data["metadata"].pop("annotations", None)
            if "upstream" in data:
                del data["upstream"]["updateStrategy"]
            found[name] = data
        else:
            found[name] = path.read_text()
    return found


def test_fast_forward_takes_everything_if_nothing_is_local(root: Path) -> None:
    plan = update(root, "fast-forward")
    assert not plan.collisions
    assert not (root / "deleted.yaml").exists()
    assert "echo 2" in (root / "script.sh").read_text()
    assert "set-labels:v1" in (root / "Kptfile").read_text()
    (withheld,) = [d for d in plan.decisions if d.kind is Kind.WITHHELD]
    assert (withheld.file, withheld.rule) == ("Kptfile", Rule.STRATEGY)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("same.yaml", config_map("same", A="1") + "# a comment\n"),
        ("changed.yaml", config_map("changed", A="mine", B="1")),
        ("mine.txt", "x"),
        ("deleted.yaml", None),
        ("sub/cm.yaml", config_map("sub", A="x")),
    ],
)
def test_fast_forward_refuses_and_names_files(root: Path, name: str, content: str | None) -> None:
    write_files(root, {name: content})
    before = snapshot(root)
    with pytest.raises(PackageError) as caught:
        update(root, "fast-forward")
    assert (caught.value.code, caught.value.why) == ("local-changes", name)
    assert snapshot(root) == before


def test_fast_forward_refuses_a_changed_pipeline_but_no_layout(root: Path) -> None:
    path = root / "Kptfile"
    path.write_text(path.read_text().replace("metadata:", "# note\nmetadata:"))
    update(root, "fast-forward")
    path.write_text(path.read_text().replace("set-labels", "my-labels"))
    with pytest.raises(PackageError) as caught:
        update_package(root, UpdateOptions("v1", "fast-forward", allow_dirty=True))
    assert caught.value.why == "Kptfile"


def test_force_delete_replace_reports_everything_lost(root: Path) -> None:
    edit(root)
    plan = update(root, "force-delete-replace")
    lost = {d.file for d in plan.collisions}
    assert lost == {"same.yaml", "changed.yaml", "mine.yaml"}
    assert {d.rule for d in plan.collisions} == {Rule.STRATEGY}
    assert (root / "same.yaml").read_text() == config_map("same", A="1")
    assert not (root / "mine.yaml").exists()
    text = (root / "Kptfile").read_text()
    assert "set-labels:v1" in text and text.count("ref: v2") == 2


def test_copy_merge_keeps_what_upstream_does_not_have(root: Path) -> None:
    edit(root)
    plan = update(root, "copy-merge")
    assert {d.file for d in plan.collisions} == {"same.yaml", "changed.yaml"}
    assert (root / "changed.yaml").read_text() == config_map("changed", A="2", B="1")
    assert (root / "mine.yaml").exists() and not (root / "deleted.yaml").exists()
    assert "set-labels:v2" in (root / "Kptfile").read_text()


def test_unknown_strategy_has_a_near_match(root: Path) -> None:
    with pytest.raises(PackageError) as caught:
        update(root, "fast-foward")
    assert caught.value.code == "strategy-unknown" and "fast-forward" in caught.value.hint


@needs_kpt
@pytest.mark.parametrize("edited", [False, True], ids=["as-fetched", "edited"])
@pytest.mark.parametrize("strategy", ["resource-merge", "fast-forward", "force-delete-replace"])
def test_same_result_as_kpt(root: Path, use: Repo, strategy: str, edited: bool) -> None:
    if edited:
        edit(root)
        git(use.path, "add", "-A")
        git(use.path, "commit", "-q", "-m", "edit")
    theirs = use.path / "theirs" / "shop"
    shutil.copytree(root, theirs)
    command = ["kpt", "pkg", "update", "shop@v2", "--strategy", strategy]
    done = subprocess.run(command, cwd=theirs.parent, capture_output=True, text=True)
    if edited and strategy == "fast-forward":
        assert done.returncode
        with pytest.raises(PackageError):
            update(root, strategy)
        return
    assert not done.returncode, done.stderr
    update(root, strategy)
    assert values(root) == values(theirs)
