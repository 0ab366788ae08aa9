"""What docs/ci.md tells other programs to do fits what pkgupdate writes and reads."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from console_blocks import ROOT, UPSTREAM, make_sandbox

PAGE = (ROOT / "docs" / "ci.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_renovate_moves_the_ref_and_an_update_follows(tmp_path: Path) -> None:
    environment = make_sandbox(tmp_path)

    def run(*command: str) -> None:
        place = tmp_path / "config"
        subprocess.run(command, cwd=place, env=environment, check=True, capture_output=True)

    (manager,) = json.loads(*blocks("json"))["customManagers"]
    pattern = re.compile(manager["matchStrings"][0].replace("(?<", "(?P<"))
    run("pkgupdate", "get", f"{UPSTREAM}/shop@v1", "shop")
    kptfile = tmp_path / "config" / "shop" / "Kptfile"
    assert re.search(manager["managerFilePatterns"][0].strip("/"), "shop/Kptfile")
    (match,) = pattern.finditer(kptfile.read_text())
    assert match.groupdict() == {
        "packageName": UPSTREAM.removesuffix(".git"),
        "depName": "shop",
        "currentValue": "v1",
    }
    start, end = match.span("currentValue")
    kptfile.write_text(match.string[:start] + "v2" + match.string[end:])
    run("git", "add", "--all")
    run("git", "commit", "--message", "Update shop to v2")
    run("pkgupdate", "update", "shop")
    data = yaml.safe_load(kptfile.read_text())
    assert data["upstream"]["git"]["ref"] == data["upstreamLock"]["git"]["ref"] == "v2"
    assert "--metrics=:9090" in (tmp_path / "config" / "shop" / "web.yaml").read_text()


@pytest.mark.parametrize("recipe", blocks("yaml"))
def test_recipes_are_yaml_and_use_what_there_is(recipe: str) -> None:
    data = yaml.load(recipe, yaml.BaseLoader)
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    jobs = data.get("jobs", {}).values()
    for step in (step for job in jobs for step in job["steps"]):
        if "/pkgupdate@" in step.get("uses", ""):
            assert set(step["with"]) <= set(action["inputs"])
    for output in re.findall(r"outputs\.(\w+)", recipe):
        assert output in action["outputs"]
