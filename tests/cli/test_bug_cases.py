"""Every case of testdata/cases/bugs through the command line, by the README there."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from program import Outcome, Run, run_alone

from pkgupdate.cli.registry import COMMANDS

CASES = Path(__file__).parents[2] / "testdata" / "cases" / "bugs"
NAMES = sorted(path.name for path in CASES.iterdir() if path.is_dir())
GIT = [name for name in NAMES if name.startswith("G")]
MERGES = [name for name in NAMES if not name.startswith("G")]

ANY_ORDER = {
    "K01": "pipeline.mutators",
    "K08": "pipeline.mutators",
    "L08": "subjects",
    "L13": "spec.template.spec.tolerations",
}
"""Cases that allow their lists to be in another order (`also_acceptable`)."""


def case_data(name: str) -> dict[str, Any]:
    return json.loads((CASES / name / "case.json").read_text())


def test_there_are_cases_of_every_group() -> None:
    groups = Counter(name[0] for name in NAMES)
    assert set(groups) == set("CFGKLPT")
    assert sum(groups.values()) == len(GIT) + len(MERGES)


@pytest.mark.parametrize("name", MERGES)
def test_merge_case(name: str, run: Run, tmp_path: Path) -> None:
    folder = CASES / name
    case = case_data(name)
    is_file = (folder / "original.yaml").exists()
    end = ".yaml" if is_file else ""
    output = tmp_path / f"out{end}"
    outcome = run(
        "merge",
        *(f"--{side}={folder / (side + end)}" for side in ("original", "upstream", "local")),
        f"--output={output}",
        "--format=json",
        *case.get("options", ()),
    )
    assert outcome.code == 0, outcome.err
    report = json.loads(outcome.out)
    if case["id"] == "P16":  # one of the outcomes that it allows; `expected` leaves the file out
        text = output / "run.sh"
        assert text.read_bytes() == (folder / "local" / "run.sh").read_bytes()
        text.unlink()
    expected = sorted(folder.glob("expected*"))
    assert expected
    assert any(is_right(output, right, case) for right in expected), difference(output, expected)
    collisions = [d for d in report["decisions"] if d["kind"] == "collision"]
    assert len(collisions) == case["expected_conflicts"], [d["message"] for d in collisions]
    told = reported(report)
    assert all(text in told for text in case["must_report"]), told


def reported(report: dict[str, Any]) -> str:
    """What the report says outside of what simply arrived."""
    silent = ("applied", "agreed")
    messages = [d["message"] for d in report["decisions"] if d["kind"] not in silent]
    return "\n".join(messages + report["notes"])


def is_right(output: Path, expected: Path, case: dict[str, Any]) -> bool:
    if expected.is_file():
        return is_right_file(output, expected, case)
    found, wanted = (sorted(listing(folder)) for folder in (output, expected))
    return found == wanted and all(
        is_right_file(output / path, expected / path, case)
        for path, kind in wanted
        if kind == "file"
    )


def listing(folder: Path) -> Iterator[tuple[str, str]]:
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            yield name, f"link to {path.readlink()}"
        elif path.is_file():
            yield name, "file"


def is_right_file(output: Path, expected: Path, case: dict[str, Any]) -> bool:
    if os.access(output, os.X_OK) != os.access(expected, os.X_OK):
        return False
    found, wanted = output.read_bytes(), expected.read_bytes()
    if found == wanted or (case["id"] == "F10" and found == wanted + b"\n"):
        return True
    if case["compare"] != "values" and case["id"] not in ANY_ORDER | {"F03": ""}:
        return False
    where = ANY_ORDER.get(case["id"], "")
    return values(found, where) == values(wanted, where) and comments(found) == comments(wanted)


def values(content: bytes, any_order: str) -> list[Any]:
    documents = list(yaml.load_all(content, yaml.BaseLoader))
    for document in documents:
        *parents, last = any_order.split(".")
        place = document
        for key in parents:
            place = place.get(key, {})
        if any_order and last in place:
            place[last].sort(key=repr)
    return documents


def comments(content: bytes) -> list[bytes]:
    """The comments of a file (no value of these cases holds a `#` after a blank)."""
    lines = (b" " + line for line in content.splitlines())
    return sorted(line.partition(b" #")[2].strip() for line in lines if b" #" in line)


def difference(output: Path, expected: list[Path]) -> str:
    command = ["git", "diff", "--no-index", "--", str(expected[0]), str(output)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@pytest.fixture
def workshop(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder in which `setup.sh` has built the repositories of a case."""
    subprocess.run(["sh", CASES / request.param / "setup.sh", tmp_path], check=True)
    return tmp_path


