"""Folders of base, ours, theirs and expected, merged by real Git: with the driver, and without."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from git_repository import Repository, use_driver

from pkgupdate.integrations.git.markers import take_side
from pkgupdate.package.tree import blob_id

ROOT = Path(__file__).parents[2] / "testdata" / "git"
CASES = sorted(path.name for path in ROOT.iterdir() if path.is_dir())


def tree(case: str, side: str) -> dict[str, bytes]:
    folder = ROOT / case / side
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def fill(repository: Repository, case: str, prefix: str = "") -> None:
    """Commit `base`, and `ours` (on main) and `theirs` on top of it, by one process."""
    commits = {"base": "main", "ours": "main", "theirs": "theirs"}
    feed = bytearray()
    for number, (side, branch) in enumerate(commits.items(), 1):
        feed += f"commit refs/heads/{prefix}{branch}\nmark :{number}\n".encode()
        feed += b"committer t <t@example.org> %d +0000\n" % (1_700_000_000 + number)
        feed += f"data {len(side)}\n{side}\n".encode()
        feed += b"from :1\ndeleteall\n" if number > 1 else b""
        for path, content in {"keep": b"", **tree(case, side)}.items():
            feed += f"M 100644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n"
    subprocess.run(
        ["git", "fast-import", "--quiet"], cwd=repository.path, input=bytes(feed), check=True
    )


def work_tree(repository: Repository) -> dict[str, bytes]:
    return {
        path.relative_to(repository.path).as_posix(): path.read_bytes()
        for path in repository.path.rglob("*")
        if path.is_file() and ".git" not in path.parts and path.name != "keep"
    }


def configure(repository: Repository, config: Mapping[str, str]) -> None:
    lines = (f"[{k.split('.')[0]}]\n\t{k.split('.')[1]} = {v}\n" for k, v in config.items())
    with (repository.path / ".git" / "config").open("a") as file:
        file.writelines(lines)


@pytest.mark.parametrize("case", CASES)
def test_scenario(case: str, repository: Repository) -> None:
    about = json.loads((ROOT / case / "case.json").read_text())
    fill(repository, case)
    configure(repository, about.get("config", {}))
    repository.git("reset", "-q", "--hard", "main")
    use_driver(repository)
    done = repository.run("git", "merge", "--no-edit", "theirs")

    expected = tree(case, "expected")
    assert {p: t.decode() for p, t in work_tree(repository).items()} == {
        p: t.decode() for p, t in expected.items()
    }
    assert (done.returncode != 0) == (about["expect"] == "conflict"), done.stdout + done.stderr
    marked = {path: text for path, text in expected.items() if b"<<<<<<< ours" in text}
    for path, text in marked.items():
        for side in ("ours", "theirs") if not path.startswith(("tmpl", "left")) else ():
            list(yaml.safe_load_all(take_side(text.decode(), side)))
    stages = repository.unmerged()
    if about["expect"] == "conflict":
        assert set(stages) == set(marked)
        in_base = tree(case, "base")
        for path, found in stages.items():
            assert found == ([1, 2, 3] if path in in_base else [2, 3])
    else:
        assert stages == {}


def merged_by_git_alone(repository: Repository, case: str) -> str:
    """What becomes of the scenario without the driver: `conflicts`, `right` or `wrong`."""
    fill(repository, case, f"{case}/")
    done = repository.run("git", "merge-tree", "--write-tree", f"{case}/main", f"{case}/theirs")
    if done.returncode:
        return "conflicts"
    lines = repository.git("ls-tree", "-r", "-z", done.stdout.strip()).split("\0")
    found = {line.split("\t")[1]: line.split("\t")[0].split()[2] for line in lines if line}
    found.pop("keep")
    wanted = {path: blob_id(content) for path, content in tree(case, "expected").items()}
    return "right" if found == wanted else "wrong"


def test_git_alone_fails_most(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = {case: merged_by_git_alone(repository, case) for case in CASES}
    counts = Counter(outcomes.values())
    wrong = ", ".join(case for case in CASES if outcomes[case] == "wrong")
    with capsys.disabled():
        print(
            f"\nplain git on {len(CASES)} merges: {counts['conflicts']} conflicts,"
            f" {counts['wrong']} wrong without a word ({wrong}), {counts['right']} right"
        )
    assert len(CASES) >= 40
    assert counts["wrong"] >= 3
    assert counts["conflicts"] > len(CASES) / 2
