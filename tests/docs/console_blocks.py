"""Runs the ```console blocks of a page and compares what they print with what the page shows.

All blocks of a page run in one shell, in the order of the page, in a sandbox: the home folder of
somebody who has an empty repository `config`, and an upstream repository with the example package,
which has the address https://git.example.com/catalog.git. In a block, a line that begins with
``$ `` is a command, which goes on in lines that begin with ``> ``; the lines below it are its
output; a line of just ``…`` stands for any lines. ``<!-- setup … -->`` holds commands that readers
are not shown.

    python tests/docs/console_blocks.py docs/PAGE.md…

writes the present output into pages where it is another one.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
UPSTREAM = "https://git.example.com/catalog.git"
ELLIPSIS = "…"
_BLOCK = re.compile(r"^```console\n(.*?)^```$|^<!-- setup\n(.*?)^-->$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*(?:\n> .*)*)\n", re.MULTILINE)
_MARK = "=== end of command ==="


@dataclass(frozen=True)
class Step:
    """A command and the output that the page shows, None for a hidden one. span: of the output."""

    command: str
    shown: str | None
    span: tuple[int, int] = (0, 0)


def steps_of(page: str) -> list[Step]:
    """The commands of a page."""
    return list(_steps(page))


def _steps(page: str) -> Iterator[Step]:
    for block in _BLOCK.finditer(page):
        if block[2] is not None:
            yield Step(block[2], None)
            continue
        commands = list(_COMMAND.finditer(page, block.start(1), block.end(1)))
        ends = [command.start() for command in commands[1:]] + [block.end(1)]
        for command, end in zip(commands, ends, strict=True):
            typed = command[1].replace("\n> ", "\n")
            yield Step(typed, page[command.end() : end], (command.end(), end))


def run(steps: list[Step], home: Path) -> list[str]:
    """Run the commands in a sandbox and give the output of each."""
    environment = make_sandbox(home)
    script = "exec 2>&1 </dev/null\n" + "".join(
        f"{'set -e' if step.shown is None else 'set +e'}\n{step.command}\necho '{_MARK}'\n"
        for step in steps
    )
    done = subprocess.run(
        ["bash", "-c", script], cwd=home / "config", env=environment, capture_output=True, text=True
    )
    outputs = done.stdout.split(_MARK + "\n")
    if len(outputs) != len(steps) + 1:
        raise AssertionError(f"a setup failed:\n{done.stdout}")
    return [output.replace(str(home), "/home/you") for output in outputs[:-1]]


def fits(shown: str, output: str) -> bool:
    """Is this the output that the page shows?"""
    parts = re.split(rf"^{ELLIPSIS}\n", shown, flags=re.MULTILINE)
    return bool(re.fullmatch(".*".join(map(re.escape, parts)), output, re.DOTALL))


def make_sandbox(home: Path) -> dict[str, str]:
    """The upstream repository and the empty one; returns the environment for commands."""
    environment = {
        "HOME": str(home),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_DATE": "2025-03-01T12:00:00Z",
        "GIT_COMMITTER_DATE": "2025-03-01T12:00:00Z",
        "GIT_PAGER": "cat",
    }

    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=home, env=environment, check=True)

    (home / ".gitconfig").write_text(
        "[user]\n\tname = you\n\temail = you@example.org\n[init]\n\tdefaultBranch = main\n"
        f'[url "file://{home}/.upstream/.git"]\n\tinsteadOf = {UPSTREAM}\n'
        f"\tinsteadOf = {UPSTREAM.removesuffix('.git')}\n"
        "[advice]\n\tdetachedHead = false\n"
    )
    git("init", "--quiet", "config")
    git("init", "--quiet", ".upstream")
    example = ROOT / "testdata" / "example"
    versions = (
        ("v1", "1.0.0", "Add the shop"),
        ("v2", "1.1.0", "Measure, limit and spread the shop"),
    )
    for version, number, subject in versions:
        package = home / ".upstream" / "shop"
        package.mkdir(exist_ok=True)
        for file in (example / version).iterdir():
            (package / file.name).write_bytes(file.read_bytes())
        for file in package.iterdir():
            if not (example / version / file.name).exists():
                file.unlink()
        git("-C", ".upstream", "add", "--all")
        git("-C", ".upstream", "commit", "--quiet", f"--message={subject}")
        git("-C", ".upstream", "tag", version)
        git("-C", ".upstream", "tag", f"shop/v{number}")
    return environment


def rewrite(file: Path) -> None:
    """Put the present output into a page where the page shows another one."""
    page = file.read_text()
    steps = steps_of(page)
    with tempfile.TemporaryDirectory() as home:
        outputs = run(steps, Path(home).resolve())
    for step, output in reversed(list(zip(steps, outputs, strict=True))):
        if step.shown is not None and not fits(step.shown, output):
            page = page[: step.span[0]] + output + page[step.span[1] :]
    file.write_text(page)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        rewrite(Path(argument))
