"""`get`, `update`, `plan`, `apply`, `undo` and `recover` on real repositories."""

import json
import subprocess
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from example import git
from program import Run

from pkgupdate.cli import ask
from pkgupdate.cli.ask import Dialog


def changed(shop: Path) -> list[str]:
    return git(shop, "status", "--porcelain", ".").splitlines()


def test_update_says_what_arrived_was_kept_and_collided(run: Run, shop: Path) -> None:
    outcome = run("update", "shop@v2")
    assert outcome.code == 0
    assert outcome.err == ""
    assert outcome.out.startswith("Update shop v1 -> v2 (")
    assert "  > upstream  384Mi\n    local     1Gi\n" in outcome.out
    assert "correct-horse" not in outcome.out
    assert "Kept although upstream differs (1)\n  hpa.yaml " in outcome.out
    assert "  A pdb.yaml\n" in outcome.out
    assert "next: git diff -- shop\n" in outcome.out
    text = (shop / "web.yaml").read_text()
    assert "--log-level=warn # the log is paid by the line" in text
    assert "384Mi" in text
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "update")
    again = run("update", "shop@v2")
    assert "Nothing to do" in again.out
    assert changed(shop) == []


def test_dry_run_writes_nothing(run: Run, shop: Path) -> None:
    outcome = run("update", "shop@v2", "--dry-run")
    assert "Would update shop v1 -> v2" in outcome.out
    assert "7 files would change" in outcome.out
    assert "next:" not in outcome.out
    assert run("update", "shop@v2", "--dry-run", "--exit-code").code == 1
    assert run("update", "shop@v1", "--dry-run", "--exit-code").code == 0
    assert changed(shop) == []


@pytest.mark.parametrize("target", ["@v2", ".@v2", "../shop@v2"])
def test_forms_of_the_target(
    target: str, run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop)
    assert run("update", target, "--dry-run").out.startswith("Would update shop v1 -> v2")
    assert "Nothing to do" in run("update").out
    assert "Nothing to do" in run("update", ".").out


@pytest.mark.parametrize("form", ["json", "markdown", "diff", "text"])
def test_formats(form: str, run: Run, shop: Path) -> None:
    out = run("update", "shop@v2", "--dry-run", "--format", form).out
    assert "change-me" not in out
    assert "correct-horse" not in out
    assert "redis:7.2" in out or form in ("text", "json", "markdown")
    if form == "json":
        schema = json.loads((files("pkgupdate.report.schemas") / "UpdateReport.json").read_text())
        jsonschema.validate(json.loads(out), schema)


def test_a_diff_can_be_applied(run: Run, shop: Path) -> None:
    (shop / "secret.yaml").unlink()  # what is hidden cannot be applied
    git(shop, "commit", "-qam", "no secret")
    diff = run("update", "shop@v2", "--dry-run", "--format", "diff").out
    subprocess.run(
        ["git", "apply", "--directory=shop"], input=diff, text=True, check=True, cwd=shop.parent
    )
    applied = {path.name: path.read_text() for path in shop.iterdir()}
    git(shop, "stash", "-u")
    assert run("update", "shop@v2").code == 0
    assert {path.name: path.read_text() for path in shop.iterdir()} == applied


def test_fail_writes_nothing(run: Run, shop: Path) -> None:
    outcome = run("update", "shop@v2", "--on-conflict", "fail")
    assert outcome.code == 3
    assert "error[collisions]: 2 collisions; nothing was written" in outcome.err
    assert "384Mi" in outcome.out
    assert changed(shop) == []


def test_protected_and_scoped(run: Run, shop: Path) -> None:
    memory = "**.resources"
    out = run("update", "shop@v2", f"--protect=*/web:{memory}", "--scope=web.yaml").out
    assert "Withheld by policy" in out
    text = (shop / "web.yaml").read_text()
    assert "1Gi" in text
    assert "1.17.0" in text
    assert "redis:7.0" in (shop / "cache.yaml").read_text()


def test_asking(run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["l", "q"])
    dialog = Dialog(lambda _: next(answers), lambda _: None, lambda _: None)
    monkeypatch.setattr(ask, "terminal_dialog", lambda: dialog)
    assert run("update", "shop@v2", "--on-conflict", "ask").code == 3
    assert changed(shop) == []
    answers = iter(["l", "l"])
    assert run("update", "shop@v2", "--on-conflict", "ask").code == 0
    assert "1Gi" in (shop / "web.yaml").read_text()
    assert "correct-horse" in (shop / "secret.yaml").read_text()
    assert "1.17.0" in (shop / "web.yaml").read_text()


def test_undo_and_recover(run: Run, shop: Path) -> None:
    assert run("update", "shop@v2").code == 0
    assert "shop: took 7 files back" in run("undo", "shop").out
    assert changed(shop) == []
    assert run("recover", "shop").out == "shop: nothing to recover\n"


def test_plan_and_apply(run: Run, shop: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    outcome = run("plan", "shop@v2", "-o", plan)
    assert outcome.code == 0
    assert f"next: pkgupdate apply {plan}\n" in outcome.out
    assert changed(shop) == []
    assert plan.stat().st_mode & 0o077 == 0
    data = json.loads(plan.read_text())
    assert data["packages"][0]["to"]["ref"] == "v2"
    assert "correct-horse" not in json.dumps(data["decisions"])
    assert run("update", "shop@v2").code == 0
    updated = git(shop, "diff")
    assert run("undo", "shop").code == 0
    assert "7 files changed" in run("apply", plan).out
    assert git(shop, "diff") == updated
    again = run("apply", plan)
    assert again.code == 3
    assert "error[plan-outdated]" in again.err


def test_a_plan_may_lie_in_the_package(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop)
    assert run("plan", "@v2").code == 0
    assert (shop / "plan.json").exists()
    assert run("apply", "plan.json").code == 0
    assert "384Mi" in (shop / "web.yaml").read_text()


@pytest.mark.parametrize("name", ["web.yaml", "namespace.yaml", "new.yaml"])
def test_apply_refuses_a_package_that_moved_on(
    name: str, run: Run, shop: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    assert run("plan", "shop@v2", "-o", plan).code == 0
    with (shop / name).open("a") as file:
        file.write("# changed\n")
    before = changed(shop)
    outcome = run("apply", plan)
    assert outcome.code == 3
    assert "error[plan-outdated]" in outcome.err
    assert changed(shop) == before


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"apiVersion": "v1", "kind": "x"}'])
def test_apply_refuses_what_is_no_plan(text: str, run: Run, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(text)
    outcome = run("apply", plan)
    assert outcome.code == 3
    assert "error[plan-unreadable]" in outcome.err
