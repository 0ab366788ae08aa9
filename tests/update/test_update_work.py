"""What an update starts, fetches, reads and syncs: in proportion to the change."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from faults import count
from upstream_repo import Repo, config_map, git, kptfile

from pkgupdate.package.tree import DiskTree
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.plan import apply_plan, plan_tree, plan_update

HEAVY = ("git", "pydantic", "rich", "ruamel.yaml", "yaml", "pkgupdate.package.merge")
COMMANDS = ("version", "status", "ls-remote", "fetch", "cat-file", "ls-tree", "rev-parse")


class CountingTree(DiskTree):
    """Remembers which files were read and which were hashed."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.was_read: list[str] = []
        self.was_hashed: list[str] = []

    def read(self, path: str) -> bytes:
        self.was_read.append(path)
        return super().read(path)

    def hash(self, path: str) -> str:
        self.was_hashed.append(path)
        return super().hash(path)


def resources(number: int, **edited: str) -> dict[str, str | bytes | None]:
    """Files of a package; `edited`: names of those with another value."""
    return {f"r{i}.yaml": config_map(f"r{i}", a=edited.get(f"r{i}", "1")) for i in range(number)}


def fork(up: Repo, use: Repo, number: int, upstream: int, local: int) -> Path:
    """A package of v1, of which so many resources were edited in v2 and here."""

    def inside(files: dict[str, str | bytes | None], folder: str) -> dict[str, str | bytes | None]:
        return {f"{folder}/{name}": content for name, content in files.items()}

    plain = {**resources(number), "Kptfile": kptfile("pkg")}
    new = {**plain, **resources(number, **{f"r{i}": "2" for i in range(upstream)})}
    commit = up.commit({**inside(plain, "pkg"), "other/big.bin": b"x" * 1000}, "v1")
    up.commit({**inside(new, "pkg"), "other/big.bin": b"y" * 1000}, "v2")
    own = resources(number, **{f"r{number - 1 - i}": "mine" for i in range(local)})
    where = f"file://{up.path}|/pkg|v1"
    own["Kptfile"] = kptfile("pkg", upstream=where, lock=f"{where}|{commit}")
    use.commit(inside(own, "pkg"))
    return use.path / "pkg"


def subcommands(log: list[str]) -> list[str]:
    return [line.split()[1] for line in log]


@pytest.mark.parametrize("number", [3, 150])
def test_git_processes_do_not_grow_with_the_package(up: Repo, use: Repo, number: int) -> None:
    log: list[str] = []
    plan = plan_update(fork(up, use, number, 1, 1), UpdateOptions(ref="v2", log=log.append))
    assert [change.path for change in plan.changes] == ["r0.yaml", "Kptfile"]
    assert subcommands(log) == ["ls-remote", "fetch", "cat-file"]


def test_the_cache_spares_the_fetch(up: Repo, use: Repo) -> None:
    package = fork(up, use, 3, 1, 1)
    plan_update(package, UpdateOptions(ref="v2"))
    log: list[str] = []
    plan_update(package, UpdateOptions(ref="v2", log=log.append))
    assert subcommands(log) == ["ls-remote", "cat-file"]


def test_nothing_to_do_for_a_commit_starts_no_git(up: Repo, use: Repo) -> None:
    package = fork(up, use, 3, 1, 1)
    commit = git(up.path, "rev-parse", "v1")
    log: list[str] = []
    tree = CountingTree(package)
    plan_tree(tree, UpdateOptions(ref=commit, log=log.append))
    assert not log
    assert set(tree.was_read) == {"Kptfile"}


def test_only_objects_of_the_package_are_fetched(up: Repo, use: Repo, tmp_path: Path) -> None:
    package = fork(up, use, 5, 1, 1)
    for setting in ("allowFilter", "allowAnySHA1InWant"):
        git(up.path, "config", f"uploadpack.{setting}", "true")
    plan_update(package, UpdateOptions(ref="v2"))
    (cache,) = (path for path in (tmp_path / "cache").iterdir() if path.is_dir())
    objects = git(cache, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)")
    kinds = objects.split()
    assert kinds.count("commit") == 2
    assert kinds.count("blob") == 7  # six of the first version, one that changed
    assert kinds.count("tree") == 6


@pytest.mark.parametrize("number", [3, 150])
def test_all_git_processes_of_a_run(up: Repo, use: Repo, tmp_path: Path, number: int) -> None:
    package = fork(up, use, number, 1, 1)
    log, program = tmp_path / "log", tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$*" >>{log}\nexec {shutil.which("git")} "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", "pkgupdate", "update", f"{package}@v2"]
    subprocess.run(command, env={**os.environ, "PATH": path}, check=True, capture_output=True)
    words = [word for word in log.read_text().split() if word in COMMANDS]
    # GitPython asks for the version as it is imported.
    assert words == ["version", "version", "status", "ls-remote", "fetch", "cat-file"]


def test_only_what_upstream_changed_is_hashed_and_read(up: Repo, use: Repo) -> None:
    tree = CountingTree(fork(up, use, 150, 2, 5))
    plan = plan_tree(tree, UpdateOptions(ref="v2"))
    assert len(plan.changes) == 3
    touched = {"r0.yaml", "r1.yaml", "Kptfile"}
    assert set(tree.was_hashed) <= touched
    assert sorted(tree.was_read) == sorted(touched)


@pytest.mark.parametrize("changed", [1, 40])
def test_every_written_file_is_synced_once(up: Repo, use: Repo, changed: int) -> None:
    plan = plan_update(fork(up, use, 50, changed, 1), UpdateOptions(ref="v2"))
    calls = count(lambda: apply_plan(plan))
    files = changed + 1  # the Kptfile too
    assert calls.count("write") == files + 1
    assert calls.count("rename") == files + 2
    # The record, the journal's folder before and after, and the package's folder.
    assert calls.count("fsync") == files + 4


def modules(*arguments: str) -> set[str]:
    """Which heavy modules a run of the program loads."""
    code = (
        "import sys; from pkgupdate.cli import main\n"
        f"code = main({list(arguments)!r})\n"
        f"print('loaded', *[name for name in {HEAVY!r} if name in sys.modules])\n"
        "sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    words = done.stdout.splitlines()[-1].split()
    assert words[0] == "loaded"
    return set(words[1:])


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_nothing_heavy(option: str) -> None:
    assert modules(option) == set()


def test_an_update_loads_only_what_it_needs(up: Repo, use: Repo) -> None:
    package = fork(up, use, 3, 1, 1)
    target = f"{package}@{git(up.path, 'rev-parse', 'v1')}"
    assert modules("update", target) == {"git", "yaml"}  # nothing to merge
    use.commit({})
    assert modules("update", f"{package}@v2") == {"git", "yaml", "pkgupdate.package.merge"}
