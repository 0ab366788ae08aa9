"""An environment of its own for each test, and an empty upstream repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from upstream_repos import Repo


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PKGUPDATE_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def up(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "up")
