"""A real repository for a test, and short ways to fill it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ATTRIBUTES = "Kptfile merge=pkgupdate\n*.yaml merge=pkgupdate\n*.yml merge=pkgupdate\n"


class Repository:
    """A work tree with a few short ways to fill it and to run git."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def run(self, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.path,
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            check=False,
        )

    def git(self, *args: str, ok: bool = True, **env: str) -> str:
        done = self.run("git", *args, **env)
        if ok:
            assert done.returncode == 0, (args, done.stdout, done.stderr)
        return done.stdout

    def pkgupdate(self, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "-m", "pkgupdate", *args, **env)

    def write(self, files: dict[str, str | bytes]) -> None:
        for path, content in files.items():
            target = self.path / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())

    def clear(self) -> None:
        """Remove all tracked files from the work tree and the index."""
        self.git("rm", "-rfq", "--ignore-unmatch", ".")

    def commit(self, message: str, files: dict[str, str | bytes] | None = None) -> str:
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def read(self, path: str) -> str:
        return (self.path / path).read_bytes().decode()

    def unmerged(self) -> dict[str, list[int]]:
        """The stages of every file that is not merged."""
        stages: dict[str, list[int]] = {}
        for line in self.git("ls-files", "-u", "-z").split("\0"):
            if line:
                head, path = line.split("\t")
                stages.setdefault(path, []).append(int(head.split()[2]))
        return stages


def use_driver(repository: Repository) -> None:
    with (repository.path / ".git" / "config").open("a") as file:
        file.write('[merge "pkgupdate"]\n\tdriver = pkgupdate merge-driver %O %A %B %L %P\n')
    info = repository.path / ".git" / "info"
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text(ATTRIBUTES)
