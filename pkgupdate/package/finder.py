"""Looking for a local resource in files that upstream did not touch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set
from functools import cached_property

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

    Only files that differ from the original are looked at; those of a directory are read and
    indexed at the first question about it.
    """

    def __init__(self, sources: Sources, ignore: Ignore) -> None:
        self._sources = sources
        self._ignore = ignore
        self._index: dict[str | None, dict[Identity, list[Resource]]] = {}
        self._resources: dict[str, list[Resource]] = {}
        self._original: dict[str, set[Identity | None]] = {}
        self._found: dict[tuple[Identity, str | None], list[Resource]] = {}
        self._left_out: Set[str] = frozenset()

    def leave_out(self, paths: Set[str]) -> None:
        """Do not look into these files from now on."""
        self._left_out = paths
        self._found.clear()

    def find(self, identity: Identity, directory: str | None = None) -> list[Resource]:
        """Resources of this identity, in all files or those of one directory.

        A resource that the original has in the same file is not meant. The same objects come at
        every question, as pairing goes by them.
        """
        question = (identity, directory)
        if question not in self._found:
            self._found[question] = [
                resource
                for resource in self._index_of(directory).get(identity, ())
                if resource.path not in self._left_out
                and identity not in self._original_identities(resource.path)
            ]
        return self._found[question]

    @cached_property
    def _directories(self) -> dict[str, list[str]]:
        """The local files that may hold resources, by directory."""
        directories: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._sources.local.paths):
            if route_of(path) in (Route.RESOURCES, Route.JSON) and not self._ignore.covers(path):
                directories[path.rpartition("/")[0]].append(path)
        return directories

    def _index_of(self, directory: str | None) -> dict[Identity, list[Resource]]:
        if directory not in self._index:
            index: dict[Identity, list[Resource]] = defaultdict(list)
            for each in self._directories if directory is None else [directory]:
                for resource in self._resources_in(each):
                    for identity in {resource.fetched, resource.identity} - {None}:
                        assert identity is not None
                        index[identity].append(resource)
            self._index[directory] = index
        return self._index[directory]

    def _resources_in(self, directory: str) -> list[Resource]:
        if directory not in self._resources:
            self._resources[directory] = [
                resource
                for path in self._directories.get(directory, ())
                if self._is_own(path)
                for resource in resources_of(self._sources.local, path)
            ]
        return self._resources[directory]

    def _is_own(self, path: str) -> bool:
        entry = self._sources.local.entry(path)
        is_link = entry is None or entry.kind is FileKind.LINK
        return not is_link and entry != self._sources.original.entry(path)

    def _original_identities(self, path: str) -> set[Identity | None]:
        if path not in self._original:
            resources = resources_of(self._sources.original, path)
            self._original[path] = {resource.identity for resource in resources}
        return self._original[path]
