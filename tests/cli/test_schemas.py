"""What each command prints as JSON is what its published schema says."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from example import git
from program import Run

from pkgupdate.report.as_json import API_VERSION

PAGE = Path(__file__).parents[2] / "docs" / "json.md"
SCHEMAS = {
    path.name.removesuffix(".json"): json.loads(path.read_text())
    for path in files("pkgupdate.report.schemas").iterdir()
    if path.name.endswith(".json")
}


def checked(text: str) -> dict[str, Any]:
    """The data of a JSON text, after its schema accepted it."""
    data: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator(SCHEMAS[data["kind"]]).validate(data)
    return data


@pytest.mark.parametrize("kind", SCHEMAS)
def test_schemas_are_sound_and_listed(kind: str) -> None:
    schema = SCHEMAS[kind]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"] == schema["properties"]["kind"]["const"] == kind
    assert schema["properties"]["apiVersion"]["const"] == API_VERSION
    assert schema["$id"].endswith(f"/{API_VERSION.partition('/')[2]}/{kind}.json")
    row = next(line for line in PAGE.read_text().splitlines() if line.startswith(f"| `{kind}` |"))
    assert f"`{kind}.json`" in row


FORMS = [
    ("UpdateReport", "update shop@v2 --dry-run"),
    ("UpdateReport", "update shop@v2 --dry-run --on-conflict local --scope web.yaml"),
    ("UpdateReport", "plan shop@v2 -o ../plan.json"),
    ("UpdateReport", "update shop@v1"),
    ("PackageDiff", "diff shop"),
    ("PackageDiff", "diff shop@v2"),
    ("PackageDiff", "diff shop@v2 --diff-type 3way"),
    ("PackageDiff", "diff shop@v2 --diff-type remote"),
    ("PackageStatusList", "status shop"),
    ("PackageStatusList", "outdated shop"),
    ("PackageLog", "log shop@v2"),
    ("ResourceTree", "tree shop"),
    ("SettingList", "config show shop"),
    ("GitStatus", "git status"),
    ("CheckReport", "check shop"),
]


@pytest.mark.parametrize(("kind", "command"), FORMS)
def test_json_of_a_command(kind: str, command: str, run: Run, shop: Path) -> None:
    (shop / "broken.yaml").write_text("a: [\n<<<<<<< x\n")
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "broken")
    outcome = run(*command.split(), "--format", "json")
    assert outcome.code in (0, 1), outcome.err
    assert checked(outcome.out)["kind"] == kind


def test_json_of_get(run: Run, upstream: str, tmp_path: Path) -> None:
    report = checked(run("get", f"{upstream}@v1", tmp_path / "new", "--format=json").out)
    assert report["command"] == "get"
    assert report["packages"][0]["from"] is None


def test_json_of_a_status_that_is_not_known(run: Run, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "upstream").rename(tmp_path / "elsewhere")
    outcome = run("status", "shop", "--format=json")
    assert outcome.code == 3
    assert checked(outcome.out)["packages"][0]["error"]["code"]


def test_json_of_a_stored_plan(run: Run, shop: Path, tmp_path: Path) -> None:
    (shop / "logo.png").write_bytes(b"\x89PNG\0")
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "binary")
    plan = tmp_path / "plan.json"
    assert run("plan", "shop@v2", "-o", plan).code == 0
    assert checked(plan.read_text())["kind"] == "UpdatePlan"
    assert checked(run("apply", plan, "--format=json").out)["command"] == "apply"


def test_json_of_a_merge(run: Run, tmp_path: Path) -> None:
    for name, value in (("original", 1), ("upstream", 2), ("local", 3)):
        (tmp_path / f"{name}.yaml").write_text(f"a: {value}\nb: [1, {value}]\n")
    sides = [f"--{n}={tmp_path / n}.yaml" for n in ("original", "upstream", "local")]
    report = checked(run("merge", *sides, "--output=-", "--format=json").out)
    assert report["output"] == "a: 2\nb: [1, 2]\n"
    assert report["decisions"][0]["changedBy"] == ["upstream", "local"]


def test_json_of_a_match(run: Run, tmp_path: Path) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: n}\ndata: {k: v}\n"
    (tmp_path / "a.yaml").write_text(text)
    live = tmp_path / "live"
    live.write_text(text.replace("k: v", "k: w, l: x"))
    report = checked(run("match", "--desired", tmp_path, "--live", live, "--format=json").out)
    assert report["kind"] == "MatchReport"
