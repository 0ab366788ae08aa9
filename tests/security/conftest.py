"""Every test runs apart from the user's own folders, and a marker tells if a program ran."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_repo import RawRepo
from hostile_run import Outcome, Run

from pkgupdate.cli import main


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CACHE", "STATE"):
        monkeypatch.setenv(f"PKGUPDATE_{name}_DIR", str(tmp_path / "own" / name.lower()))
    monkeypatch.setenv("PKGUPDATE_CONFIG", str(tmp_path / "own" / "config.yaml"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "tester")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "tester@example.org")
    for name in ("NO_COLOR", "FORCE_COLOR", "KPT_CACHE_DIR", "VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def up(tmp_path: Path) -> RawRepo:
    """The hostile upstream."""
    return RawRepo(tmp_path / "up")


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, which is the working directory."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[Path]:
    """A file that every hostile program of a test would make."""
    path = tmp_path / "a-program-ran"
    yield path
    assert not path.exists(), "code from the package was run"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process; it must not stumble, and not write raw escapes."""

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        outcome = Outcome(code, *capsys.readouterr())
        assert code in (0, 1, 2, 3), outcome.shown
        assert "Traceback" not in outcome.shown
        raw = [char for char in outcome.shown if not char.isprintable() and char not in "\n\t"]
        assert not raw, raw
        return outcome

    return call
