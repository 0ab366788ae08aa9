"""The installed kpt as the client of the function."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from krm_package import (
    FUNCTION,
    Shop,
    config_map,
    edit,
    git,
    kpt,
    program,
    texts,
    update_config,
    values,
    version,
    with_config,
    written_by_kpt,
)

pytestmark = pytest.mark.skipif(not shutil.which("kpt"), reason="kpt is not installed")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "update.yaml"
    path.write_text(yaml.safe_dump(update_config(ref="v2")))
    return path


def updated(shop: Shop, *options: str) -> Path:
    """A copy that `pkgupdate update` brought to v2."""
    root = shop.copy("by-command")
    program("update", f"{root}@v2", *options)
    return root


def evaluate(root: Path, *args: str, code: int = 0) -> list[dict[str, Any]]:
    """Run the function by `kpt fn eval`; gives its results."""
    results = root.parent / "results"
    kpt("eval", str(root), "--exec", FUNCTION, "--results-dir", str(results), *args, code=code)
    (run_of_function,) = yaml.safe_load((results / "results.yaml").read_text())["items"]
    found: list[dict[str, Any]] = run_of_function["results"]
    return found


def test_eval_with_a_config_gives_the_tree_of_the_command(shop: Shop, config: Path) -> None:
    expected = updated(shop)
    evaluate(shop.root, "--fn-config", str(config))
    assert values(shop.root) == values(expected)
    assert "gone.yaml" not in values(shop.root)


def test_eval_with_arguments(shop: Shop) -> None:
    expected = updated(shop, "--on-conflict", "local", "--protect", "ConfigMap/edited:data.theirs")
    evaluate(shop.root, "--", "ref=v2", "onConflict=local", "protect=ConfigMap/edited:data.theirs")
    assert values(shop.root) == values(expected)
    assert values(shop.root)["edited.yaml"][0]["data"] == {"theirs": "1", "ours": "9"}


def test_bytes_are_those_of_the_command_where_kpt_keeps_them(shop: Shop, config: Path) -> None:
    edit(shop.root / "web.yaml", "# Copyright of the shop\n\n", "")  # kpt drops it
    (shop.root / "gone.yaml").unlink()  # without its first comment it counts as edited
    shop.root = written_by_kpt(shop.root, shop.place / "kpt" / "shop")
    expected = written_by_kpt(updated(shop), shop.place / "expected")
    evaluate(shop.root, "--fn-config", str(config))
    assert texts(shop.root) == texts(expected)


def test_source_and_sink(shop: Shop) -> None:
    expected = updated(shop)
    listed = with_config(kpt("source", str(shop.root)), update_config(ref="v2"))
    target = shop.place / "sunk"
    kpt("sink", str(target), stdin=program("fn", stdin=listed))
    assert values(target) == values(expected)


def test_what_kpt_drops_from_items_is_no_local_change(shop: Shop) -> None:
    head = "# Copyright of the shop\n\n"
    one, two = head + config_map("one", a=1), head + config_map("two", a="x  # y")
    lost = head + config_map("lost", a=1)
    before = {**version(1), "pair.yaml": f"{one}# end\n---\n{two}", "lost.yaml": lost}
    after = {**version(1), "pair.yaml": f"{two}---\n{one}# end\n"}
    for files, tag in ((before, "v3"), (after, "v4")):
        shop.publish(files, tag)
    root = shop.place / "plain" / "shop"
    for path, text in before.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "moved.yaml").write_text((root / "lost.yaml").read_text())
    (root / "lost.yaml").unlink()
    sections = f"type: git\n  git:\n    repo: {shop.upstream}\n    directory: /\n    ref: v3\n"
    with (root / "Kptfile").open("a") as file:
        file.write(
            f"upstream:\n  {sections}upstreamLock:\n  {sections}    commit: {commit(shop, 'v3')}\n"
        )
    listed = with_config(kpt("source", str(root)), update_config(ref="v4"))
    target = shop.place / "sunk"
    kpt("sink", str(target), stdin=program("fn", stdin=listed))
    program("update", f"{root}@v4")
    assert values(target) == values(root)
    assert [found["metadata"]["name"] for found in values(target)["pair.yaml"]] == ["two", "one"]
    assert "moved.yaml" not in values(target)


def commit(shop: Shop, tag: str) -> str:
    return git(shop.upstream, "rev-parse", tag)


def test_source_with_a_config_of_its_own(shop: Shop, config: Path) -> None:
    expected = updated(shop)
    listed = kpt("source", str(shop.root), "--fn-config", str(config))
    target = shop.place / "sunk"
    kpt("sink", str(target), stdin=program("fn", stdin=listed))
    assert values(target) == values(expected)


def test_render_of_a_package_that_updates_itself(shop: Shop) -> None:
    kptfile = shop.root / "Kptfile"
    function = f"  - exec: {FUNCTION}\n    name: update\n    configMap:\n      ref: v2\n"
    edit(kptfile, "pipeline:\n  mutators:\n", f"pipeline:\n  mutators:\n{function}")
    edit(
        kptfile, "  - image: set-labels:1\n    name: labels\n    configMap:\n      app: shop\n", ""
    )
    expected = updated(shop)
    results = shop.place / "results"
    kpt("render", str(shop.root), "--allow-exec", "--results-dir", str(results))
    assert values(shop.root) == values(expected)
    assert (shop.root / "sub/more.yaml").exists()
    assert (shop.root / "other/one.yaml").exists()
    (ran,) = yaml.safe_load((results / "results.yaml").read_text())["items"]
    assert {found["severity"] for found in ran["results"]} == {"warning", "info"}


def test_results_name_what_collided(shop: Shop, config: Path) -> None:
    results = evaluate(shop.root, "--fn-config", str(config))
    seen = [found for found in results if found["severity"] == "warning"]
    (replicas,) = [f for f in seen if f["file"]["path"] == "web.yaml"]
    assert replicas["resourceRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    assert replicas["field"] == {
        "path": "spec.replicas",
        "currentValue": 5,
        "proposedValue": 2,
    }
    assert replicas["tags"] == {"kind": "collision", "rule": "edit-edit", "winner": "upstream"}
    (kept,) = [f for f in seen if f["file"]["path"] == "kept.yaml"]
    assert kept["tags"]["rule"] == "delete-edit"
    assert results[-1]["severity"] == "info"
    assert "collided" in results[-1]["message"]


def test_plan_changes_nothing(shop: Shop) -> None:
    shop.root = written_by_kpt(shop.root, shop.place / "kpt" / "shop")
    before = texts(shop.root)
    results = evaluate(shop.root, "--", "ref=v2", "mode=plan")
    assert texts(shop.root) == before
    assert any(f["message"].startswith("only2.yaml: the update would add") for f in results)


def test_check_fails_until_the_update_is_done(shop: Shop) -> None:
    results = evaluate(shop.root, "--", "ref=v2", "mode=check", code=1)
    (due,) = [found["message"] for found in results if found["severity"] == "error"]
    assert due.startswith("an update is due")
    evaluate(shop.root, "--", "ref=v2")
    evaluate(shop.root, "--", "mode=check")


def test_failing_on_a_collision_leaves_the_package(shop: Shop) -> None:
    before = texts(shop.root)
    results = evaluate(shop.root, "--", "ref=v2", "onConflict=fail", code=1)
    assert texts(shop.root) == before
    errors = [found["file"]["path"] for found in results if found["severity"] == "error"]
    assert errors == ["kept.yaml", "web.yaml"]


def test_a_package_without_a_kptfile(tmp_path: Path) -> None:
    root = tmp_path / "pkg"
    root.mkdir()
    (root / "a.yaml").write_text(config_map("a", x=1))
    (found,) = evaluate(root, code=1)
    assert found["severity"] == "error"
    assert found["tags"] == {"code": "kptfile-missing"}
    assert (root / "a.yaml").read_text() == config_map("a", x=1)
