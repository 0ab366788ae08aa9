"""What the shell offers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_repos import Monorepo, kptfile
from inspect_run import Run


@pytest.fixture
def web(up: Monorepo, work: Path, run: Run) -> Path:
    up.git("tag", "web/v2.0.0")
    up.git("tag", "web/v10.0.0")
    assert run("get", up.address("web", "v1.0.0"), "web").code == 0
    (work / "apps/db").mkdir(parents=True)
    (work / "apps/db/Kptfile").write_text(kptfile("db"))
    return work / "web"


def offered(*words: str, imports: bool = False) -> list[str]:
    """What bash would offer for the last word."""
    done = subprocess.run(
        [sys.executable, *(("-X", "importtime") if imports else ()), "-m", "pkgupdate"],
        env={
            **os.environ,
            "_PKGUPDATE_COMPLETE": "complete_bash",
            "COMP_WORDS": " ".join(["pkgupdate", *words]),
            "COMP_CWORD": str(len(words)),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stderr if imports else done.stdout).split()


@pytest.mark.parametrize("command", ["diff", "status", "log", "tree", "update", "plan", "undo"])
def test_packages(web: Path, command: str) -> None:
    assert offered(command, "w") == ["web"]
    assert offered(command, "./apps/") == ["./apps/db"]


def test_refs_come_from_the_cache_newest_first(
    web: Path, up: Monorepo, run: Run, tmp_path: Path
) -> None:
    shutil.rmtree(up.path)  # nothing may be asked of the upstream
    assert offered("diff", "web@") == [
        "web@web/v10.0.0",
        "web@web/v2.0.0",
        "web@v1.0.0",
        "web@v1.1.0",
        "web@main",
    ]
    assert offered("log", "web@v1.1") == ["web@v1.1.0"]
    shutil.rmtree(tmp_path / "cache")
    assert offered("diff", "web@") == []
    assert offered("diff", "apps/db@") == offered("diff", "none@") == []


def test_little_is_imported(web: Path) -> None:
    imported = set(offered("diff", "web@", imports=True))
    assert "pkgupdate.cli.completion" in imported
    assert imported.isdisjoint({"git", "rich", "ruamel.yaml", "pkgupdate.merge.merger"})
