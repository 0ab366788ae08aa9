"""Put a file of patches on files of resources, every byte kept that no patch is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from pkgupdate.document.stream import Stream
from pkgupdate.package.identity import Identity, identity_of
from pkgupdate.patch import json_merge, json_patch, strategic
from pkgupdate.patch.directives import DELETE, PATCH, REPLACE
from pkgupdate.patch.errors import PatchError
from pkgupdate.patch.local import to_yaml
from pkgupdate.patch.resources import ByIdentity, kubernetes_data, resource_identity
from pkgupdate.patch.values import Data, Map
from pkgupdate.patch.writeback import write_back
from pkgupdate.schema import SchemaSet

PatchType: TypeAlias = Literal["strategic", "merge", "json"]


@dataclass(frozen=True, slots=True)
class FilePatch:
    """One patch of a file. target: the resource that it names, None if it names none."""

    patch: Data = field(repr=False)
    target: Identity | None


@dataclass(slots=True)
class _Place:
    """A resource in a file; `data` is None once it is deleted."""

    file: str
    part: int
    data: Map | None = field(repr=False)
    is_changed: bool = False


def read_patches(text: str, *, name: str = "") -> list[FilePatch]:
    """The patches of a file: YAML or JSON, one per document.

    A map is a strategic or JSON merge patch and may name its resource by apiVersion, kind and
    metadata. A list is a JSON patch; it may stand under `patch`, beside a `target`.
    Raises DocumentError (`yaml-syntax`), PatchError (`patch-format`).
    """
    patches = []
    for part in Stream(text, name=name).parts:
        if not part.is_empty:
            data = kubernetes_data(part.document.data)
            if not isinstance(data, dict | list):
                raise PatchError("patch-format", "a patch is a map or a list", why=f"in {name}")
            if isinstance(data, dict) and data.keys() == {"target", "patch"}:
                target = data["target"] if isinstance(data["target"], dict) else {}
                patches.append(FilePatch(data["patch"], _named(target)))
            else:
                patches.append(FilePatch(data, _named(data) if isinstance(data, dict) else None))
    return patches


def apply_patches(
    files: Mapping[str, str],
    patches: list[FilePatch],
    schemas: SchemaSet,
    *,
    patch_type: PatchType | None = None,
) -> dict[str, str | None]:
    """The new texts of the files that change; None for one that loses its last resource.

    patch_type: of the patches that are maps; by default strategic for Kubernetes' own kinds and
        merge for others. `$patch: delete` at the top of a patch deletes the resource, and
        `$patch: replace` adds it if there is none.
    Raises PatchError: `patch-target`, and the codes of the single kinds of patches, with file and
    resource; DocumentError: `edit-failed`.
    """
    streams = {path: Stream(text, name=path) for path, text in files.items()}
    places = [place for path, stream in streams.items() for place in _places(path, stream)]
    index = ByIdentity((resource_identity(place.data or {}), place) for place in places)
    added: list[Map] = []
    for patch in patches:
        place = _find(patch, places, index)
        if place is not None:
            place.data = _patched(place, patch, schemas, patch_type)
            place.is_changed = True
        elif _directive(patch) == REPLACE:
            added.append({k: v for k, v in patch.patch.items() if k != PATCH})
        else:
            raise _no_target(f"there is no {patch.target}" if patch.target else "")
    changed = _rendered(streams, places, schemas)
    return changed | _with_additions(files, changed, added)


def _places(path: str, stream: Stream) -> Iterator[_Place]:
    for i, part in enumerate(stream.parts):
        if not part.is_empty and identity_of(part.document.data) is not None:
            yield _Place(path, i, kubernetes_data(part.document.data))


def _find(patch: FilePatch, places: list[_Place], index: ByIdentity[_Place]) -> _Place | None:
    """The resource that the patch is for; None if it names one that is not there."""
    if patch.target is not None:
        found = index.find(patch.target)
        return found if found is not None and found.data is not None else None
    if len(places) != 1:
        raise _no_target(f"it names no resource, and there are {len(places)}")
    return places[0]


def _patched(
    place: _Place, patch: FilePatch, schemas: SchemaSet, patch_type: PatchType | None
) -> Map | None:
    data = place.data
    if data is None or _directive(patch) == DELETE:
        return None
    api_version, kind = str(data.get("apiVersion")), str(data.get("kind"))
    is_builtin = schemas.is_builtin(api_version, kind)
    try:
        if isinstance(patch.patch, list):
            result = json_patch.apply(data, patch.patch)
        elif patch_type == "merge" or (
            not is_builtin and patch_type is None and not _directive(patch)
        ):
            result = json_merge.apply(data, patch.patch)
        elif is_builtin or _directive(patch):
            result = strategic.apply(data, patch.patch, schemas.for_resource(api_version, kind))
        else:
            raise PatchError(
                "patch-kind",
                f"{kind} is no type of Kubernetes itself, and takes no strategic merge patch",
                hint="use --type merge",
            )
    except PatchError as error:
        resource = str(resource_identity(data) or "")
        error.where = replace(error.where, file=place.file, resource=resource)
        raise
    if not isinstance(result, dict):
        raise _no_target("it would leave no resource")
    return result


def _rendered(
    streams: Mapping[str, Stream], places: list[_Place], schemas: SchemaSet
) -> dict[str, str | None]:
    texts: dict[str, str | None] = {}
    for path, stream in streams.items():
        mine = [place for place in places if place.file == path]
        replacements: dict[int, str | None] = {}
        for place in mine:
            if place.is_changed:
                replacements[place.part] = _new_text(stream, place, schemas)
        if replacements:
            gone = all(place.data is None for place in mine)
            texts[path] = None if gone else stream.render(replacements)
    return texts


def _new_text(stream: Stream, place: _Place, schemas: SchemaSet) -> str | None:
    if place.data is None:
        return None
    schema = schemas.for_resource(str(place.data.get("apiVersion")), str(place.data.get("kind")))
    return write_back(stream.parts[place.part].document, place.data, schema)


def _with_additions(
    files: Mapping[str, str], changed: Mapping[str, str | None], added: list[Map]
) -> dict[str, str | None]:
    """Added resources: at the end of the file if there is but one, else in files of their own."""
    if not added:
        return {}
    if len(files) == 1:
        path, text = next(iter(files.items()))
        stream = Stream(changed.get(path, text) or "", name=path)
        additions = [(len(stream.parts) - 1, to_yaml([resource])) for resource in added]
        return {path: stream.render({}, additions)}
    return {_file_name(resource, files): to_yaml([resource]) for resource in added}


def _file_name(resource: Map, taken: Mapping[str, str]) -> str:
    identity = resource_identity(resource)
    words = (identity.kind, identity.namespace, identity.name) if identity else ()
    name = "-".join(word.replace("/", "-") for word in words if word).lower()
    return f"{name}.yaml" if f"{name}.yaml" not in taken else f"{name}-patched.yaml"


def _named(fields: Map) -> Identity | None:
    identity = resource_identity(fields)
    return identity if identity is not None and identity.is_named else None


def _directive(patch: FilePatch) -> Data:
    return patch.patch.get(PATCH) if isinstance(patch.patch, dict) else None


def _no_target(why: str) -> PatchError:
    return PatchError(
        "patch-target",
        "the patch fits no resource",
        why=why,
        hint="name the resource in the patch: apiVersion, kind, metadata.name",
    )
