"""Looking for a local resource in files that upstream did not touch."""

from __future__ import annotations

from collections.abc import Set

from pkgupdate.package.identity import Identity
from pkgupdate.package.ignore import Ignore
from pkgupdate.package.kinds import Route, route_of
from pkgupdate.package.match import Resource
from pkgupdate.package.sources import Source, Sources
from pkgupdate.package.tree import FileKind


def resources_of(source: Source, path: str) -> list[Resource]:
    """The documents of a file, the empty ones too; none if the file is not there, or is no text."""
    stream = source.stream(path)
    parts = stream.parts if stream else []
    last = len(parts) - 1
    return [Resource(path, i, part, is_last=i == last) for i, part in enumerate(parts)]


class LocalFinder:
    """Finds resources that were moved or added locally.

    Only files that differ from the original are looked at, and of these only those whose bytes
    contain the name; they are read at the first question.
    """

    def __init__(self, sources: Sources, ignore: Ignore) -> None:
        self._sources = sources
        self._ignore = ignore
        self._changed: list[str] | None = None
        self._resources: dict[str, list[Resource]] = {}
        self._left_out: Set[str] = frozenset()

    def leave_out(self, paths: Set[str]) -> None:
        """Do not look into these files from now on."""
        self._left_out = paths

    def find(self, identity: Identity, directory: str | None = None) -> list[Resource]:
        """Resources of this identity, in all files or those of one directory.

        A resource that the original has in the same file is not meant.
        """
        name = identity.name.encode("utf-8", "surrogateescape")
        found: list[Resource] = []
        for path in self._changed_files():
            if path in self._left_out or directory not in (None, path.rpartition("/")[0]):
                continue
            if name not in self._sources.local.read(path):
                continue
            matching = [r for r in self._of(path) if identity in (r.fetched, r.identity)]
            if matching and not self._original_has(path, identity):
                found += matching
        return found

    def _changed_files(self) -> list[str]:
        if self._changed is None:
            local, original = self._sources.local, self._sources.original
            self._changed = [
                path
                for path in sorted(local.paths)
                if route_of(path) in (Route.RESOURCES, Route.JSON)
                and (entry := local.entry(path)) is not None
                and entry.kind is not FileKind.LINK
                and entry != original.entry(path)
                and not self._ignore.covers(path)
            ]
        return self._changed

    def _of(self, path: str) -> list[Resource]:
        """The same objects at every question, as pairing goes by them."""
        if path not in self._resources:
            self._resources[path] = resources_of(self._sources.local, path)
        return self._resources[path]

    def _original_has(self, path: str, identity: Identity) -> bool:
        return any(r.identity == identity for r in resources_of(self._sources.original, path))
