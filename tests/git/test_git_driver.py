"""The driver under every command of Git that merges, and where it has to give way to Git."""

from __future__ import annotations

import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from git_repository import Repository, use_driver

from pkgupdate.integrations.git.driver import Arguments, main, parse_arguments
from pkgupdate.merge.sides import Sides

BASE = "a: 1\nb: 1\nc: 1\n"
OURS, THEIRS, BOTH = "a: 2\nb: 1\nc: 1\n", "a: 1\nb: 2\nc: 1\n", "a: 2\nb: 2\nc: 1\n"
CLASH = "a: 3\nb: 2\nc: 1\n"
MARKED = "<<<<<<< ours\na: 2\n=======\na: 3\n>>>>>>> theirs\nb: 2\nc: 1\n"


@pytest.fixture
def branches(repository: Repository) -> Repository:
    """`main` with OURS, `theirs` and `clash` beside it."""
    repository.commit("base", {"x.yaml": BASE})
    for branch, text in (("theirs", THEIRS), ("clash", CLASH)):
        repository.git("checkout", "-q", "-b", branch, "main")
        repository.commit(branch, {"x.yaml": text})
    repository.git("checkout", "-q", "main")
    repository.commit("ours", {"x.yaml": OURS})
    use_driver(repository)
    return repository


def test_rebase(branches: Repository) -> None:
    branches.git("checkout", "-q", "theirs")
    branches.git("rebase", "-q", "main")
    assert branches.read("x.yaml") == BOTH


def test_rebase_with_a_collision(branches: Repository) -> None:
    branches.git("checkout", "-q", "clash")
    assert branches.run("git", "rebase", "-q", "main").returncode
    assert branches.read("x.yaml") == MARKED
    assert branches.unmerged() == {"x.yaml": [1, 2, 3]}


@pytest.mark.parametrize("backend", ["merge", "apply"])
def test_rebase_backends(branches: Repository, backend: str) -> None:
    branches.git("checkout", "-q", "theirs")
    branches.git("rebase", "-q", f"--{backend}", "main")
    assert branches.read("x.yaml") == BOTH


def test_cherry_pick(branches: Repository) -> None:
    branches.git("cherry-pick", "theirs")
    assert branches.read("x.yaml") == BOTH


def test_cherry_pick_with_a_collision(branches: Repository) -> None:
    assert branches.run("git", "cherry-pick", "clash").returncode
    assert branches.read("x.yaml") == MARKED


def test_revert(branches: Repository) -> None:
    branches.commit("more", {"x.yaml": "a: 2\nb: 9\nc: 1\n"})
    branches.git("revert", "--no-edit", "HEAD~1")
    assert branches.read("x.yaml") == "a: 1\nb: 9\nc: 1\n"


def test_stash_pop(branches: Repository) -> None:
    branches.write({"x.yaml": BOTH})
    branches.git("stash", "-q")
    branches.commit("more", {"x.yaml": "a: 9\nb: 1\nc: 1\n"})
    branches.git("stash", "pop", "-q")
    assert branches.read("x.yaml") == "a: 9\nb: 2\nc: 1\n"


def test_stash_pop_with_a_collision(branches: Repository) -> None:
    branches.write({"x.yaml": CLASH})
    branches.git("stash", "-q")
    branches.commit("more", {"x.yaml": "a: 9\nb: 1\nc: 1\n"})
    assert branches.run("git", "stash", "pop").returncode
    assert branches.read("x.yaml") == MARKED.replace("a: 2", "a: 9")
    assert branches.unmerged() == {"x.yaml": [1, 2, 3]}


def test_checkout_merge(branches: Repository) -> None:
    branches.write({"x.yaml": "a: 2\nb: 1\nc: 7\n"})
    branches.git("checkout", "-q", "-m", "theirs")
    assert branches.read("x.yaml") == "a: 1\nb: 2\nc: 7\n"


def test_merge_tree_without_a_work_tree(branches: Repository, tmp_path: Path) -> None:
    before = sorted(branches.path.iterdir())
    oid = branches.git("merge-tree", "--write-tree", "main", "theirs").split("\n")[0]
    assert branches.git("show", f"{oid}:x.yaml") == BOTH
    clash = branches.run("git", "merge-tree", "--write-tree", "main", "clash")
    assert clash.returncode == 1
    assert branches.git("show", f"{clash.stdout.split()[0]}:x.yaml") == MARKED
    assert sorted(branches.path.iterdir()) == before
    assert branches.read("x.yaml") == OURS


