"""The public Python API: three-way merges of texts and folders, without Git and without a terminal.

Its names are stable and are imported from `pkgupdate` itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from pkgupdate.errors import Location, PackageError
from pkgupdate.merge.decisions import Decision
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.package.changes import PackageMerge
from pkgupdate.package.merge import merge_trees
from pkgupdate.package.tree import EMPTY_TREE, DiskTree, MemoryTree, Tree

if TYPE_CHECKING:
    from pkgupdate.schema.entries import SchemaEntry

Files = str | PathLike[str] | Mapping[str, bytes] | None
"""One version of a package: a folder on disk, files by path, or None for nothing."""


@dataclass(frozen=True, slots=True)
class MergeResult:
    """text: the merged text, None if the merge deletes the file. decisions: what was decided."""

    text: str | None
    decisions: list[Decision]


def merge_yaml(
    original: str | None,
    upstream: str | None,
    local: str | None,
    *,
    name: str = "file.yaml",
    policy: Policy | None = None,
    schema: Sequence[SchemaEntry] = (),
) -> MergeResult:
    """Merge three versions of one file; None stands for a version that is not there.

    name: the file's name, which tells a Kptfile and text from YAML. The local text keeps every byte
    that the merge does not touch. Raises DocumentError for a Kptfile that is no YAML.
    """
    files = Sides(original, upstream, local).map(
        lambda text: {} if text is None else {name: text.encode("utf-8")}
    )
    merged = merge_package(*files, policy=policy, schema=schema)
    text = local
    for change in merged.changes:
        if change.path == name:
            text = change.after.content.decode("utf-8") if change.after else None
    return MergeResult(text, merged.decisions)


def merge_package(
    original: Files,
    upstream: Files,
    local: Files,
    *,
    policy: Policy | None = None,
    schema: Sequence[SchemaEntry] = (),
    merge_comments: bool = False,
) -> PackageMerge:
    """Merge three versions of a package; writes nothing.

    merge_comments: add `# kpt-merge:` to the resources that the merge adds. Raises PackageError
    `no-such-folder`, DocumentError for a Kptfile that is no YAML.
    """
    return merge_trees(
        Sides(original, upstream, local).map(_tree),
        policy=policy or Policy(),
        schema_entries=schema,
        merge_comments=merge_comments,
    )


def _tree(files: Files) -> Tree:
    if files is None:
        return EMPTY_TREE
    if isinstance(files, Mapping):
        return MemoryTree(files)
    if not Path(files).is_dir():
        raise PackageError("no-such-folder", "there is no such folder", where=Location(str(files)))
    return DiskTree(Path(files))
