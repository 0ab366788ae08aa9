"""An environment of its own for each test, the command line, and a monorepo of packages."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from inspect_repos import APP, Monorepo, kptfile
from inspect_run import Outcome, Run

from pkgupdate.cli import main


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in os.environ if n.startswith(("GIT_", "KPT_", "PKGUPDATE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    for name in ("cache", "state"):
        monkeypatch.setenv(f"PKGUPDATE_{name.upper()}_DIR", str(tmp_path / name))
    monkeypatch.setenv("PKGUPDATE_CONFIG", str(tmp_path / "config.yaml"))
    monkeypatch.setenv("KPT_CACHE_DIR", str(tmp_path / "kpt"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process."""

    def call(*arguments: object) -> Outcome:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Outcome(code, out, err)

    return call


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def up(two_versions: Monorepo, tmp_path: Path) -> Monorepo:
    """A monorepo with the package `web` in the versions v1.0.0 and v1.1.0."""
    return two_versions.copied(tmp_path / "up")


@pytest.fixture(scope="session")
def two_versions(tmp_path_factory: pytest.TempPathFactory) -> Monorepo:
    repo = Monorepo(tmp_path_factory.mktemp("upstream") / "up")
    repo.commit({"web/Kptfile": kptfile("web"), "web/app.yaml": APP, "web/run.sh": "echo\n"})
    repo.git("tag", "v1.0.0")
    repo.commit({"web/app.yaml": APP.replace("replicas: 3", "replicas: 4")}, "Scale up")
    repo.git("tag", "v1.1.0")
    return repo
