"""No test touches the user's cache, state, settings or Git configuration."""

from pathlib import Path

import pytest
from krm_package import GIT_ENVIRONMENT, Shop


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CACHE"):
        monkeypatch.setenv(f"PKGUPDATE_{name}_DIR", str(tmp_path / name.lower()))
    monkeypatch.setenv("PKGUPDATE_CONFIG", str(tmp_path / "config.yaml"))
    monkeypatch.setenv("KPT_CACHE_DIR", str(tmp_path / "kpt-cache"))
    for name, value in GIT_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """An upstream package in two versions, and a local one fetched at the first."""
    return Shop(tmp_path)
