"""The schemas of a merge: Kubernetes' own, and those of CRDs in the package, if they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from pkgupdate.document.values import to_plain
from pkgupdate.errors import DocumentError
from pkgupdate.package.ignore import Ignore
from pkgupdate.package.kinds import Route, route_of
from pkgupdate.package.sources import Source, Sources
from pkgupdate.package.tree import FileKind
from pkgupdate.schema import Schema, SchemaEntry, SchemaSet
from pkgupdate.schema.deferred import Deferred

_MARK = "CustomResourceDefinition"


class PackageSchemas:
    """Looks for CRDs when a list changed in a resource of a kind that Kubernetes does not know."""

    def __init__(
        self,
        sources: Sources,
        changed: Iterable[str],
        ignore: Ignore,
        entries: Iterable[SchemaEntry],
    ) -> None:
        """Name where to look: upstream's `changed` files, and all local ones.

        entries: list rules of the policy.
        """
        self._sources = sources
        self._changed = sorted(changed)
        self._ignore = ignore
        entries = tuple(entries)
        self._builtin = SchemaSet(entries)
        self._all = _LateSet(lambda: SchemaSet(entries, self._definitions()))

    def for_resource(self, api_version: str, kind: str) -> SchemaSet:
        """The set that knows most about this kind."""
        if not kind or self._builtin.for_resource(api_version, kind).is_known:
            return self._builtin
        return self._all

    def is_builtin(self, group: str, kind: str) -> bool:
        """Is this a kind, in whatever version, for which no CRD is looked for?"""
        return self.for_resource(f"{group}/v1".removeprefix("/"), kind) is self._builtin

    def _definitions(self) -> Iterator[object]:
        from pkgupdate.package.workers import refuse_in_copy

        refuse_in_copy()  # files may come through a pipe of Git's, and what is read is counted
        yield from self._definitions_in(self._sources.upstream, self._changed)
        yield from self._definitions_in(self._sources.local, sorted(self._sources.local.paths))

    def _definitions_in(self, source: Source, paths: Iterable[str]) -> Iterator[object]:
        for path in paths:
            if route_of(path) not in (Route.RESOURCES, Route.JSON) or self._ignore.covers(path):
                continue
            entry = source.entry(path)
            if entry is None or entry.kind is FileKind.LINK:
                continue
            if _MARK.encode() not in source.read(path):
                continue
            stream = source.stream(path)
            for part in stream.parts if stream else ():
                if _MARK in part.text:
                    try:
                        yield to_plain(part.document.data)
                    except DocumentError:
                        continue


class _LateSet(SchemaSet):
    """A set that is made when a list asks how it merges."""

    def __init__(self, make: Callable[[], SchemaSet]) -> None:
        super().__init__()
        self._make_set = make

    def for_resource(self, api_version: str, kind: str) -> Schema:
        return Deferred(lambda: self._set.for_resource(api_version, kind))

    @cached_property
    def _set(self) -> SchemaSet:
        return self._make_set()
