"""`.krmignore`: files that are not read as resources (syntax and scope of `.gitignore`).

Ignored files stay part of the package: they are merged as plain text or binary files. A pattern is
relative to the directory of its file, as in kpt.
"""

from __future__ import annotations

from pkgupdate.package.ignore_patterns import Rules
from pkgupdate.package.tree import FileKind, Tree

NAME = ".krmignore"


class Ignore:
    """The patterns of all `.krmignore` files of some trees together."""

    def __init__(self, *trees: Tree) -> None:
        """Read the patterns; of a path that lies in several trees, all versions count."""
        self._rules: dict[str, list[Rules]] = {}
        for tree in trees:
            for path in tree.entries:
                if path.rpartition("/")[2] == NAME and tree.entries[path].kind is not FileKind.LINK:
                    self._add(path, tree.read(path))

    def _add(self, path: str, content: bytes) -> None:
        lines = content.decode("utf-8", "replace").splitlines()
        directory = path.rpartition("/")[0]
        self._rules.setdefault(directory, []).append(Rules(lines))

    def covers(self, path: str) -> bool:
        """Is the file left out when resources are read?"""
        if not self._rules:
            return False
        directory = path
        while directory:
            directory = directory.rpartition("/")[0]
            below = path[len(directory) + 1 :] if directory else path
            if any(rules.covers(below) for rules in self._rules.get(directory, ())):
                return True
        return False
