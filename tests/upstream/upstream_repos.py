"""Real upstream repositories, made on the fly by plain git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_WHO = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "tester"), ("EMAIL", "tester@example.org"))
}


class Repo:
    """A repository with a work tree, driven by plain git."""

    def __init__(self, path: Path, *init: str) -> None:
        self.path = path
        self.url = f"file://{path}"
        path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main", *init)

    def git(self, *args: str, stdin: str | None = None) -> str:
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            env={**os.environ, **_WHO},
            input=stdin,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def commit(self, files: dict[str, str | bytes], message: str = "change") -> str:
        for name, content in files.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")
