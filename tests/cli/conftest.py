"""Every test runs apart from the user's own folders and Git settings."""

import subprocess
from pathlib import Path

import pytest
from example import EXAMPLE, git
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


@pytest.fixture
def upstream(tmp_path: Path) -> str:
    """The address of the example's upstream, with the tags v1 and v2."""
    repo = tmp_path / "upstream"
    git(tmp_path, "init", "-q", "-b", "main", str(repo))
    for version in ("v1", "v2"):
        subprocess.run(["rm", "-rf", repo / "shop"], check=True)
        subprocess.run(["cp", "-R", EXAMPLE / version, repo / "shop"], check=True)
        git(repo, "add", "-A")
        git(repo, "commit", "-qm", version)
        git(repo, "tag", version)
    return f"file://{repo}/.git/shop"


@pytest.fixture
def shop(upstream: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example package, fetched at v1 and with the local edits, committed."""
    yours = tmp_path / "yours"
    git(tmp_path, "init", "-q", "-b", "main", str(yours))
    monkeypatch.chdir(yours)
    assert run("get", f"{upstream}@v1", "shop").code == 0
    git(yours, "add", "-A")
    git(yours, "commit", "-qm", "get")
    git(yours, "apply", "--directory=shop", str(EXAMPLE / "local-edits.patch"))
    (yours / "shop" / "hpa.yaml").unlink()
    git(yours, "add", "-A")
    git(yours, "commit", "-qm", "ours")
    return yours / "shop"
