"""A folder in which commands run apart from the user's settings, always as the same author."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


class Sandbox:
    """Commands run in a folder, with caches, state and settings of their own."""

    def __init__(self, folder: Path, *, date: str, **variables: str) -> None:
        """date: when all commits are made. variables: further ones for the environment."""
        self.folder = folder
        author = {"NAME": "you", "EMAIL": "you@example.org", "DATE": date}
        self._environment = os.environ | {
            "HOME": str(folder),
            "KPT_CACHE_DIR": str(folder / "kpt-cache"),
            "PKGUPDATE_CACHE_DIR": str(folder / "cache"),
            "PKGUPDATE_STATE_DIR": str(folder / "state"),
            "PKGUPDATE_CONFIG": str(folder / "config.yaml"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            **{f"GIT_AUTHOR_{part}": value for part, value in author.items()},
            **{f"GIT_COMMITTER_{part}": value for part, value in author.items()},
            **variables,
        }

    def run(self, where: str, *command: str, with_stderr: bool = False) -> str:
        """What a command prints that runs in a folder of the sandbox; if it fails, the end."""
        done = subprocess.run(
            command,
            cwd=self.folder / where,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if with_stderr else subprocess.PIPE,
            text=True,
        )
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr or ''}")
        return done.stdout

    def commit(self, where: str, message: str) -> None:
        """Commit everything in a repository."""
        self.run(where, "git", "add", "--all")
        self.run(where, "git", "commit", "--quiet", f"--message={message}")
