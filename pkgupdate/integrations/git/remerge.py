"""Merging a package anew from the merge base, whatever is staged, and staging the result."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pkgupdate.document.stream import decode
from pkgupdate.integrations.git.driver import merge_contents
from pkgupdate.integrations.git.markers import MarkerForm, write_markers
from pkgupdate.integrations.git.process import Git
from pkgupdate.integrations.git.two_ways import NotStructural, merge_twice
from pkgupdate.merge.decisions import Decision
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.package.kinds import KPTFILE
from pkgupdate.package.merge import merge_trees
from pkgupdate.package.sources import FilteredTree
from pkgupdate.package.tree import FileKind, FileState, Tree

_Files = Mapping[str, FileState]


@dataclass(slots=True)
class Remerge:
    """What a package becomes: files by path (None: gone), and those that still collide."""

    files: dict[str, FileState | None] = field(default_factory=dict)
    colliding: set[str] = field(default_factory=set)


def remerge(sides: Sides[Tree], form: MarkerForm) -> Remerge:
    """Merge a package structurally; colliding files hold conflict markers."""
    result = Remerge()
    rest: Sides[Tree] = sides.map(lambda tree: FilteredTree(tree, lambda path: path != KPTFILE))

    def merge(policy: Policy) -> tuple[_Files, list[Decision]]:
        merged = merge_trees(rest, policy=policy, is_root=False)
        files = {path: _state(rest.local, path) for path in rest.local.entries}
        for change in merged.changes:
            if change.after is None:
                files.pop(change.path, None)
            else:
                files[change.path] = change.after
        return files, merged.decisions

    upstream, local, _ = merge_twice(merge)
    for path in {*upstream, *local, *rest.upstream.entries, *rest.local.entries}:
        theirs, ours = upstream.get(path), local.get(path)
        if theirs == ours:
            result.files[path] = ours
        else:
            result.colliding.add(path)
            result.files[path] = _marked(path, rest.original, theirs, ours, form)
    _merge_kptfile(sides, form, result)
    return result


def stage(git: Git, root: Path, directory: str, result: Remerge) -> None:
    """Write the files of a package and stage those that are merged."""
    start = f"{directory}/" if directory else ""
    for path, state in result.files.items():
        _write(root / (start + path), state)
    done = [start + path for path in result.files if path not in result.colliding]
    names = b"\0".join(map(os.fsencode, done))
    if done:
        options = ("--pathspec-from-file=-", "--pathspec-file-nul")
        git.need("--literal-pathspecs", "add", "-A", "-f", *options, stdin=names)


def _merge_kptfile(sides: Sides[Tree], form: MarkerForm, result: Remerge) -> None:
    original, upstream, local = (
        _state(tree, KPTFILE) if KPTFILE in tree.entries else None for tree in sides
    )
    if upstream is None or local is None:
        if local is not None or original is None:
            result.files[KPTFILE] = local or upstream
        return
    contents = Sides(original.content if original else b"", upstream.content, local.content)
    if upstream.content == contents.original:
        merged = local.content
    elif local.content in (contents.original, upstream.content):
        merged = upstream.content
    else:
        try:
            merged, ways = merge_contents(contents, KPTFILE, form)
        except NotStructural:
            result.colliding.add(KPTFILE)
            return
        if not ways.is_clean:
            result.colliding.add(KPTFILE)
    result.files[KPTFILE] = FileState(local.kind, merged)


def _marked(
    path: str, base: Tree, theirs: FileState | None, ours: FileState | None, form: MarkerForm
) -> FileState | None:
    """A colliding file with markers; what is no text stays as it is on our side."""
    texts = [decode(state.content) if state else "" for state in (theirs, ours)]
    if texts[0] is None or texts[1] is None or (ours and ours.kind is FileKind.LINK):
        return ours
    before = decode(base.read(path)) if path in base.entries else ""
    marked, _ = write_markers(Sides(before or "", texts[0], texts[1]), form)
    kind = ours.kind if ours else FileKind.FILE
    return FileState(kind, marked.encode())


def _state(tree: Tree, path: str) -> FileState:
    return FileState(tree.entries[path].kind, tree.read(path))


def _write(path: Path, state: FileState | None) -> None:
    if state is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    if state.kind is FileKind.LINK:
        temporary.symlink_to(os.fsdecode(state.content))
    else:
        temporary.write_bytes(state.content)
        if state.kind is FileKind.EXEC:
            temporary.chmod(0o755)
    temporary.replace(path)