def test_merging_again_changes_nothing(branches: Repository) -> None:
    branches.git("merge", "-q", "--no-edit", "theirs")
    head = branches.git("rev-parse", "HEAD")
    branches.git("merge", "-q", "--no-edit", "theirs")
    assert branches.git("rev-parse", "HEAD") == head
    for text in (BOTH, MARKED):
        base, ours, theirs = (branches.path / name for name in ("O", "A", "B"))
        sides = (BASE, OURS, THEIRS if text == BOTH else CLASH)
        for _ in range(2):
            for path, content in zip((base, ours, theirs), sides, strict=True):
                path.write_text(content)
            status = main([str(base), str(ours), str(theirs), "7", "x.yaml"])
            assert (status, ours.read_text()) == (text == MARKED, text)
    base.write_text(THEIRS)
    ours.write_text(BOTH)
    theirs.write_text(THEIRS)
    assert main([str(base), str(ours), str(theirs), "x.yaml"]) == 0
    assert ours.read_text() == BOTH


def test_a_criss_cross_merge(branches: Repository) -> None:
    branches.git("checkout", "-q", "-b", "left", "main")
    branches.git("merge", "-q", "--no-edit", "theirs")
    branches.git("checkout", "-q", "-b", "right", "theirs")
    branches.git("merge", "-q", "--no-edit", "main")
    branches.commit("right", {"x.yaml": BOTH.replace("c: 1", "c: 5")})
    branches.git("checkout", "-q", "left")
    branches.commit("left", {"x.yaml": BOTH.replace("b: 2", "b: 5")})
    branches.git("merge", "-q", "--no-edit", "right")
    assert branches.read("x.yaml") == "a: 2\nb: 5\nc: 5\n"


PATHS = ["with space.yaml", "it's.yaml", 'd"q.yaml', "$(touch pwned).yaml", "-n.yaml", "ü/%A.yaml"]


def test_paths_that_a_shell_would_read_otherwise(repository: Repository) -> None:
    repository.commit("base", dict.fromkeys(PATHS, BASE))
    repository.git("checkout", "-q", "-b", "theirs")
    repository.commit("theirs", dict.fromkeys(PATHS, THEIRS))
    repository.git("checkout", "-q", "main")
    repository.commit("ours", dict.fromkeys(PATHS, OURS))
    use_driver(repository)
    repository.git("merge", "-q", "--no-edit", "theirs")
    assert {path: repository.read(path) for path in PATHS} == dict.fromkeys(PATHS, BOTH)
    assert not (repository.path / "pwned").exists()


def test_modes_are_kept(branches: Repository) -> None:
    branches.git("update-index", "--chmod=+x", "x.yaml")
    branches.git("commit", "-q", "-m", "mode")
    branches.git("checkout", "-q", "--", "x.yaml")
    branches.git("merge", "-q", "--no-edit", "theirs")
    assert branches.git("ls-files", "-s").startswith("100755")
    assert (branches.path / "x.yaml").stat().st_mode & stat.S_IXUSR


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (b"\xff\xfe1\n" + BASE.encode(), b"\xff\xfe1\n" + BASE.encode() + b"d: 1\n"),
        (b"\0" + OURS.encode(), b"\0" + THEIRS.encode()),
        (b"{{ a }}: [\n1\n2\n3\n4\n5\n", b"{{ b }}: [\n1\n2\n3\n4\n6\n"),
        (b"<<<<<<< x\na: 1\n=======\na: 2\n>>>>>>> y\n", THEIRS.encode()),
        (b"a: 1\na: 2\nb: 1\n", b"a: 1\na: 3\nb: 2\n"),
        (OURS.encode(), b"a: 1\nb: &x [*x]\n"),
    ],
    ids=["not UTF-8", "binary", "no YAML", "markers", "a key twice", "an alias of itself"],
)
def test_what_cannot_be_merged_is_left_to_git(
    repository: Repository, ours: bytes, theirs: bytes
) -> None:
    base = b"\0" + BASE.encode() if b"\0" in ours else BASE.encode()
    repository.commit("base", {"x.yaml": base})
    repository.git("checkout", "-q", "-b", "theirs")
    repository.commit("theirs", {"x.yaml": theirs})
    repository.git("checkout", "-q", "main")
    repository.commit("ours", {"x.yaml": ours})
    plain = repository.run("git", "merge", "--no-edit", "theirs")
    content, stages = (repository.path / "x.yaml").read_bytes(), repository.unmerged()
    repository.git("reset", "-q", "--hard", "main@{1}" if plain.returncode == 0 else "HEAD")
    use_driver(repository)
    done = repository.run("git", "merge", "--no-edit", "theirs")
    assert (done.returncode, repository.unmerged()) == (plain.returncode, stages)
    labelled = content.replace(b"<<<<<<< HEAD", b"<<<<<<< ours")
    assert (repository.path / "x.yaml").read_bytes() == labelled


