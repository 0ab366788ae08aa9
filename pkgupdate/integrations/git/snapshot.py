"""Trees of the repository itself: the index and commits, as the merge and the checks see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pkgupdate.integrations.git.process import Git
from pkgupdate.package.tree import FileEntry, FileKind

_KINDS = {
    "100644": FileKind.FILE,
    "100755": FileKind.EXEC,
    "120000": FileKind.LINK,
    "160000": FileKind.SUBMODULE,
}


class GitTree:
    """Files by path, with contents that are read from the object store when first needed.

    Contents are read for the whole tree at once, in one process.
    """

    def __init__(self, git: Git, entries: Mapping[str, FileEntry]) -> None:
        self._git = git
        self._entries = entries
        self._blobs: dict[str, bytes] | None = None

    @property
    def entries(self) -> Mapping[str, FileEntry]:
        """All files by path."""
        return self._entries

    def read(self, path: str) -> bytes:
        """The content of a file, or the target of a link."""
        if self._blobs is None:
            wanted = {e.oid for e in self._entries.values() if e.kind is not FileKind.SUBMODULE}
            self._blobs = self._git.read_blobs(sorted(wanted))
        return self._blobs[self._entries[path].oid]

    def below(self, directory: str, *, without: Iterable[str] = ()) -> GitTree:
        """The files of a directory, by their paths in it; `without` directories inside it."""
        start = f"{directory}/" if directory else ""
        left_out = tuple(f"{inner}/" for inner in without)
        return GitTree(
            self._git,
            {
                path[len(start) :]: entry
                for path, entry in self._entries.items()
                if path.startswith(start) and not path.startswith(left_out)
            },
        )


def index_tree(git: Git) -> GitTree:
    """What is staged. Files that are not merged yet are left out."""
    entries = {}
    for line in git.need("ls-files", "-s", "-z").names:
        about, _, path = line.partition("\t")
        mode, oid, stage = about.split(" ")
        if stage == "0" and mode in _KINDS:
            entries[path] = FileEntry(_KINDS[mode], oid)
    return GitTree(git, entries)


def commit_tree(git: Git, commit: str) -> GitTree:
    """The files of a commit; none if `commit` is empty."""
    entries = {}
    listing = git.need("ls-tree", "-r", "-z", "--full-tree", commit).names if commit else []
    for line in listing:
        about, _, path = line.partition("\t")
        mode, _, oid = about.split(" ")
        if mode in _KINDS:
            entries[path] = FileEntry(_KINDS[mode], oid)
    return GitTree(git, entries)
