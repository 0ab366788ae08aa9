"""An update that forks copies of itself: its lock, its Git processes and its results."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from upstream_repo import Repo, config_map, git, kptfile

from pkgupdate.package import units, workers
from pkgupdate.package.workers import shared_out
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.plan import Plan, plan_update, update_package
from pkgupdate.update.state import locked
from pkgupdate.upstream.repository import Upstream

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


def test_copies_that_end_leave_the_lock_to_the_update(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from pkgupdate.update.state import locked\n"
        "with locked(pathlib.Path(sys.argv[1]), timeout=0.1): pass"
    )

    def lock() -> str:
        command = [sys.executable, "-c", code, str(tmp_path)]
        return subprocess.run(command, capture_output=True, text=True).stderr

    with locked(tmp_path):
        done = shared_out(lambda item: time.sleep(0.01) or os.getpid(), range(20), 3)
        assert len(set(done.values())) == 3
        assert "another update" in lock()
    assert lock() == ""


def test_copies_do_not_read_from_the_git_process_of_the_program(up: Repo) -> None:
    commit = up.commit({f"{i}.txt": f"text {i}\n" for i in range(50)})
    with Upstream(f"file://{up.path}") as upstream:
        upstream.ensure([commit], "/")
        entries = upstream.tree(commit, "/")

        def read(path: str) -> tuple[bytes, int]:
            time.sleep(0.002)
            return upstream.read_one(entries[path].oid), os.getpid()

        done = shared_out(read, sorted(entries), 2)
        assert 0 < len(done) < 50
        assert {pid for _, pid in done.values()} == {os.getpid()}
        for path in entries:
            assert read(path)[0] == f"text {path.removesuffix('.txt')}\n".encode()
        assert upstream.git.started.count("cat-file") == 1


def fork(up: Repo, use: Repo, number: int) -> Path:
    """A package of which every resource was edited in v2 and here."""

    def version(**data: str) -> dict[str, str | bytes | None]:
        files = {f"pkg/r{i}.yaml": config_map(f"r{i}", **data) for i in range(number)}
        return {**files, "pkg/Kptfile": kptfile("pkg")}

    commit = up.commit(version(a="1", b="1", c="1"), "v1")
    up.commit(version(a="2", b="1", c="2"), "v2")
    where = f"file://{up.path}|/pkg|v1"
    own = version(a="1", b="mine", c="mine")
    use.commit({**own, "pkg/Kptfile": kptfile("pkg", upstream=where, lock=f"{where}|{commit}")})
    return use.path / "pkg"


def test_an_update_with_copies_is_the_same_update(
    up: Repo, use: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = fork(up, use, 40)
    alone = plan_update(package, UpdateOptions(ref="v2"))
    taken: list[int] = []

    def counted(*arguments: object) -> object:
        done = shared_out(*arguments)  # type: ignore[arg-type]
        taken.append(len(done))
        return done

    monkeypatch.setattr(units, "_WORTH_SHARING", 0)
    monkeypatch.setattr(workers, "processes", lambda: 2)
    monkeypatch.setattr(workers, "shared_out", counted)
    plan: Plan = update_package(package, UpdateOptions(ref="v2"))
    assert taken == [40]
    assert plan.changes == alone.changes
    assert [p.decisions for p in plan.packages] == [p.decisions for p in alone.packages]
    changed = git(use.path, "status", "--porcelain").splitlines()
    assert len(changed) == 41
    assert (package / "r7.yaml").read_text() == config_map("r7", a="2", b="mine", c="2")
