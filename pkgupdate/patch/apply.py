"""Put a file of patches on files of resources, every byte kept that no patch is about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pkgupdate.document.stream import Stream
from pkgupdate.errors import Location
from pkgupdate.package.identity import Identity, identity_of
from pkgupdate.package.upstream_paths import path_fault
from pkgupdate.patch import json_merge, json_patch, strategic
from pkgupdate.patch.directives import DELETE, PATCH, REPLACE
from pkgupdate.patch.errors import PatchError
from pkgupdate.patch.local import to_yaml
from pkgupdate.patch.resources import (
    ByIdentity,
    kubernetes_data,
    resource_data,
    resource_identity,
)
from pkgupdate.patch.secrets import is_redacted
from pkgupdate.patch.values import Data, Map
from pkgupdate.patch.writeback import write_back
from pkgupdate.schema import SchemaSet

PatchType: TypeAlias = Literal["strategic", "merge", "json"]


@dataclass(frozen=True, slots=True)
class FilePatch:
    """One patch of a file.

    target: the resource that it names, None if it names none. path: the file of the package that
    holds the resource; empty if that is for the target alone to tell.
    """

    patch: Data = field(repr=False)
    target: Identity | None
    path: str = ""


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
    metadata. Any patch may stand under `patch`, beside a `target` that names its resource, and its
    file by `path`. A list is a JSON patch.
    Raises DocumentError (`yaml-syntax`), PatchError (`patch-format`, `patch-hidden`).
    """
    patches = []
    for part in Stream(text, name=name).parts:
        if not part.is_empty:
            data = kubernetes_data(part.document.data)
            patches.append(_read_patch(data, name))
    return patches


def _read_patch(data: Data, name: str) -> FilePatch:
    target: Map = data if isinstance(data, dict) else {}
    path = ""
    if target.keys() == {"target", "patch"}:
        target, data = (target[key] for key in ("target", "patch"))
        target = target if isinstance(target, dict) else {}
        path = str(target.get("path") or "")
    if not isinstance(data, dict | list):
        raise PatchError("patch-format", "a patch is a map or a list", why=f"in {name}")
    if path and (fault := path_fault(path)):
        raise PatchError(
            "patch-format", f"the patch is for no file of a package: {path!a}", why=fault
        )
    if is_redacted(data):
        raise PatchError(
            "patch-hidden",
            "the patch has `(hidden)` in place of what it should set",
            where=Location(name, resource=str(resource_identity(target) or "")),
            hint="make it with `pkgupdate diff --format patches --show-secrets`",
        )
    identity = resource_identity(target)
    return FilePatch(data, identity if path or (identity and identity.is_named) else None, path)


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
    find = _Finder(places)
    added: list[tuple[str, Map]] = []
    for patch in patches:
        place = find(patch)
        if place is not None:
            place.data = _patched(place, patch, schemas, patch_type)
            place.is_changed = True
        elif _directive(patch) == REPLACE:
            added.append((patch.path, {k: v for k, v in patch.patch.items() if k != PATCH}))
        else:
            raise _no_target(f"there is no {patch.target}" if patch.target else "")
    changed = _rendered(streams, places, schemas)
    return changed | _with_additions(files, changed, added)


def _places(path: str, stream: Stream) -> Iterator[_Place]:
    for i, part in enumerate(stream.parts):
        if not part.is_empty and identity_of(part.document.data) is not None:
            yield _Place(path, i, resource_data(part.document.data, path))


class _Finder:
    """Finds the resource that a patch is for."""

    def __init__(self, places: list[_Place]) -> None:
        self._places = places
        identities = [(resource_identity(place.data or {}), place) for place in places]
        self._index = ByIdentity(identities)
        self._files: dict[str, list[tuple[Identity | None, _Place]]] = defaultdict(list)
        for identity, place in identities:
            self._files[place.file].append((identity, place))

    def __call__(self, patch: FilePatch) -> _Place | None:
        """None if the patch names a resource that is not there. Raises PatchError."""
        if patch.path:
            return self._in_file(patch.path, patch.target)
        if patch.target is not None:
            found = self._index.find(patch.target)
            return found if found is not None and found.data is not None else None
        if len(self._places) != 1:
            raise _no_target(f"it names no resource, and there are {len(self._places)}")
        return self._places[0]

    def _in_file(self, path: str, target: Identity | None) -> _Place | None:
        """What the target leaves out (a name, say) may be anything there."""
        found = [
            place
            for identity, place in self._files.get(path, ())
            if place.data is not None and (target is None or _fits(target, identity))
        ]
        if len(found) > 1:
            raise _no_target(f"{path} holds {len(found)} resources that fit")
        return found[0] if found else None


def _fits(target: Identity, identity: Identity | None) -> bool:
    return (
        identity is not None
        and (target.group, target.kind) == (identity.group, identity.kind)
        and target.name in ("", identity.name)
        and target.namespace in ("", identity.namespace)
    )


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
        error.where = error.where._replace(file=place.file, resource=resource)
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
    files: Mapping[str, str], changed: Mapping[str, str | None], added: list[tuple[str, Map]]
) -> dict[str, str | None]:
    """Added resources: in the file that the patch names; else at the end of the only file, or in
    files of their own.
    """
    texts: dict[str, str | None] = {}
    for path, resource in added:
        name = path or (next(iter(files)) if len(files) == 1 else _file_name(resource, files))
        present = texts.get(name, changed.get(name, files.get(name)))
        stream = Stream(present or "", name=name)
        addition = (len(stream.parts) - 1, to_yaml([resource]))
        texts[name] = stream.render({}, [addition]) if present else addition[1]
    return texts


def _file_name(resource: Map, taken: Mapping[str, str]) -> str:
    identity = resource_identity(resource)
    words = (identity.kind, identity.namespace, identity.name) if identity else ()
    name = "-".join(word.replace("/", "-") for word in words if word).lower()
    return f"{name}.yaml" if f"{name}.yaml" not in taken else f"{name}-patched.yaml"


def _directive(patch: FilePatch) -> Data:
    return patch.patch.get(PATCH) if isinstance(patch.patch, dict) else None


def _no_target(why: str) -> PatchError:
    return PatchError(
        "patch-target",
        "the patch fits no resource",
        why=why,
        hint="name the resource in the patch: apiVersion, kind, metadata.name",
    )