def check(name: str, workshop: Path) -> None:
    done = subprocess.run(
        ["sh", CASES / name / "check.sh", workshop], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def update(workshop: Path, target: str, *options: str) -> Outcome:
    return run_alone("update", target, *options, cwd=workshop / "use")


PLAIN_UPDATES = {
    "G01-tag-moved-upstream": "shop@v2",
    "G05-package-at-the-repository-root": "@v2",
    "G11-annotated-tag-locks-the-commit": "shop@v2",
    "G13-failure-leaves-the-package-untouched": "shop@v2",
    "G15-submodule-inside-the-package": "shop@v2",
    "G16-only-what-is-needed-is-fetched": "shop@v2",
}
OTHERS = {
    "G03-new-commits-and-tags-are-seen",
    "G06-private-repository-without-credentials",
    "G08-uncommitted-local-work",
    "G10-merge-driver-clean-and-add-add",
}


def test_every_git_case_is_run() -> None:
    assert set(GIT) == set(PLAIN_UPDATES) | OTHERS


@pytest.mark.parametrize(
    ("workshop", "name"), [(name, name) for name in PLAIN_UPDATES], indirect=["workshop"]
)
def test_git_case(name: str, workshop: Path) -> None:
    outcome = update(workshop, PLAIN_UPDATES[name])
    check(name, workshop)
    if name.startswith("G13"):
        assert outcome.code == 3 or "z.yaml" in outcome.out
    else:
        assert outcome.code == 0, outcome.err
    if name.startswith("G15"):
        assert "vendor" in outcome.out + outcome.err
        assert "submodule" in outcome.out + outcome.err
    if name.startswith("G16"):
        cache = Path(os.environ["PKGUPDATE_CACHE_DIR"])
        size = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file())
        assert size < 1_000_000


@pytest.mark.parametrize("workshop", ["G03-new-commits-and-tags-are-seen"], indirect=True)
def test_new_commits_and_tags_are_seen(workshop: Path) -> None:
    assert update(workshop, "shop@main").code == 0
    subprocess.run(["git", "commit", "-qam", "first"], cwd=workshop / "use", check=True)
    subprocess.run([workshop / "second.sh"], check=True)
    assert update(workshop, "shop@v3").code == 0
    check("G03-new-commits-and-tags-are-seen", workshop)


@pytest.mark.parametrize("workshop", ["G06-private-repository-without-credentials"], indirect=True)
def test_private_repository_without_credentials(workshop: Path) -> None:
    server = subprocess.Popen([sys.executable, workshop / "server.py"])
    try:
        outcome = update(workshop, "shop@v2")
    finally:
        server.terminate()
        server.wait()
    assert outcome.code == 3
    assert "127.0.0.1:8419/shop" in outcome.err
    assert "s3cret-token" not in outcome.out + outcome.err
    cache = Path(os.environ["PKGUPDATE_CACHE_DIR"])
    assert not [p for p in cache.rglob("*") if "s3cret" in str(p)]
    assert not [p for p in cache.rglob("*") if p.is_file() and b"s3cret" in p.read_bytes()]
    check("G06-private-repository-without-credentials", workshop)


@pytest.mark.parametrize("workshop", ["G08-uncommitted-local-work"], indirect=True)
@pytest.mark.parametrize("where", ["in Git", "outside Git"])
def test_uncommitted_local_work(workshop: Path, where: str) -> None:
    if where == "outside Git":
        shutil.rmtree(workshop / "use" / ".git")
        assert update(workshop, "shop@v2").code == 0
    else:
        outcome = update(workshop, "shop@v2")
        assert outcome.code == 3
        assert "web.yaml" in outcome.err
        assert "unrelated.txt" not in outcome.err
        assert update(workshop, "shop@v2", "--allow-dirty").code == 0
    assert "shop:2" in (workshop / "use/shop/web.yaml").read_text()
    check("G08-uncommitted-local-work", workshop)


@pytest.mark.parametrize("workshop", ["G10-merge-driver-clean-and-add-add"], indirect=True)
def test_merge_driver(workshop: Path) -> None:
    if "merge-driver" not in COMMANDS:
        pytest.skip("there is no command merge-driver")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["git", "merge", "--no-edit", "side"],
        cwd=workshop / "use",
        env=os.environ | {"PATH": path},
        check=False,
    )
    assert done.returncode == 0
    check("G10-merge-driver-clean-and-add-add", workshop)
