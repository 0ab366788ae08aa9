"""Whole packages from bug reports, three folders in and one out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pkgupdate.document.stream import Stream
from pkgupdate.merge.decisions import Kind
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.package.merge import merge_trees
from pkgupdate.package.tree import DiskTree, FileKind, FileState, MemoryTree

from .support import CASES, after, collisions, said

LINKS = {"current.yaml", "mine.yaml", "was-link.txt"}
"""In the links case, links are stored as files that hold the target, without a line end."""


def load(folder: Path) -> MemoryTree:
    disk = DiskTree(folder)
    files = {p: FileState(e.kind, disk.read(p)) for p, e in disk.entries.items()}
    if "P20" in str(folder):
        for path in LINKS:
            if not files[path].content.endswith(b"\n"):
                files[path] = FileState(FileKind.LINK, files[path].content)
    return MemoryTree(files)


@pytest.mark.parametrize("folder", sorted(CASES.glob("P*")), ids=lambda folder: folder.name)
def test_case(folder: Path) -> None:
    case = json.loads((folder / "case.json").read_text())
    sides = Sides(*(load(folder / side) for side in ("original", "upstream", "local")))
    result = merge_trees(sides, policy=Policy())
    got = after(sides.local, result)
    expected = load(folder / "expected")
    want = {p: FileState(e.kind, expected.read(p)) for p, e in expected.entries.items()}
    if case["id"] == "P16":  # the report is what counts: the colliding file is left open
        del got["run.sh"]
    if case["compare"] == "values":
        assert values(got) == values(want)
    else:
        assert got == want
    assert len(collisions(result)) == case["expected_conflicts"]
    quiet = (Kind.APPLIED, Kind.AGREED)
    reported = "\n".join(said(d) for d in result.decisions if d.kind not in quiet)
    for text in case["must_report"]:
        assert text in reported


def values(files: dict[str, FileState]) -> dict[str, object]:
    return {
        path: [part.document.data for part in Stream(file.content.decode()).parts]
        for path, file in files.items()
    }
