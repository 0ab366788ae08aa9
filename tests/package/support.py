"""Trees written as dicts, and merges of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pkgupdate.merge.decisions import Decision, Kind
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.package.merge import PackageMerge, merge_trees
from pkgupdate.package.tree import DiskTree, FileKind, FileState, MemoryTree

Files = dict[str, "str | bytes | FileState"]

CASES = Path(__file__).parents[2] / "testdata" / "cases" / "bugs"


def link(target: str) -> FileState:
    return FileState(FileKind.LINK, target.encode())


def executable(text: str) -> FileState:
    return FileState(FileKind.EXEC, text.encode())


def tree(files: Files) -> MemoryTree:
    return MemoryTree(
        {path: file.encode() if isinstance(file, str) else file for path, file in files.items()}
    )


def resource(
    name: str, body: str = 'data:\n  A: "1"\n', *, kind: str = "ConfigMap", version: str = "v1"
) -> str:
    return f"apiVersion: {version}\nkind: {kind}\nmetadata:\n  name: {name}\n{body}"


def merge(
    original: Files, upstream: Files, local: Files, policy: Policy | None = None, **options: Any
) -> PackageMerge:
    sides = Sides(tree(original), tree(upstream), tree(local))
    return merge_trees(sides, policy=policy or Policy(), **options)


def after(local: MemoryTree | DiskTree | Files, result: PackageMerge) -> dict[str, FileState]:
    """The local files with the changes applied; fails where a change does not fit."""
    start = tree(local) if isinstance(local, dict) else local
    files = {p: FileState(e.kind, start.read(p)) for p, e in start.entries.items()}
    paths = [change.path for change in result.changes]
    assert len(set(paths)) == len(paths)
    for change in result.changes:
        assert files.get(change.path) == change.before
        assert change.before != change.after
        if change.after is None:
            del files[change.path]
        else:
            files[change.path] = change.after
    for path in files:
        assert not any(other.startswith(path + "/") for other in files)
    return files


def texts(local: Files, result: PackageMerge) -> dict[str, str]:
    return {path: file.content.decode() for path, file in after(local, result).items()}


def collisions(result: PackageMerge) -> list[Decision]:
    return [decision for decision in result.decisions if decision.kind is Kind.COLLISION]


def said(decision: Decision) -> str:
    return f"{decision.file} {decision.resource} {decision.note}"
