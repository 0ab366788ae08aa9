"""Running the installed kpt on many small merges at once."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pkgupdate.document.document import Document
from pkgupdate.document.values import NULL, Value

needs_kpt = pytest.mark.skipif(
    not (shutil.which("kpt") and shutil.which("git")), reason="kpt and git are not installed"
)

_KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: pkg\n"
_IDENTIFIER = "internal.kpt.dev/upstream-identifier"


def kpt_merge(folder: Path, cases: Sequence[tuple[str, str, str]]) -> list[Value]:
    """What kpt makes of original, upstream and local of each case, as files of one package."""
    return _update(folder, {f"f{number}.yaml": case for number, case in enumerate(cases)})


def kpt_merge_kptfiles(folder: Path, cases: Sequence[tuple[str, str, str]]) -> list[Value]:
    """The same for Kptfiles, as dependent subpackages of one package."""
    return _update(folder, {f"s{number}/Kptfile": case for number, case in enumerate(cases)})


def _update(folder: Path, cases: dict[str, tuple[str, str, str]]) -> list[Value]:
    upstream, work = folder / "up", folder / "work"
    (upstream / "pkg").mkdir(parents=True)
    work.mkdir()
    environment = _environment(folder)

    def run(where: Path, *command: str) -> None:
        done = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def write(package: Path, side: int) -> None:
        for name, case in cases.items():
            (package / name).parent.mkdir(exist_ok=True)
            (package / name).write_text(case[side])

    def release(tag: str, side: int) -> None:
        write(upstream / "pkg", side)
        run(upstream, "git", "add", "-A")
        run(upstream, "git", "commit", "-q", "-m", tag)
        run(upstream, "git", "tag", tag)

    (upstream / "pkg" / "Kptfile").write_text(_KPTFILE)
    run(upstream, "git", "init", "-q", "-b", "main")
    release("v1", 0)
    run(work, "kpt", "pkg", "get", f"file://{upstream}.git/pkg@v1", "pkg")
    release("v2", 1)
    write(work / "pkg", 2)
    run(work, "kpt", "pkg", "update", "pkg@v2")
    texts = [(work / "pkg" / name).read_text() for name in cases]
    return [without_traces(Document(text).data) for text in texts]


def without_traces(value: Value) -> Value:
    """The value without kpt's annotation, and without what it drops (nulls)."""
    if isinstance(value, list):
        return [without_traces(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept: dict[Value, Value] = {}
    for key, item in value.items():
        if key == _IDENTIFIER or item == NULL:
            continue
        kept[key] = without_traces(item)
        if key == "annotations" and not kept[key]:
            del kept[key]
    return kept


def _environment(folder: Path) -> dict[str, Any]:
    person = {"NAME": "a", "EMAIL": "a@example.org"}
    names = {f"GIT_{who}_{k}": v for who in ("AUTHOR", "COMMITTER") for k, v in person.items()}
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "KPT_CACHE_DIR": str(folder / "cache"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        **names,
    }
