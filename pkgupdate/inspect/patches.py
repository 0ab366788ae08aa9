"""The differences between two versions of a package as patches, resource by resource."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pkgupdate.document.stream import Stream, decode
from pkgupdate.document.values import Missing
from pkgupdate.errors import DocumentError
from pkgupdate.merge.sides import Sides
from pkgupdate.package.ignore import Ignore
from pkgupdate.package.kinds import Route, route_of
from pkgupdate.package.match import Resource, match
from pkgupdate.package.tree import FileKind, Tree
from pkgupdate.package.unchanged import without_fetch_marks
from pkgupdate.patch.local import identity_fields, local_patches
from pkgupdate.patch.resources import kubernetes_data
from pkgupdate.schema import SchemaSet


@dataclass(frozen=True, slots=True)
class ResourcePatch:
    """What turns one resource into its other version.

    type: of the patch; `add` is a whole new resource, `delete` a strategic patch that removes one.
    secret: does it patch a Secret?
    """

    file: str
    resource: str
    type: Literal["strategic", "merge", "json", "add", "delete"]
    document: dict[str, Any]
    secret: bool


def package_patches(before: Tree, after: Tree) -> Iterator[ResourcePatch]:
    """Patches for the resources that differ. Files that are no resources have none."""
    ignore = Ignore(before, after)
    changed = sorted(
        path
        for path in {*before.entries, *after.entries}
        if route_of(path) is Route.RESOURCES
        and before.entries.get(path) != after.entries.get(path)
        and not ignore.covers(path)
    )
    old, new = ([r for path in changed for r in _resources(t, path)] for t in (before, after))
    schemas = SchemaSet()
    for original, other, _ in match(Sides(old, new, []), lambda identity, directory: []).units:
        if patch := _patch(original, other, schemas):
            yield patch


def _patch(
    before: Resource | None, after: Resource | None, schemas: SchemaSet
) -> ResourcePatch | None:
    known = after or before
    assert known is not None
    secret = any(r and r.identity and r.identity.kind == "Secret" for r in (before, after))
    place = (known.path, str(known.identity or ""))
    if after is None:
        assert before is not None
        document = {**identity_fields(_data(before)), "$patch": "delete"}
        return ResourcePatch(*place, "delete", document, secret)
    if before is None:
        return ResourcePatch(*place, "add", _data(after), secret)
    patch = local_patches(_data(before), _data(after), schemas)
    return ResourcePatch(*place, patch.type, patch.document, secret) if patch else None


def _resources(tree: Tree, path: str) -> Iterator[Resource]:
    entry = tree.entries.get(path)
    if entry is None or entry.kind is FileKind.LINK:
        return
    text = decode(tree.read(path))
    for index, part in enumerate(Stream(text, name=path).parts if text is not None else ()):
        resource = Resource(path, index, part)
        if resource.identity:
            yield resource


def _data(resource: Resource) -> dict[str, Any]:
    """The resource as plain data, without what `kpt pkg get` writes into each."""
    try:
        value = without_fetch_marks(resource.part.document.data)
    except DocumentError:
        return {}
    data = None if isinstance(value, Missing) else kubernetes_data(value)
    return data if isinstance(data, dict) else {}
