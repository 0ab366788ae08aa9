"""Real upstream repositories, made on the fly by plain git."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

_ENVIRONMENT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"} | {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (
        ("NAME", "Ada"),
        ("EMAIL", "ada@example.org"),
        ("DATE", "2026-03-01T12:00:00+00:00"),
    )
}
KPT = shutil.which("kpt")
needs_kpt = pytest.mark.skipif(KPT is None, reason="kpt is not installed")


class Monorepo:
    """A repository with a work tree."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            path.mkdir(parents=True)
            self.git("init", "-q", "-b", "main")

    def copied(self, path: Path) -> Monorepo:
        """A copy that a test may change."""
        shutil.copytree(self.path, path)
        return Monorepo(path)

    def git(self, *args: str) -> str:
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            env={**os.environ, **_ENVIRONMENT},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def commit(self, files: dict[str, str], message: str = "change") -> str:
        for name, content in files.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def address(self, directory: str, ref: str) -> str:
        return f"file://{self.path}/.git/{directory}@{ref}"


def kpt(*arguments: object, cwd: Path | None = None) -> str:
    """What kpt prints on stdout."""
    assert KPT
    done = subprocess.run(
        [KPT, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=True
    )
    return done.stdout


def kptfile(name: str) -> str:
    return f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: {name}\n"


APP = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: app
  namespace: shop
spec:
  replicas: 3
  template:
    spec:
      containers:
        - name: main
          image: app:1
---
apiVersion: v1
kind: Secret
metadata:
  name: keys
data:
  token: b2xk
"""
