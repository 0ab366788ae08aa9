"""The journal's record of one change of a package: every file before and after, in one file.

The first line is a JSON object (format, purpose, id, directories, entries); the bytes of all
contents follow, and each entry says where its own lie and what their SHA-256 is. One file, because
then renaming it is all it takes to begin, finish or forget a change.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from pkgupdate.errors import ApplyError
from pkgupdate.package.tree import FileKind
from pkgupdate.package.upstream_paths import path_fault, shortened
from pkgupdate.update.folder import ChangedError, Folder, Found, mode_for

if TYPE_CHECKING:
    from pkgupdate.package.changes import FileChange
    from pkgupdate.package.tree import FileState

_FORMAT = 1


class Purpose(StrEnum):
    """What a change is; it says what becomes of its record at the end."""

    UPDATE = "update"
    """The record is kept for `undo`."""
    UNDO = "undo"
    """Neither this record nor that of the update it takes back is kept."""


class Entry(NamedTuple):
    """One path before and after; None where there is (or was) nothing."""

    path: str
    before: Found | None
    after: Found | None


@dataclass(frozen=True, slots=True)
class Record:
    """A change of a package, complete enough to carry it out and to take it back.

    entries: in the order in which they are carried out.
    directories: permission bits of the parents of all entries, as far as they exist before.
    id: names the temporary files of this change.
    """

    purpose: Purpose
    id: str
    directories: dict[str, int]
    entries: tuple[Entry, ...]

    def temporary(self, path: str) -> str:
        """The name of the temporary file beside `path`."""
        return f".pkgupdate-{self.id}-{hashlib.sha256(_bytes(path)).hexdigest()[:8]}"

    def inverse(self) -> Iterator[Entry]:
        """The entries that take this change back."""
        for entry in self.entries:
            yield Entry(entry.path, entry.after, entry.before)


def record_changes(folder: Folder, changes: Iterable[FileChange]) -> Record:
    """The record of `changes` to the package open as `folder`.

    Raises ChangedError if a file is not what the plan was made from, ApplyError `unsafe-path` for a
    path that leads out of the package or into a `.git` (a stored plan may hold any).
    """
    entries = []
    for change in changes:
        if why := path_fault(change.path):
            what = f"nothing may be written at {shortened(change.path)}"
            raise ApplyError("unsafe-path", what, why=why, hint="nothing was changed")
        found = folder.find(change.path)
        before = _found(change.before)
        if not (found is before is None or (found is not None and found.same_as(before))):
            raise ChangedError(change.path)
        entries.append(Entry(change.path, found, _found(change.after, found)))
    return new_record(folder, Purpose.UPDATE, entries)


def new_record(folder: Folder, purpose: Purpose, entries: Iterable[Entry]) -> Record:
    """A record of `entries`, in order: deletions, files, then Kptfiles, the root's last."""
    ordered = sorted(entries, key=_order)
    parents = {parent for entry in ordered for parent in parents_of(entry.path)}
    modes = {path: folder.directory_mode(path) for path in sorted(parents)}
    directories = {path: mode for path, mode in modes.items() if mode is not None}
    return Record(purpose, secrets.token_hex(4), directories, tuple(ordered))


def parents_of(path: str) -> list[str]:
    """The directories above `path` inside the package, deepest first."""
    return [str(p) for p in PurePosixPath(path).parents][:-1]


def _order(entry: Entry) -> tuple[int, int, str]:
    depth = entry.path.count("/")
    if entry.after is None:
        return 0, -depth, entry.path
    if entry.path.rpartition("/")[2] == "Kptfile":
        return 2, -depth, entry.path
    return 1, 0, entry.path


def _found(state: FileState | None, replaced: Found | None = None) -> Found | None:
    if state is None:
        return None
    owner = replaced.owner if replaced else None
    return Found(state.kind, state.content, mode_for(state.kind, replaced), owner)


def encode(record: Record) -> bytes:
    """The record as the bytes of its file."""
    contents: list[bytes] = []
    offset = 0

    def side(found: Found | None) -> dict[str, Any] | None:
        nonlocal offset
        if found is None:
            return None
        contents.append(found.content)
        offset += len(found.content)
        return {
            "kind": found.kind,
            "mode": found.mode,
            "owner": found.owner,
            "offset": offset - len(found.content),
            "length": len(found.content),
            "sha256": hashlib.sha256(found.content).hexdigest(),
        }

    head = {
        "format": _FORMAT,
        "purpose": record.purpose,
        "id": record.id,
        "directories": record.directories,
        "entries": [
            {"path": e.path, "before": side(e.before), "after": side(e.after)}
            for e in record.entries
        ],
    }
    return json.dumps(head).encode() + b"\n" + b"".join(contents)


def decode(data: bytes) -> Record:
    """The record that `encode` wrote. Raises ApplyError `journal-broken`."""
    line, _, contents = data.partition(b"\n")

    def side(stored: dict[str, Any] | None) -> Found | None:
        if stored is None:
            return None
        content = contents[stored["offset"] : stored["offset"] + stored["length"]]
        if hashlib.sha256(content).hexdigest() != stored["sha256"]:
            raise ValueError("a content does not match its checksum")
        kind = FileKind(stored["kind"]) if stored["kind"] else None
        owner = stored["owner"]
        return Found(kind, content, stored["mode"], (owner[0], owner[1]) if owner else None)

    try:
        head = json.loads(line)
        if head["format"] != _FORMAT:
            raise ValueError(f"format {head['format']} is not known to this version")
        entries = tuple(
            Entry(_checked(e["path"]), side(e["before"]), side(e["after"])) for e in head["entries"]
        )
        return Record(Purpose(head["purpose"]), head["id"], head["directories"], entries)
    except (ValueError, KeyError, TypeError) as e:
        raise ApplyError(
            "journal-broken",
            "the journal of the last update cannot be read",
            why=str(e),
            hint="compare the package with its last commit, then remove the journal by hand",
        ) from e


def _checked(path: str) -> str:
    if why := path_fault(path):
        raise ValueError(f"{shortened(path)}: {why}")
    return path


def temporary_paths(record: Record) -> Sequence[str]:
    """Where temporary files of this change may lie."""
    return [
        f"{directory}/{record.temporary(e.path)}" if directory else record.temporary(e.path)
        for e in record.entries
        for directory in (e.path.rpartition("/")[0],)
    ]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