def files(folder: Path, base: str, ours: str, theirs: str) -> list[str]:
    paths = [folder / name for name in ("O", "A", "B")]
    for path, text in zip(paths, (base, ours, theirs), strict=True):
        path.write_text(text)
    return [str(path) for path in paths]


def test_out_of_time(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.path)
    repository.git("config", "pkgupdate.driverTimeout", "0.000001")
    words = files(repository.path, BASE, OURS, THEIRS)
    assert main([*words, "7", "x.yaml"]) == 1
    text = Path(words[1]).read_text()
    assert text == "<<<<<<< ours\na: 2\nb: 1\n=======\na: 1\nb: 2\n>>>>>>> theirs\nc: 1\n"
    assert "not done after" in capfd.readouterr().err


def test_a_fault_of_our_own(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.chdir(repository.path)
    monkeypatch.setattr("pkgupdate.integrations.git.two_ways.merge_file", fail)
    words = files(repository.path, BASE, OURS, THEIRS)
    assert main([*words, "x.yaml"]) == 1
    assert "=======" in Path(words[1]).read_text()
    said = capfd.readouterr().err
    assert "RuntimeError" in said and "secret" not in said


def test_killed(repository: Repository) -> None:
    """At whatever moment it is killed, the file is ours, or what git left there, or merged."""
    words = files(repository.path, BASE, OURS, THEIRS)
    by_git = "<<<<<<< ours\na: 2\nb: 1\n=======\na: 1\nb: 2\n>>>>>>> theirs\nc: 1\n"
    command = [sys.executable, "-m", "pkgupdate", "merge-driver", *words, "x.yaml"]
    seen = set()
    for delay in (0.03, 0.06, 0.09, 0.12):
        Path(words[1]).write_text(OURS)
        child = subprocess.Popen(command, cwd=repository.path, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        child.send_signal(signal.SIGKILL)
        child.wait()
        seen.add(Path(words[1]).read_text())
    assert seen <= {OURS, by_git, BOTH}


def test_git_takes_a_killed_driver_for_a_conflict(branches: Repository) -> None:
    script = branches.path / ".git" / "killed.sh"
    script.write_text(
        "#!/bin/sh\n"
        f"{sys.executable} -c 'import os, signal, sys\n"
        "from pkgupdate.integrations.git import driver\n"
        "driver._merge_structurally = lambda *a: os.kill(os.getpid(), signal.SIGKILL)\n"
        'driver.main(sys.argv[1:])\' "$@"\n'
    )
    script.chmod(0o755)
    branches.git("config", "merge.pkgupdate.driver", f"{script} %O %A %B %L %P")
    assert branches.run("git", "merge", "theirs").returncode
    assert branches.unmerged() == {"x.yaml": [1, 2, 3]}
    assert branches.read("x.yaml").startswith("<<<<<<< ours\na: 2\nb: 1\n=======")


def test_arguments() -> None:
    files = Sides(Path("O"), Path("B"), Path("A"))
    assert parse_arguments(["O", "A", "B"]) == Arguments(files)
    assert parse_arguments(["O", "A", "B", "p"]) == Arguments(files, "p")
    assert parse_arguments(["O", "A", "B", "9", "p"]) == Arguments(files, "p", 9)
    full = parse_arguments(["O", "A", "B", "7", "p", "base1", "HEAD", "topic"])
    assert full == Arguments(files, "p", 7, Sides("base1", "topic", "HEAD"))
    old_git = parse_arguments(["O", "A", "B", "7", "p", "%S", "%X", "%Y"])
    assert old_git == Arguments(files, "p")
    assert parse_arguments(["O", "A"]) is None
    assert main(["O"]) > 128


def test_inherited_git_variables(branches: Repository, tmp_path: Path) -> None:
    env = {
        "GIT_DIR": str(branches.path / ".git"),
        "GIT_WORK_TREE": str(branches.path),
        "GIT_INDEX_FILE": str(branches.path / ".git" / "index"),
    }
    branches.git("merge", "-q", "--no-edit", "theirs", **env)
    assert branches.read("x.yaml") == BOTH


def test_a_version_that_is_not_there_is_a_failure_of_the_driver(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ours").write_text(OURS)
    words = [str(tmp_path / name) for name in ("base", "ours", "theirs")]
    assert main(words) == 129
    assert capsys.readouterr().err == f"pkgupdate: {words[0]}: No such file or directory\n"
    assert (tmp_path / "ours").read_text() == OURS


def test_what_is_not_a_file_is_not_replaced(tmp_path: Path) -> None:
    device = tmp_path / "device"
    device.symlink_to("/dev/null")
    assert main([str(device)] * 3) == 129
    assert device.is_symlink()
