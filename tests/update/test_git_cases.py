"""The cases of the group `git` in testdata: built, updated and checked by their own scripts."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from upstream_repo import git

from pkgupdate.errors import PackageError, UpstreamError
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.plan import Plan, update_package

CASES = Path(__file__).parents[2] / "testdata" / "cases" / "bugs"


class Case:
    """One case, built in a folder of its own."""

    def __init__(self, name: str, place: Path) -> None:
        self.folder = next(CASES.glob(f"{name}-*"))
        self.place = place / "case"
        self.use = self.place / "use"
        self._run("setup.sh")

    def update(self, package: str, ref: str | None, **options: object) -> Plan:
        return update_package(self.use / package, UpdateOptions(ref=ref, **options))  # type: ignore[arg-type]

    def check(self) -> None:
        self._run("check.sh")

    def commit(self) -> None:
        git(self.use, "commit", "-qam", "update")

    def _run(self, script: str) -> None:
        command = ["sh", str(self.folder / script), str(self.place)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def case(tmp_path: Path) -> Callable[[str], Case]:
    return lambda name: Case(name, tmp_path)


def test_the_base_is_the_locked_commit_though_the_tag_moved(case: Callable[[str], Case]) -> None:
    moved = case("G01")
    plan = moved.update("shop", "v2")
    moved.check()
    assert any("tag v1 moved" in note for note in plan.notes)
    assert not plan.collisions


def test_new_commits_and_tags_are_seen(case: Callable[[str], Case]) -> None:
    moving = case("G03")
    moving.update("shop", "main")
    moving.commit()
    subprocess.run([moving.place / "second.sh"], check=True)
    moving.update("shop", "v3")
    moving.check()


def test_package_at_the_root_of_both_repositories(case: Callable[[str], Case]) -> None:
    root = case("G05")
    root.update(".", "v2")
    root.check()


def test_no_credentials_fails_fast_and_keeps_the_secret(case: Callable[[str], Case]) -> None:
    private = case("G06")
    server = subprocess.Popen([sys.executable, private.place / "server.py"])
    try:
        time.sleep(0.5)
        began = time.monotonic()
        with pytest.raises(UpstreamError) as caught:
            private.update("shop", "v2")
        assert time.monotonic() - began < 10
        assert caught.value.code == "auth-failed"
        assert "s3cret" not in str(caught.value)
    finally:
        server.kill()
        server.wait()
    private.check()


def test_uncommitted_work_of_the_package_is_refused_by_name(case: Callable[[str], Case]) -> None:
    dirty = case("G08")
    with pytest.raises(PackageError) as caught:
        dirty.update("shop", "v2")
    assert caught.value.code == "package-dirty"
    assert "web.yaml" in caught.value.why and "untracked.txt" in caught.value.why
    assert "unrelated.txt" not in caught.value.why
    assert "--allow-dirty" in caught.value.hint
    dirty.check()


def test_uncommitted_work_is_merged_if_that_is_wanted(case: Callable[[str], Case]) -> None:
    dirty = case("G08")
    dirty.update("shop", "v2", allow_dirty=True)
    dirty.check()
    assert "shop:2" in (dirty.use / "shop/web.yaml").read_text()


def test_annotated_tag_locks_the_commit(case: Callable[[str], Case]) -> None:
    annotated = case("G11")
    annotated.update("shop", "v2")
    annotated.check()


def test_local_conflict_markers_are_reported_and_the_rest_is_updated(
    case: Callable[[str], Case],
) -> None:
    marked = case("G13")
    plan = marked.update("shop", "v2")
    marked.check()
    assert [d.file for d in plan.collisions] == ["z.yaml"]


def test_submodule_is_named_and_not_fetched(case: Callable[[str], Case]) -> None:
    with_submodule = case("G15")
    plan = with_submodule.update("shop", "v2")
    with_submodule.check()
    assert [d.file for d in plan.decisions if d.rule.value == "submodule"] == ["vendor"]


def test_only_what_is_needed_is_fetched(case: Callable[[str], Case], tmp_path: Path) -> None:
    big = case("G16")
    big.update("shop", "v2")
    big.check()
    size = sum(p.stat().st_size for p in (tmp_path / "cache").rglob("*") if p.is_file())
    assert size < 2_000_000
