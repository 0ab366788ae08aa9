"""The merge that is going on in a repository, and the packages it touches."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pkgupdate.integrations.git.process import Git
from pkgupdate.integrations.git.snapshot import GitTree, commit_tree, index_tree
from pkgupdate.package.kinds import KPTFILE

_HEADS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD")
_GITHEAD = re.compile(r"GITHEAD_([0-9a-f]{40,64})")


@dataclass(frozen=True, slots=True)
class MergeState:
    """Trees of a merge: what is staged, the common base, and both sides.

    theirs holds more than one tree in a merge of several branches at once.
    """

    index: GitTree
    base: GitTree
    ours: GitTree
    theirs: tuple[GitTree, ...]

    def touched(self) -> set[str]:
        """The paths that the merge brought, or should have brought, to our side."""
        paths = _differing(self.ours, self.index)
        for side in self.theirs:
            paths |= _differing(self.base, side)
        return paths

    def packages(self) -> dict[str, set[str]]:
        """The directories of the touched packages, each with the packages inside it."""
        trees = (self.index, self.base, self.ours, *self.theirs)
        known = package_directories(path for tree in trees for path in tree.entries)
        found = {directory_of(path, known) for path in self.touched()} - {None}
        return {
            directory: {k for k in known if k != directory and is_below(k, directory)}
            for directory in sorted(d for d in found if d is not None)
        }


def read_merge_state(git: Git) -> MergeState | None:
    """The merge (or cherry-pick, or step of a rebase) that is going on; None if there is none."""
    heads, is_pick = _heads(git)
    if not heads or git.run("rev-parse", "-q", "--verify", "HEAD").status:
        return None
    if is_pick:
        base = git.run("rev-parse", "-q", "--verify", f"{heads[0]}^").text
    else:
        base = git.run("merge-base", "HEAD", heads[0]).text.partition("\n")[0]
    return MergeState(
        index_tree(git),
        commit_tree(git, base),
        commit_tree(git, "HEAD"),
        tuple(commit_tree(git, head) for head in heads),
    )


def package_directories(paths: Iterable[str]) -> set[str]:
    """The directories (`""` for the root) that hold a Kptfile."""
    return {p.rpartition("/")[0] for p in paths if p.rpartition("/")[2] == KPTFILE}


def directory_of(path: str, packages: set[str]) -> str | None:
    """The innermost package around a file; None if it is in none."""
    return next((parent for parent in _parents(path) if parent in packages), None)


def is_below(directory: str, outer: str) -> bool:
    """Is a directory inside another one, at any depth?"""
    return not outer or directory.startswith(outer + "/")


def _parents(path: str) -> Iterator[str]:
    while path:
        path = path.rpartition("/")[0]
        yield path


def _heads(git: Git) -> tuple[list[str], bool]:
    """The commits being merged, and whether each is only a change to be picked.

    While the hook of a merge runs, Git has not written MERGE_HEAD yet; it names the commits in its
    own environment.
    """
    names = [word for head in _HEADS for word in ("--git-path", head)]
    paths = git.need("rev-parse", *names).text.split("\n")
    for head, name in zip(_HEADS, paths, strict=True):
        path = (git.directory or Path()) / name
        if path.is_file():
            return path.read_text().split(), head != "MERGE_HEAD"
    matches = (_GITHEAD.fullmatch(name) for name in os.environ)
    return sorted(match[1] for match in matches if match), False


def _differing(before: GitTree, after: GitTree) -> set[str]:
    paths = before.entries.keys() | after.entries.keys()
    return {path for path in paths if before.entries.get(path) != after.entries.get(path)}
