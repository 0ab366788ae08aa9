"""No test of the update layer touches the user's cache, state or Git configuration."""

from __future__ import annotations

from pathlib import Path

import pytest
from upstream_repo import GIT_ENVIRONMENT, Repo


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PKGUPDATE_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("PKGUPDATE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("KPT_CACHE_DIR", str(tmp_path / "kpt-cache"))
    for name, value in GIT_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def up(tmp_path: Path) -> Repo:
    """An empty upstream repository."""
    return Repo(tmp_path / "up")


@pytest.fixture
def use(tmp_path: Path) -> Repo:
    """An empty repository of the consumer."""
    return Repo(tmp_path / "use")
