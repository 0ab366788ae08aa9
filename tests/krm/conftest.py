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


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """What `shop` is copied from."""
    place = tmp_path_factory.mktemp("model")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("STATE", "CACHE"):
            patch.setenv(f"PKGUPDATE_{name}_DIR", str(place / name.lower()))
        patch.setenv("PKGUPDATE_CONFIG", str(place / "config.yaml"))
        for name, value in GIT_ENVIRONMENT.items():
            patch.setenv(name, value)
        return Shop.made(place)


@pytest.fixture
def shop(model: Shop, tmp_path: Path) -> Shop:
    """An upstream package in two versions, and a local one fetched at the first."""
    return Shop.copied(model, tmp_path)
