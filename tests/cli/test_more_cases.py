"""Every case of testdata/cases/more through the command line; see the README there."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from program import Outcome, Run

CASES = Path(__file__).parents[2] / "testdata" / "cases" / "more"
NAMES = sorted(path.name for path in CASES.iterdir() if path.is_dir())
SIDES = ("original", "upstream", "local")


def end_of(folder: Path) -> str:
    return "" if (folder / "expected").is_dir() else ".yaml"


def merge(run: Run, sides: list[Path], output: Path, options: list[str]) -> Outcome:
    named = [f"--{name}={path}" for name, path in zip(SIDES, sides, strict=True)]
    return run("merge", *named, f"--output={output}", "--format=json", *options)


def content(path: Path) -> dict[str, object]:
    """All files below a path: link target, or bytes and whether the file can be executed."""
    files = [path] if path.is_file() else path.rglob("*")
    return {
        file.relative_to(path).as_posix(): file.readlink()
        if file.is_symlink()
        else (file.read_bytes(), os.access(file, os.X_OK))
        for file in files
        if file.is_symlink() or file.is_file()
    }


def difference(output: Path, expected: Path) -> str:
    command = ["git", "diff", "--no-index", "--", str(expected), str(output)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("name", NAMES)
def test_case(name: str, run: Run, tmp_path: Path) -> None:
    folder = CASES / name
    end = end_of(folder)
    case = json.loads((folder / "case.json").read_text())
    output, expected = tmp_path / f"out{end}", folder / f"expected{end}"
    sides = [folder / (side + end) for side in SIDES]
    outcome = merge(run, sides, output, case["options"])
    assert outcome.code == 0, outcome.err
    assert content(output) == content(expected), difference(output, expected)
    decisions = json.loads(outcome.out)["decisions"]
    collisions = [d["message"] for d in decisions if d["kind"] == "collision"]
    assert len(collisions) == case["expected_conflicts"], collisions
    told = [d["message"] for d in decisions if d["kind"] not in ("applied", "agreed")]
    assert all(any(text in message for message in told) for text in case["must_report"]), told


@pytest.mark.parametrize("name", NAMES)
def test_laws(name: str, run: Run, tmp_path: Path) -> None:
    """Nothing new upstream, and a second merge of the same version, change nothing."""
    folder = CASES / name
    end = end_of(folder)
    original, upstream, local = (folder / (side + end) for side in SIDES)
    expected = folder / f"expected{end}"
    options = json.loads((folder / "case.json").read_text())["options"]
    for number, (base, mine) in enumerate([(original, local), (upstream, expected)]):
        output = tmp_path / f"{number}{end}"
        assert merge(run, [base, base, mine], output, options).code == 0
        assert content(output) == content(mine), difference(output, mine)


@pytest.mark.parametrize("name", NAMES)
def test_unchanged_local_package_becomes_upstream(name: str, run: Run, tmp_path: Path) -> None:
    """But for layout: merging that result with upstream as the original finds nothing local."""
    folder = CASES / name
    end = end_of(folder)
    original, upstream = folder / f"original{end}", folder / f"upstream{end}"
    output, again = tmp_path / f"out{end}", tmp_path / f"again{end}"
    assert merge(run, [original, upstream, original], output, []).code == 0
    outcome = merge(run, [upstream, upstream, output], again, [])
    told = json.loads(outcome.out)["decisions"]
    values = [d["message"] for d in told if d["subject"] not in ("order", "document-order")]
    assert values == []
    if output.is_dir():
        shutil.rmtree(output)
