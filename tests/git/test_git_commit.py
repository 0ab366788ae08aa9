"""`pkgupdate update --commit`: one commit that says where the change comes from."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_repository import Repository

CM = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  color: blue\n"


@pytest.fixture
def consumer(repository: Repository, tmp_path: Path) -> Repository:
    upstream = Repository(tmp_path / "catalog")
    upstream.commit("First", {"shop/Kptfile": KPTFILE, "shop/cm.yaml": CM, "other": ""})
    first = upstream.git("rev-parse", "HEAD").strip()
    upstream.git("tag", "v1")
    upstream.commit("Make it green", {"shop/cm.yaml": CM.replace("blue", "green")})
    upstream.commit("Elsewhere", {"other": "x"})
    upstream.commit("Add a service", {"shop/new.yaml": CM.replace("settings", "new")})
    upstream.git("tag", "v2")
    git = f"    repo: {upstream.path}\n    directory: /shop\n    ref: v1\n"
    kptfile = KPTFILE + f"upstream:\n  type: git\n  git:\n{git}  updateStrategy: resource-merge\n"
    kptfile += f"upstreamLock:\n  type: git\n  git:\n{git}    commit: {first}\n"
    files = {"shop/Kptfile": kptfile, "shop/cm.yaml": CM.replace("blue", "red"), "own": "1"}
    repository.commit("consumer", dict(files))
    return repository


KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n"


def test_the_commit_of_an_update(consumer: Repository) -> None:
    consumer.write({"own": "2", "staged": "x"})
    consumer.git("add", "staged")
    done = consumer.pkgupdate("update", "shop@v2", "--commit")
    assert done.returncode == 0, done.stderr
    message = consumer.git("log", "-1", "--format=%B")
    assert message.startswith("Update shop from v1 to v2\n\nUpdate shop v1 -> v2 (")
    assert "Make it green" in message and "Add a service" in message
    assert "Elsewhere" not in message
    assert "\n  cm.yaml ConfigMap/settings data.color: changed on both sides; " in message
    assert "\n  > upstream  green\n    local     red\n" in message
    changed = consumer.git("show", "--name-only", "--format=", "HEAD").split()
    assert changed == ["shop/Kptfile", "shop/cm.yaml", "shop/new.yaml"]
    assert consumer.git("status", "--porcelain") == " M own\nA  staged\n"
    assert "committed as" in done.stdout
    again = consumer.pkgupdate("update", "shop@v2", "--commit")
    assert again.returncode == 0
    assert consumer.git("log", "-1", "--format=%B") == message


def test_dry_runs_commit_nothing(consumer: Repository) -> None:
    head = consumer.git("rev-parse", "HEAD")
    assert consumer.pkgupdate("update", "shop@v2", "--commit", "--dry-run").returncode == 0
    assert consumer.git("rev-parse", "HEAD") == head
    assert consumer.git("status", "--porcelain") == ""


def test_conflict_markers_are_not_committed(consumer: Repository) -> None:
    head = consumer.git("rev-parse", "HEAD")
    done = consumer.pkgupdate("update", "shop@v2", "--commit", "--conflict-markers")
    assert done.returncode == 2 and "conflict markers" in done.stderr
    assert consumer.git("rev-parse", "HEAD") == head
    assert consumer.git("status", "--porcelain") == ""


def test_files_that_git_ignores_stay_out(consumer: Repository) -> None:
    consumer.commit("ignore", {".gitignore": "new.yaml\n"})
    assert consumer.pkgupdate("update", "shop@v2", "--commit").returncode == 0
    changed = consumer.git("show", "--name-only", "--format=", "HEAD").split()
    assert changed == ["shop/Kptfile", "shop/cm.yaml"]
    assert (consumer.path / "shop" / "new.yaml").exists()


def test_outside_of_a_repository_nothing_is_written(consumer: Repository, tmp_path: Path) -> None:
    copy = tmp_path / "plain"
    (consumer.path / "shop").rename(copy)
    before = {path.name: path.read_bytes() for path in copy.iterdir()}
    done = consumer.pkgupdate("update", f"{copy}@v2", "--commit")
    assert done.returncode == 3 and "not-a-repository" in done.stderr
    assert {path.name: path.read_bytes() for path in copy.iterdir()} == before


@pytest.mark.parametrize("branch", ["", "package-updates"])
def test_the_script_of_the_action(consumer: Repository, tmp_path: Path, branch: str) -> None:
    kptfile = consumer.read("shop/Kptfile")
    moved = kptfile.replace("    ref: v1\n  updateStrategy", "    ref: v2\n  updateStrategy")
    consumer.commit("follow v2", {"shop/Kptfile": moved})
    origin = Repository(tmp_path / "origin")
    consumer.git("remote", "add", "origin", str(origin.path))
    summary, output = tmp_path / "summary", tmp_path / "output"
    script = Path(__file__).parents[2] / "tools" / "action-update.sh"
    env = {"BRANCH": branch, "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output)}
    done = consumer.run("bash", str(script), **env)
    assert done.returncode == 0, done.stderr
    assert "pdate shop v1" in summary.read_text()
    assert output.read_text() == "updates<<END-OF-UPDATES\nshop\nEND-OF-UPDATES\n"
    if branch:
        assert origin.git("log", "-1", "--format=%s", branch) == "Update shop from v1 to v2\n"
    else:
        assert consumer.git("status", "--porcelain") == ""
