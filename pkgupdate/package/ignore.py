"""`.krmignore`: files that are not read as resources (syntax and scope of `.gitignore`).

Ignored files stay part of the package: they are merged as plain text or binary files. A pattern is
relative to the directory of its file, as in kpt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pkgupdate.package.tree import FileKind, Tree

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAME = ".krmignore"


class Ignore:
    """The patterns of all `.krmignore` files of some trees together."""

    def __init__(self, *trees: Tree) -> None:
        """Read the patterns; of a path that lies in several trees, all versions count."""
        self._specs: dict[str, list[GitIgnoreSpec]] = {}
        for tree in trees:
            for path in tree.entries:
                if path.rpartition("/")[2] == NAME and tree.entries[path].kind is not FileKind.LINK:
                    self._add(path, tree.read(path))

    def _add(self, path: str, content: bytes) -> None:
        from pathspec import GitIgnoreSpec

        lines = content.decode("utf-8", "replace").splitlines()
        directory = path.rpartition("/")[0]
        self._specs.setdefault(directory, []).append(GitIgnoreSpec.from_lines(lines))

    def covers(self, path: str) -> bool:
        """Is the file left out when resources are read?"""
        if not self._specs:
            return False
        directory = path
        while directory:
            directory = directory.rpartition("/")[0]
            below = path[len(directory) + 1 :] if directory else path
            if any(spec.match_file(below) for spec in self._specs.get(directory, ())):
                return True
        return False
