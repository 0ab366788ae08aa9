"""The example package in testdata/, and Git."""

import subprocess
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "testdata" / "example"


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
