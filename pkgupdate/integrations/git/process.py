"""Git on the repository that called us, or that the user stands in.

Hooks and the merge driver run inside a Git command: `GIT_DIR`, `GIT_INDEX_FILE` and the like name
the very repository, index and object store that are meant, so they are inherited here (the layer
that talks to upstream repositories drops them). A merge driver is started once per file, so
processes are started directly; GitPython alone would take longer to import than a merge.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pkgupdate.errors import PackageError


@dataclass(frozen=True, slots=True)
class Result:
    """How a git process ended."""

    status: int
    stdout: bytes
    stderr: str

    @property
    def text(self) -> str:
        """The output as text, without its last newline. Odd bytes of names stay reversible."""
        return os.fsdecode(self.stdout).removesuffix("\n")

    @property
    def reason(self) -> str:
        """What git complained about, without credentials."""
        from pkgupdate.upstream.text import redact  # late: the driver does without that layer

        return redact(self.stderr)

    @property
    def names(self) -> list[str]:
        """The output of a command with `-z`, as a list."""
        return [os.fsdecode(name) for name in self.stdout.split(b"\0") if name]


class Git:
    """Runs git in one directory."""

    def __init__(self, directory: Path | None = None, *, env: Mapping[str, str] | None = None):
        """Use `directory` (default: the working directory), with `env` on top of the inherited."""
        self.directory = directory
        self._env = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", **(env or {})}

    def run(self, *args: str, stdin: bytes = b"") -> Result:
        """Run `git ARGS` and return how it ended, whatever its status.

        Raises PackageError `git-missing`.
        """
        try:
            done = subprocess.run(
                ["git", *args],
                cwd=self.directory,
                env=self._env,
                input=stdin,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError as error:
            raise PackageError(
                "git-missing",
                "git cannot be started",
                why="there is no program 'git' in PATH",
                hint="install git 2.31 or newer",
            ) from error
        return Result(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))

    def need(self, *args: str, stdin: bytes = b"") -> Result:
        """Run `git ARGS`. Raises PackageError `git-failed` for a status other than 0."""
        result = self.run(*args, stdin=stdin)
        if result.status:
            raise PackageError(
                "git-failed",
                f"git {args[0]} failed",
                why=result.reason or f"it ended with {result.status}",
            )
        return result

    def read_blobs(self, names: Iterable[str]) -> dict[str, bytes]:
        """The contents of objects (`REV:path`, `:path`, ids), those that exist, in one process."""
        asked = [name for name in names if "\n" not in name]
        feed = "".join(name + "\n" for name in asked)
        output = self.need("cat-file", "--batch", stdin=os.fsencode(feed)).stdout
        found: dict[str, bytes] = {}
        position = 0
        for name in asked:
            end = output.index(b"\n", position)
            header = output[position:end].rsplit(b" ", 2)
            position = end + 1
            if len(header) == 3 and header[2].isdigit():
                size = int(header[2])
                found[name] = output[position : position + size]
                position += size + 1
        return found


def _no_bare_repository() -> dict[str, str]:
    """Settings for this process only: files of a package that look like a bare repository are not
    taken for one, so that no `config` among them can name programs to run."""
    inherited = os.environ.get("GIT_CONFIG_COUNT", "")
    number = int(inherited) if inherited.isdigit() else 0
    return {
        "GIT_CONFIG_COUNT": str(number + 1),
        f"GIT_CONFIG_KEY_{number}": "safe.bareRepository",
        f"GIT_CONFIG_VALUE_{number}": "explicit",
    }


def top_level(directory: Path | None = None) -> Path:
    """The root of the work tree around `directory`. Raises PackageError `not-a-repository`."""
    result = Git(directory, env=_no_bare_repository()).run("rev-parse", "--show-toplevel")
    if result.status:
        raise PackageError(
            "not-a-repository",
            f"{directory or Path.cwd()} is not inside a Git work tree",
            why=result.reason,
            hint="run this inside the repository, or `git init` first",
        )
    return Path(result.text)
