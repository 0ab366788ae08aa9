"""Real Git repositories for tests of the update layer, made on the fly."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

GIT_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "tester",
    "GIT_AUTHOR_EMAIL": "tester@example.org",
    "GIT_COMMITTER_NAME": "tester",
    "GIT_COMMITTER_EMAIL": "tester@example.org",
}


def git(place: Path, *args: str) -> str:
    """Run git in a folder and give its output."""
    done = subprocess.run(
        ["git", "-C", str(place), *args],
        env=os.environ | GIT_ENVIRONMENT,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


class Repo:
    """A working repository on branch main."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True)
        git(path, "init", "-q", "-b", "main")

    def write(self, files: dict[str, str | bytes | None]) -> None:
        """Write files by path; None deletes."""
        write_files(self.path, files)

    def commit(self, files: dict[str, str | bytes | None], *tags: str) -> str:
        """Write files, commit everything, set lightweight tags; gives the commit id."""
        self.write(files)
        git(self.path, "add", "-A")
        git(self.path, "commit", "-q", "--allow-empty", "-m", "change")
        for tag in tags:
            git(self.path, "tag", "-f", tag)
        return git(self.path, "rev-parse", "HEAD")


def write_files(root: Path, files: dict[str, str | bytes | None]) -> None:
    """Write files by path below a folder; None deletes."""
    for name, content in files.items():
        path = root / name
        if content is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def kptfile(name: str, *, upstream: str = "", lock: str = "", more: str = "") -> str:
    """A Kptfile; `upstream` is REPO|DIRECTORY|REF[|STRATEGY], `lock` REPO|DIRECTORY|REF|COMMIT."""
    text = f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: {name}\n"
    if upstream:
        repo, directory, ref, *strategy = upstream.split("|")
        text += f"upstream:\n  type: git\n  git:\n    repo: {repo}\n    directory: {directory}\n"
        text += f"    ref: {ref}\n"
        text += f"  updateStrategy: {(strategy or ['resource-merge'])[0]}\n"
    if lock:
        repo, directory, ref, commit = lock.split("|")
        text += (
            f"upstreamLock:\n  type: git\n  git:\n    repo: {repo}\n    directory: {directory}\n"
        )
        text += f"    ref: {ref}\n    commit: {commit}\n"
    return text + more


def config_map(name: str, **data: str) -> str:
    """A ConfigMap."""
    lines = "".join(f'  {key}: "{value}"\n' for key, value in data.items())
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n{lines}"
