"""`pkgupdate patch create` and `patch apply`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pkgupdate.cli import console

if TYPE_CHECKING:
    from pkgupdate.patch.values import Map
    from pkgupdate.schema import SchemaSet


class PatchType(StrEnum):
    """The kinds of patches, by kubectl's names."""

    STRATEGIC = "strategic"
    MERGE = "merge"
    JSON = "json"


class PatchFormat(StrEnum):
    """How a patch is printed."""

    YAML = "yaml"
    JSON = "json"


_FILE = "A file with one resource, or `-` for stdin."


def create(
    original: Annotated[str, typer.Option(help=f"The resource as it was. {_FILE}")],
    modified: Annotated[str, typer.Option(help=f"The resource as it shall be. {_FILE}")],
    current: Annotated[
        str | None,
        typer.Option(help="The live object: make a three-way patch that keeps what only it has."),
    ] = None,
    patch_type: Annotated[
        PatchType, typer.Option("--type", help="The kind of patch.")
    ] = PatchType.STRATEGIC,
    overwrite: Annotated[
        bool,
        typer.Option(help="Overwrite what the live object changed, or fail (--current only)."),
    ] = True,
    form: Annotated[PatchFormat, typer.Option("--format", help="YAML or JSON.")] = PatchFormat.YAML,
) -> None:
    """Make a patch out of two versions of a resource, and print it.

    The patch is printed in full, a Secret's values included.
    """
    import json

    from pkgupdate.patch.local import to_yaml
    from pkgupdate.schema import SchemaSet

    sides = [_resource(original), _resource(modified)]
    if current is not None:
        sides.append(_resource(current))
    patch = _created(sides, patch_type, SchemaSet(), overwrite=overwrite)
    if form is PatchFormat.JSON:
        console.result(json.dumps(patch, indent=2, ensure_ascii=False) + "\n")
    else:
        console.result(to_yaml([patch]))


def apply(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file, or the package's folder, to change.")
    ],
    patch: Annotated[str, typer.Option(help="The file with the patches, or `-` for stdin.")],
    patch_type: Annotated[
        PatchType | None,
        typer.Option(
            "--type",
            help="The kind of patch. By default strategic for Kubernetes' own kinds, merge for "
            "others, and json for a list of operations.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(help="`-` prints the new text of a single file instead of writing it."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only name the files that would change.")
    ] = False,
) -> None:
    """Put patches on a file or on the resources of a package.

    Comments and layout stay as they are. Either all patches are applied, or none.
    """
    from pkgupdate.cli.resource_files import read_text, readable_files
    from pkgupdate.errors import UsageError
    from pkgupdate.patch.apply import apply_patches, read_patches
    from pkgupdate.schema import SchemaSet

    if output not in (None, "-") or (output and file.is_dir()):
        raise UsageError("usage", "--output takes `-` only, and prints a single file")
    files, notes = readable_files(file)
    for note in notes:
        console.note(note)
    texts = apply_patches(
        files,
        read_patches(read_text(patch), name=patch),
        SchemaSet(crds=_crds(files)),
        patch_type=patch_type.value if patch_type else None,
    )
    if output == "-":
        console.result(texts.get(str(file), files[str(file)]) or "")
        return
    if not dry_run:
        _write(file, texts)
    for name in texts:
        console.note(f"{'would patch' if dry_run else 'patched'}: {name}")


def _resource(name: str) -> Map:
    """The one resource of a file; a document without kind will do, for JSON patches of any data."""
    from pkgupdate.cli.resource_files import read_text
    from pkgupdate.document.stream import Stream
    from pkgupdate.errors import Location, UsageError
    from pkgupdate.patch.resources import kubernetes_data

    parts = [part for part in Stream(read_text(name), name=name).parts if not part.is_empty]
    data = kubernetes_data(parts[0].document.data) if len(parts) == 1 else None
    if not isinstance(data, dict):
        raise UsageError(
            "one-resource",
            "the file must hold one resource",
            where=Location(name),
            hint="split it, or compare packages with `pkgupdate diff --format patches`",
        )
    return data


def _created(
    sides: list[Map], patch_type: PatchType, schemas: SchemaSet, *, overwrite: bool
) -> Any:
    from pkgupdate.errors import UsageError
    from pkgupdate.patch import json_merge, json_patch, strategic
    from pkgupdate.patch.errors import PatchError

    original, modified, *current = sides
    if patch_type is PatchType.MERGE:
        return json_merge.create_three_way(*sides) if current else json_merge.create(*sides)
    if patch_type is PatchType.JSON:
        if current:
            raise UsageError("usage", "a JSON patch has no three-way form", hint="use --type merge")
        return json_patch.create(original, modified)
    api_version, kind = str(modified.get("apiVersion")), str(modified.get("kind"))
    if not schemas.is_builtin(api_version, kind):
        raise PatchError(
            "patch-kind",
            f"{kind} is no type of Kubernetes itself, and takes no strategic merge patch",
            hint="use --type merge",
        )
    schema = schemas.for_resource(api_version, kind)
    if current:
        return strategic.create_three_way(
            original, modified, current[0], schema, overwrite=overwrite
        )
    return strategic.create_two_way(original, modified, schema)


def _crds(files: dict[str, str]) -> list[Map]:
    """The definitions among the resources: they tell which items of a list belong together."""
    from pkgupdate.cli.resource_files import resources_in

    return [r for r in resources_in(files) if r.get("kind") == "CustomResourceDefinition"]


def _write(file: Path, texts: dict[str, str | None]) -> None:
    """Write a file, or the files of a package, these all or none."""
    from pkgupdate.cli.files import write_file
    from pkgupdate.package.changes import FileChange
    from pkgupdate.package.tree import DiskTree, FileKind, FileState, state_in

    def patched(name: str, kind: FileKind) -> FileState | None:
        text = texts[name]
        return FileState(kind, text.encode()) if text is not None else None

    if not file.is_dir():
        for name in texts:
            write_file(Path(name), patched(name, FileKind.FILE))
        return
    from pkgupdate.update.journal import apply_changes

    tree = DiskTree(file)
    changes = []
    for name in texts:
        before = state_in(tree, name)
        kind = before.kind if before else FileKind.FILE
        changes.append(FileChange(name, before, patched(name, kind)))
    apply_changes(file, changes)
