"""Credentials in addresses are used, and stand nowhere afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hostile_repo import KPTFILE, RawRepo, config_map
from hostile_run import Run

sys.path.append(str(Path(__file__).parents[1] / "upstream"))
from upstream_servers import free_port, smart_http

USER, PASSWORD = "jane-doe", "s3cr%21t-w0rd"
TEXTS = (USER, PASSWORD, "s3cr!t-w0rd")


def leaks(folder: Path) -> list[str]:
    """Files below a folder that hold a credential."""
    return [
        f"{path}: {text}"
        for path in folder.rglob("*")
        for text in TEXTS
        if path.is_file() and text.encode() in path.read_bytes()
    ]


def test_they_are_used_and_not_kept(
    up: RawRepo, work: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    up.commit({"pkg": {"Kptfile": KPTFILE, "web.yaml": config_map()}}, "v1")
    up.commit({"pkg": {"Kptfile": KPTFILE, "web.yaml": config_map(value="two")}}, "v2")
    with smart_http(tmp_path, login=f"{USER}:s3cr!t-w0rd") as port:
        host = f"127.0.0.1:{port}"
        address = f"http://{USER}:{PASSWORD}@{host}/up.git/pkg@v1"
        subprocess.run(["ln", "-s", "up", tmp_path / "up.git"], check=True)
        shown = run("get", address, "dest", "-v", "-v").shown
        assert (work / "dest/web.yaml").exists(), shown
        kptfile = work / "dest/Kptfile"
        public = kptfile.read_text()
        kptfile.write_text(public.replace(f"//{host}", f"//{USER}:{PASSWORD}@{host}", 1))
        for arguments in (
            ["update", "dest@v2", "--dry-run", "--format", "json"],
            ["update", "dest@v2", "-v", "-v"],
            ["status", "dest"],
            ["log", "dest"],
            ["update", "dest@nowhere"],
        ):
            shown += run(*arguments).shown
    shown += run("update", "dest@v1").shown  # the server is gone
    assert "two" in (work / "dest/web.yaml").read_text()
    lock = kptfile.read_text().partition("upstreamLock:")[2]
    assert not [text for text in TEXTS if text in shown + lock]
    own = tmp_path / "own"
    journals = [leak for leak in leaks(own) if "/state/" in leak]
    assert not [leak for leak in leaks(own) if leak not in journals]
    assert leaks(work) == [leak for leak in leaks(work) if leak.startswith(str(kptfile))]


@pytest.mark.parametrize("scheme", ["http", "https", "ssh", "git"])
@pytest.mark.parametrize("place", ["/r.git/d@v1", "/r", "/r.git/..", "/r.git/d@-x", ""])
def test_errors_do_not_show_them(
    work: Path, tmp_path: Path, run: Run, scheme: str, place: str
) -> None:
    address = f"{scheme}://{USER}:{PASSWORD}@127.0.0.1:{free_port()}{place}"
    outcome = run("get", address, "dest", "--timeout", "5", "-v", "-v")
    assert outcome.code in (2, 3)
    hidden = TEXTS if scheme != "ssh" else TEXTS[1:]
    assert not [text for text in hidden if text in outcome.shown]
    assert not [leak for leak in leaks(tmp_path) if not leak.endswith(USER) or scheme != "ssh"]
