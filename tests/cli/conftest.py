"""Every test runs apart from the user's own folders and Git settings."""

import pytest
from program import Outcome, Run

from pkgupdate.cli import main


@pytest.fixture(autouse=True)
def apart(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path_factory.mktemp("home")
    for name in ("CACHE", "STATE"):
        monkeypatch.setenv(f"PKGUPDATE_{name}_DIR", str(home / name.lower()))
    monkeypatch.setenv("PKGUPDATE_CONFIG", str(home / "config.yaml"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "tester")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "tester@example.org")
    for name in ("NO_COLOR", "FORCE_COLOR", "KPT_CACHE_DIR", "VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process."""

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return call
