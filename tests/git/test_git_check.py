"""`pkgupdate check` on packages on disk, and its forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from git_repository import Repository

from pkgupdate.errors import PackageError
from pkgupdate.integrations.git.check_paths import check_paths

ROOT = Path(__file__).parents[2]
CM = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n"
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n"


@pytest.fixture
def broken(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    repository.write(
        {
            "shop/Kptfile": KPTFILE,
            "shop/a, b.yaml": CM + "---\n" + CM,
            "shop/inner/Kptfile": KPTFILE,
            "shop/inner/a.yaml": CM,
            "bank/Kptfile": "a: [\n",
            "notes.yaml": "a: [\n",
        }
    )
    monkeypatch.chdir(repository.path)
    return repository


def found(*paths: str) -> list[tuple[str, str, int]]:
    return [(f.code.value, f.file, f.line) for f in check_paths(map(Path, paths))]


DUPLICATE = ("duplicate-resource", "shop/a, b.yaml", 5)


def test_folders_and_files_stand_for_packages(broken: Repository) -> None:
    syntax = ("yaml-syntax", "bank/Kptfile", 2)
    assert found(".") == [syntax, DUPLICATE]
    assert found("shop") == [DUPLICATE]
    assert found("shop/inner/a.yaml", "notes.yaml") == []
    assert found("shop/a, b.yaml", "shop/Kptfile", "bank/Kptfile") == [DUPLICATE, syntax]
    with pytest.raises(PackageError):
        found("nowhere")


def test_paths_are_those_of_the_working_directory(
    broken: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(broken.path / "shop")
    assert found() == [] and found(".") == [("duplicate-resource", "a, b.yaml", 5)]
    assert found("../bank")[0][1] == "../bank/Kptfile"


def test_text(broken: Repository) -> None:
    done = broken.pkgupdate("check", "shop")
    assert done.returncode == 1
    assert done.stdout == (
        "shop/a, b.yaml:5: duplicate-resource: ConfigMap/settings is also in a, b.yaml\n"
        "  hint: keep one of the two\n"
    )
    assert broken.pkgupdate("check", "shop/inner").returncode == 0


def test_forms_for_machines(broken: Repository) -> None:
    done = broken.pkgupdate("check", "shop", "--format", "json")
    (finding,) = json.loads(done.stdout)["findings"]
    assert (finding["code"], finding["file"], finding["line"]) == DUPLICATE
    done = broken.pkgupdate("check", "shop", "--format", "github")
    assert done.stdout == (
        "::error file=shop/a%2C b.yaml,line=5,title=pkgupdate duplicate-resource"
        "::ConfigMap/settings is also in a, b.yaml\n"
    )
    sarif = json.loads(broken.pkgupdate("check", "shop", "--format", "sarif").stdout)
    (run,) = sarif["runs"]
    (result,) = run["results"]
    assert result["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "shop/a%2C%20b.yaml"
    assert place["region"]["startLine"] == 5


def test_the_pre_commit_hook_is_declared() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["id"] == "pkgupdate-check" and hook["entry"] == "pkgupdate check"


def test_the_action_is_a_composite_one() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    assert all("${{ inputs" not in step.get("run", "") for step in action["runs"]["steps"])
    assert set(action["inputs"]) >= {"packages", "branch"}


@pytest.mark.parametrize(
    ("follows", "locked", "fits"),
    [
        ("v1.0.0", "v1.0.0", True),
        ("v1.0.0", "shop/v1.0.0", True),
        ("v1.0.0", "shop/web/v1.0.0", True),
        ("v1.0.0", "bank/v1.0.0", False),
        ("v1.0.0", "shop/v1.1.0", False),
        ("^1.0", "shop/v1.1.0", True),
        ("^1.0", "shop/v2.0.0", False),
        ("latest", "main", False),
        ("^x", "v1.0.0", False),
        ("main", "v1.0.0", False),
    ],
)
def test_a_lock_names_the_tag_that_was_found(
    follows: str, locked: str, fits: bool, tmp_path: Path
) -> None:
    upstream = "git: {{repo: https://example.com/r, directory: /shop/web, ref: '{}'}}"
    (tmp_path / "Kptfile").write_text(
        KPTFILE
        + f"upstream:\n  {upstream.format(follows)}\nupstreamLock:\n  {upstream.format(locked)}\n"
    )
    codes = [finding.code.value for finding in check_paths([tmp_path])]
    assert codes == ([] if fits else ["lock-mismatch"])
