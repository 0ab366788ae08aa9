"""The package changes under a running update: no link is written through, nothing is lost."""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hostile_repo import KPTFILE, RawRepo, config_map, snapshot
from hostile_run import Run

from pkgupdate.errors import ApplyError
from pkgupdate.package.tree import blob_id
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.plan import Plan, apply_plan, plan_update


def folder_becomes_link(dest: Path, outside: Path) -> None:
    shutil.copytree(dest / "sub", outside, dirs_exist_ok=True)
    shutil.rmtree(dest / "sub")
    (dest / "sub").symlink_to(outside)


def deep_folder_becomes_link(dest: Path, outside: Path) -> None:
    shutil.copytree(dest / "sub/deep", outside, dirs_exist_ok=True)
    shutil.rmtree(dest / "sub/deep")
    (dest / "sub/deep").symlink_to(outside)


def file_becomes_link(dest: Path, outside: Path) -> None:
    shutil.move(dest / "web.yaml", outside / "web.yaml")
    (dest / "web.yaml").symlink_to(outside / "web.yaml")


def new_folder_is_a_link(dest: Path, outside: Path) -> None:
    (dest / "new").symlink_to(outside)


def new_file_is_a_link(dest: Path, outside: Path) -> None:
    (dest / "new").mkdir()
    (dest / "new/web.yaml").symlink_to(outside / "made.yaml")


def file_becomes_pipe(dest: Path, outside: Path) -> None:
    (dest / "web.yaml").unlink()
    os.mkfifo(dest / "web.yaml")


def file_becomes_folder(dest: Path, outside: Path) -> None:
    (dest / "web.yaml").unlink()
    (dest / "web.yaml").mkdir()


def file_is_edited(dest: Path, outside: Path) -> None:
    (dest / "sub/deep/web.yaml").write_text("mine\n")


def kptfile_becomes_link(dest: Path, outside: Path) -> None:
    shutil.move(dest / "Kptfile", outside / "Kptfile")
    (dest / "Kptfile").symlink_to(outside / "Kptfile")


def package(value: str, **more: object) -> dict[str, object]:
    files = {"web.yaml": config_map(value=value)}
    return {"Kptfile": KPTFILE, **files, "sub": {**files, "deep": dict(files)}, **more}


@pytest.fixture
def plan(up: RawRepo, work: Path, run: Run) -> Plan:
    up.commit({"pkg": package("one")}, "v1")
    up.commit({"pkg": package("two", new={"web.yaml": config_map("new")})}, "v2")
    assert run("get", f"{up.url}/pkg@v1", "dest").code == 0
    return plan_update(work / "dest", UpdateOptions(ref="v2"))


@pytest.mark.parametrize(
    "swap",
    [
        folder_becomes_link,
        deep_folder_becomes_link,
        file_becomes_link,
        new_folder_is_a_link,
        new_file_is_a_link,
        file_becomes_pipe,
        file_becomes_folder,
        file_is_edited,
        kptfile_becomes_link,
    ],
)
def test_between_plan_and_apply(
    plan: Plan, work: Path, tmp_path: Path, swap: Callable[[Path, Path], None]
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    swap(work / "dest", outside)
    before = snapshot_without_pipes(work), snapshot(outside)
    with pytest.raises(ApplyError) as caught:
        apply_plan(plan)
    assert caught.value.code in ("file-changed", "apply-failed")
    assert (snapshot_without_pipes(work), snapshot(outside)) == before


def snapshot_without_pipes(root: Path) -> dict[str, tuple[int, bytes]]:
    return {path: found for path, found in snapshot(root).items() if not Path(path).is_fifo()}


@pytest.mark.parametrize(
    "path",
    ["../out", "/tmp/out", "sub/../../out", ".git/hooks/post-merge", "sub/.GIT/x", "", ".", "a//b",
     "x\0y", "a/" * 2000 + "b"],
)  # fmt: skip
def test_stored_plans_that_lead_out(
    plan: Plan, work: Path, tmp_path: Path, run: Run, path: str
) -> None:
    stored = tmp_path / "plan.json"
    assert run("plan", work / "dest@v2", "-o", stored).code == 0
    data = json.loads(stored.read_text())
    content = b"#!/bin/sh\n"
    after = {"kind": "exec", "blob": blob_id(content), "base64": base64.b64encode(content).decode()}
    data["files"].append({"path": path, "before": None, "after": after})
    stored.write_text(json.dumps(data))
    before = snapshot(work)
    outcome = run("apply", stored)
    assert outcome.code == 3
    assert "error[unsafe-path]" in outcome.err
    assert snapshot(work) == before
    assert not (work / "out").exists()


@pytest.mark.parametrize(
    "text", ["", "[" * 100_000, "{}", "[1]", '"x"', "null", "9" * 10_000, '{"kind": 1}', "\udcff"]
)
def test_stored_plans_that_are_none(plan: Plan, work: Path, run: Run, text: str) -> None:
    (work / "plan.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    outcome = run("apply", work / "plan.json")
    assert outcome.code == 3
    assert "error[plan-unreadable]" in outcome.err
