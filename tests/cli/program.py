"""Running the program: in this process (the fixture `run`) or in one of its own."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


def run_alone(*arguments: object, cwd: Path | None = None) -> Outcome:
    """Run a command in a process of its own, with nothing on its stdin."""
    done = subprocess.run(
        [sys.executable, "-m", "pkgupdate", *map(str, arguments)],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)
