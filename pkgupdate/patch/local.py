"""What a local package changed, as patches for the resources as they were fetched."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from pkgupdate.document.values import from_plain
from pkgupdate.patch import json_merge, json_patch, strategic
from pkgupdate.patch.directives import DELETE, PATCH, REPLACE
from pkgupdate.patch.errors import PatchError
from pkgupdate.patch.resources import ByIdentity, resource_identity
from pkgupdate.patch.values import Data, Map, same
from pkgupdate.schema import Schema, SchemaSet


@dataclass(frozen=True, slots=True)
class LocalPatch:
    """type: of the patch. document: the patch as it stands in a file of patches.

    Strategic and JSON merge patches name their resource themselves, by apiVersion, kind and
    metadata; a JSON patch stands under `patch`, beside a `target` with these.
    """

    type: Literal["strategic", "merge", "json"]
    document: Map = field(repr=False)


def local_patches(original: Map, local: Map, schemas: SchemaSet) -> LocalPatch | None:
    """The patch that makes `local` out of `original`, the resource as it was fetched.

    None if the two are equal. Kubernetes' own kinds get a strategic merge patch, others a JSON
    merge patch. Where that cannot carry the change (a field set to null, say), it is a whole
    resource with `$patch: replace`, or a JSON patch; that is also the patch for a renamed resource.
    """
    if same(original, local):
        return None
    api_version, kind = str(local.get("apiVersion")), str(local.get("kind"))
    if identity_fields(original) == identity_fields(local):
        if schemas.is_builtin(api_version, kind):
            patch = _strategic(original, local, schemas.for_resource(api_version, kind))
            return LocalPatch("strategic", patch)
        patch = _with_identity(json_merge.create(original, local), local)
        if same(json_merge.apply(original, patch), local):
            return LocalPatch("merge", patch)
    operations = json_patch.create(original, local)
    return LocalPatch("json", {"target": identity_fields(original), "patch": operations})


def package_patches(
    original: Iterable[Map], local: Iterable[Map], schemas: SchemaSet
) -> list[LocalPatch]:
    """The patches that make the resources of `local` out of those of `original`.

    In the order of `local`; an added resource is a whole one with `$patch: replace`, a deleted one
    has `$patch: delete` and comes last.
    """
    fetched = list(original)
    sources = ByIdentity((resource_identity(resource), i) for i, resource in enumerate(fetched))
    patches: list[LocalPatch | None] = []
    used: set[int] = set()
    for resource in local:
        identity = resource_identity(resource)
        source = sources.find(identity) if identity else None
        if source is None or source in used:
            patches.append(LocalPatch("strategic", {PATCH: REPLACE, **resource}))
        else:
            used.add(source)
            patches.append(local_patches(fetched[source], resource, schemas))
    patches += [
        LocalPatch("strategic", {PATCH: DELETE, **identity_fields(resource)})
        for i, resource in enumerate(fetched)
        if i not in used
    ]
    return [patch for patch in patches if patch is not None]


def render_patches(patches: Iterable[LocalPatch]) -> str:
    """A file of patches, as `pkgupdate patch apply` reads it."""
    return to_yaml(patch.document for patch in patches)


def to_yaml(documents: Iterable[Data]) -> str:
    """Plain data as a stream of YAML documents."""
    from pkgupdate.document.render import block_lines, flow_text

    texts = []
    for document in documents:
        value = from_plain(document)
        lines = block_lines(value) if document else [flow_text(value)]
        texts.append("\n".join(lines) + "\n")
    return "---\n".join(texts)


def identity_fields(resource: Map) -> dict[str, Any]:
    """apiVersion and kind, and the metadata that name the resource."""
    metadata = resource.get("metadata")
    fields = metadata if isinstance(metadata, dict) else {}
    keys = ("name", "generateName", "namespace")
    names = {key: fields[key] for key in keys if fields.get(key) is not None}
    return {
        "apiVersion": resource.get("apiVersion"),
        "kind": resource.get("kind"),
        "metadata": names,
    }


def _strategic(original: Map, local: Map, schema: Schema) -> Map:
    try:
        patch = _with_identity(strategic.create_two_way(original, local, schema), local)
        if same(strategic.apply(original, patch, schema), local):
            return patch
    except PatchError:
        pass
    return {PATCH: REPLACE, **local}


def _with_identity(patch: Map, resource: Map) -> Map:
    identity = identity_fields(resource)
    metadata = patch.get("metadata")
    fields = metadata if isinstance(metadata, dict) else {}
    return {**identity, **patch, "metadata": {**identity["metadata"], **fields}}
