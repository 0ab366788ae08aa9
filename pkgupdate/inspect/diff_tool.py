"""Handing versions of a package to a program that compares directories, as `kpt pkg diff` does."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pkgupdate.errors import PackageError, UsageError
from pkgupdate.inspect.text_trees import text_trees
from pkgupdate.inspect.versions import DiffType, Side, Versions
from pkgupdate.package.tree import FileKind, Tree

TOOL_VARIABLE = "KPT_EXTERNAL_DIFF"
OPTIONS_VARIABLE = "KPT_EXTERNAL_DIFF_OPTS"

_ORDER: Mapping[DiffType, tuple[Side, ...]] = {
    DiffType.LOCAL: ("local", "original"),
    DiffType.REMOTE: ("original", "upstream"),
    DiffType.COMBINED: ("local", "upstream"),
    DiffType.THREE_WAY: ("local", "original", "upstream"),
}
"""The directories that the tool gets, in kpt's order."""


def run_diff_tool(versions: Versions, kind: DiffType, tool: str, options: str) -> bool:
    """Let a tool show the difference; says whether there is one, as far as the tool tells.

    The versions lie in temporary directories while it runs, links as links. Raises UsageError
    `diff-tool-missing`, `usage`; PackageError `diff-tool-failed`.
    """
    program = shutil.which(tool)
    if program is None:
        raise UsageError(
            "diff-tool-missing", f"there is no program '{tool}'", hint="give another --diff-tool"
        )
    try:
        arguments = shlex.split(options)
    except ValueError as e:
        raise UsageError("usage", "cannot read --diff-tool-opts", why=str(e)) from e
    trees = text_trees(versions.trees, versions.trees["original"])
    with tempfile.TemporaryDirectory(prefix="pkgupdate-diff-") as folder:
        directories = []
        for side in _ORDER[kind]:
            directory = Path(folder) / _directory_name(side, versions)
            write_tree(trees[side], directory)
            directories.append(str(directory))
        status = _status([program, *arguments, *directories])
    if status not in (0, 1):
        raise PackageError(
            "diff-tool-failed",
            f"{tool} ended with exit code {status}",
            hint=f"it may not be able to show the type {kind.value}; try another --diff-tool",
        )
    return status == 1


def _status(command: list[str]) -> int:
    try:
        return subprocess.run(command, check=False).returncode
    except OSError as e:
        raise PackageError(
            "diff-tool-failed", f"cannot run {command[0]}", why=e.strerror or str(e)
        ) from e


def write_tree(tree: Tree, directory: Path) -> None:
    """Write the files of a tree into a new directory. Submodules are left out."""
    directory.mkdir()
    for path, entry in sorted(tree.entries.items()):
        target = directory / path
        if entry.kind is FileKind.SUBMODULE:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if entry.kind is FileKind.LINK:
            target.symlink_to(os.fsdecode(tree.read(path)))
            continue
        with target.open("xb") as file:
            file.write(tree.read(path))
        target.chmod(0o755 if entry.kind is FileKind.EXEC else 0o644)


def _directory_name(side: Side, versions: Versions) -> str:
    ref = versions.target.ref if side == "upstream" and versions.target else versions.ref
    name = {"original": "remote", "upstream": "target", "local": "local"}[side]
    return f"{name}-{ref.replace('/', '-')[:100]}"
