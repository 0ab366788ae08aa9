"""Reading the resources of what a user names: a package's folder, a file, or `-` for stdin."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pkgupdate.errors import DocumentError, Location, UsageError

if TYPE_CHECKING:
    from pkgupdate.patch.values import Map


def read_text(name: str) -> str:
    """The text of a file, or of stdin for `-`.

    Raises UsageError (`no-such-file`), DocumentError (`not-text`).
    """
    from pkgupdate.document.stream import decode

    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as e:
        raise UsageError(
            "no-such-file", "cannot read the file", where=Location(name), why=e.strerror or str(e)
        ) from e
    text = decode(content)
    if text is None:
        raise DocumentError("not-text", "the file is no UTF-8 text", where=Location(name))
    return text


def read_files(path: Path) -> dict[str, str]:
    """The files of a package that hold resources, by path in it; or the one file.

    Ignored files are left out, and links, and what is no text. Raises UsageError (`no-such-file`).
    """
    from pkgupdate.document.stream import decode
    from pkgupdate.package.ignore import Ignore
    from pkgupdate.package.kinds import Route, route_of
    from pkgupdate.package.tree import DiskTree, FileKind

    if not path.is_dir():
        return {str(path): read_text(str(path))}
    tree = DiskTree(path)
    ignore = Ignore(tree)
    files = {}
    for name in sorted(tree.entries):
        if route_of(name) in (Route.RESOURCES, Route.KPTFILE) and not ignore.covers(name):
            if tree.entries[name].kind in (FileKind.LINK, FileKind.SUBMODULE):
                continue
            text = decode(tree.read(name))
            if text is not None:
                files[name] = text
    return files


def readable_files(path: Path) -> tuple[dict[str, str], list[str]]:
    """`read_files` without those that are no YAML, and a note for each of these.

    A single file that is no YAML raises DocumentError.
    """
    from pkgupdate.patch.resources import resources_of

    files = read_files(path)
    good, notes = {}, []
    for name, text in files.items():
        try:
            list(resources_of(text, name=name))
        except DocumentError as e:
            if not path.is_dir():
                raise
            notes.append(f"left out, {e.what}: {e.where}")
        else:
            good[name] = text
    return good, notes


def resources_in(files: dict[str, str]) -> list[Map]:
    """The resources of the files, in order."""
    from pkgupdate.patch.resources import resources_of

    return [resource for name, text in files.items() for resource in resources_of(text, name=name)]
