"""The differences between two versions of a package as patches, resource by resource."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from pkgupdate.document.stream import Stream, decode
from pkgupdate.document.values import Missing
from pkgupdate.errors import DocumentError
from pkgupdate.merge.sides import Sides
from pkgupdate.package.identity import Identity
from pkgupdate.package.ignore import Ignore
from pkgupdate.package.kinds import KPTFILE, Route, route_of
from pkgupdate.package.match import Resource, match
from pkgupdate.package.tree import FileKind, Tree
from pkgupdate.package.unchanged import without_fetch_marks
from pkgupdate.patch.directives import DELETE, PATCH, REPLACE
from pkgupdate.patch.local import identity_fields, local_patches
from pkgupdate.patch.resources import resource_data
from pkgupdate.schema import SchemaSet

Pair: TypeAlias = tuple[Resource | None, Resource | None]
"""A resource before and after."""


@dataclass(frozen=True, slots=True)
class ResourcePatch:
    """What turns one resource into its other version.

    type: of the patch; `add` is a whole new resource with `$patch: replace`, `delete` a strategic
    patch that removes one. target: names the resource, and its file, where the patch does not.
    secret: does it patch a Secret?
    """

    file: str
    resource: str
    type: Literal["strategic", "merge", "json", "add", "delete"]
    patch: Any = field(repr=False)
    target: dict[str, Any] | None
    secret: bool


@dataclass(frozen=True, slots=True)
class PackagePatches:
    """What turns one version of a package into another.

    others: files that differ too, and hold no resources, so that there is no patch for them.
    """

    patches: list[ResourcePatch]
    others: list[str]


def package_patches(before: Tree, after: Tree) -> PackagePatches:
    """Patches for the resources that differ, Kptfiles included.

    What fetching a package writes into it is left out, as in `differences`.
    """
    ignore = Ignore(before, after)
    changed = sorted(
        path
        for path in {*before.entries, *after.entries}
        if before.entries.get(path) != after.entries.get(path) and not ignore.covers(path)
    )
    old, new = ([r for path in changed for r in _resources(t, path)] for t in (before, after))
    ambiguous = _ambiguous(before, ignore) | _ambiguous(after, ignore)
    schemas = SchemaSet()
    patches = [
        patch
        for original, other in [*_kptfiles(old, new), *_matched(old, new)]
        if (patch := _patch(original, other, schemas, ambiguous))
    ]
    with_resources = {r.path for r in (*old, *new)}
    return PackagePatches(patches, [path for path in changed if path not in with_resources])


def _kptfiles(old: list[Resource], new: list[Resource]) -> Iterator[Pair]:
    """Kptfiles belong together by their place, whatever their packages are called."""
    befores, afters = ({r.path: r for r in side if _is_kptfile(r)} for side in (old, new))
    for path in sorted({*befores, *afters}):
        yield befores.get(path), afters.get(path)


def _matched(old: list[Resource], new: list[Resource]) -> Iterator[Pair]:
    befores, afters = ([r for r in side if not _is_kptfile(r)] for side in (old, new))
    for original, other, _ in match(Sides(befores, afters, []), lambda identity, where: []).units:
        yield original, other


def _is_kptfile(resource: Resource) -> bool:
    return route_of(resource.path) is Route.KPTFILE


def _patch(
    before: Resource | None, after: Resource | None, schemas: SchemaSet, ambiguous: Set[Identity]
) -> ResourcePatch | None:
    known = before or after
    assert known is not None and known.identity is not None
    is_kptfile = _is_kptfile(known)
    target = None
    if is_kptfile or not known.identity.is_named or known.identity in ambiguous:
        fields = {} if is_kptfile else identity_fields(_data(known))
        target = {"path": known.path, **fields}
    secret = any(r and r.identity and r.identity.kind == "Secret" for r in (before, after))
    place = (known.path, str(known.identity))
    if after is None:
        gone = {**identity_fields(_data(known)), PATCH: DELETE}
        return ResourcePatch(*place, "delete", gone, target, secret)
    if before is None:
        return ResourcePatch(*place, "add", {PATCH: REPLACE, **_data(known)}, target, secret)
    patch = local_patches(_data(before), _data(after), schemas)
    if patch is None:
        return None
    if patch.type == "json":
        target = target or patch.document["target"]
        return ResourcePatch(*place, "json", patch.document["patch"], target, secret)
    return ResourcePatch(*place, patch.type, patch.document, target, secret)


def _ambiguous(tree: Tree, ignore: Ignore) -> set[Identity]:
    """The identities that several resources of a package have."""
    paths = [path for path in tree.entries if not ignore.covers(path)]
    counts = Counter(r.identity for path in paths for r in _resources(tree, path) if r.identity)
    return {identity for identity, count in counts.items() if count > 1}


def _resources(tree: Tree, path: str) -> Iterator[Resource]:
    entry = tree.entries.get(path)
    if entry is None or entry.kind in (FileKind.LINK, FileKind.SUBMODULE):
        return
    if route_of(path) not in (Route.RESOURCES, Route.KPTFILE):
        return
    text = decode(tree.read(path))
    for index, part in enumerate(Stream(text, name=path).parts if text is not None else ()):
        resource = Resource(path, index, part)
        if resource.identity:
            yield resource


def _data(resource: Resource) -> dict[str, Any]:
    """The resource as plain data, without what fetching writes into it."""
    try:
        value = without_fetch_marks(resource.part.document.data)
    except DocumentError:
        return {}
    data = None if isinstance(value, Missing) else resource_data(value, resource.path)
    if not isinstance(data, dict):
        return {}
    return _without_fetched_fields(data) if resource.path == KPTFILE else data


def _without_fetched_fields(kptfile: dict[str, Any]) -> dict[str, Any]:
    rest = {k: v for k, v in kptfile.items() if k not in ("upstream", "upstreamLock")}
    metadata = rest.get("metadata")
    if isinstance(metadata, dict):
        rest["metadata"] = {k: v for k, v in metadata.items() if k not in ("name", "namespace")}
    return rest
