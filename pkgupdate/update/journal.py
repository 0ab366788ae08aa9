"""All or nothing: changes of a package go through a journal.

    pending.new   the record is being written; the package is untouched
    pending       the record is complete: the package may be anywhere between before and after
    undo          the record of the last finished update

Renaming `pending.new` to `pending` begins a change, renaming `pending` to `undo` finishes it. All
new content is first staged beside the files it is for, so that a full disk is met while every file
is still as it was. Then what the change deletes goes, and files are replaced one by one by renames,
the Kptfiles last. When anything fails, the package is put back; when the process dies, `recover`
does that later, or finishes if all new content was in place already.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from pkgupdate.errors import ApplyError, Location, PkgUpdateError
from pkgupdate.update import files
from pkgupdate.update.folder import ChangedError, Folder, Found, open_directory
from pkgupdate.update.record import (
    Entry,
    Purpose,
    Record,
    decode,
    encode,
    new_record,
    parents_of,
    record_changes,
    temporary_paths,
)
from pkgupdate.update.state import PENDING, locked, pending, state_error

if TYPE_CHECKING:
    from pkgupdate.package.changes import FileChange

_NEW, _UNDO = "pending.new", "undo"
_MAX_NAMES = 10


class Recovery(StrEnum):
    """What `recover` did."""

    RESTORED = "restored"
    """The package is as it was before the update that died."""
    FINISHED = "finished"
    """All content was in place; the update counts as done."""


def apply_changes(root: Path, changes: Iterable[FileChange]) -> None:
    """Carry out `changes` on the package at `root`, all or nothing; no changes, nothing happens.

    Raises ApplyError: `file-changed` (a file is not what the plan was made from), `apply-failed`
    (the system refused; the package is as it was), `rollback-failed` (and so it did when putting
    the package back; `recover` will), `update-pending`, `package-locked`, `state-unusable`.
    """
    changes = list(changes)
    if not changes:
        return
    with locked(root) as state, _opened(root) as folder:
        if pending(root):
            raise ApplyError(
                "update-pending",
                f"an earlier update of {root} did not end",
                hint=f"run: pkgupdate recover {root}",
            )
        try:
            record = record_changes(folder, changes)
        except ChangedError as e:
            raise _changed(str(e)) from e
        targets = {parent for e in record.entries if e.after for parent in parents_of(e.path)}
        kept = {path: mode for path, mode in record.directories.items() if path in targets}
        _carry_out(folder, state, record, kept)


def recover(root: Path) -> Recovery | None:
    """Bring a package whose update died back to a whole state; None if there is nothing to do.

    Raises ApplyError `recovery-blocked` if files were edited since (nothing is overwritten then),
    `journal-broken`, `rollback-failed`.
    """
    if not pending(root):
        return None
    with locked(root) as state:
        record = _load(state / PENDING)
        if record is None:
            return None
        with _opened(root) as folder:
            found = {entry.path: folder.find(entry.path) for entry in record.entries}
            if all(_same(found[e.path], e.after) for e in record.entries):
                with _rollback_errors(root):
                    _complete(folder, state, record)
                return Recovery.FINISHED
            edited = [e.path for e in record.entries if not _is_ours(found[e.path], e)]
            if edited:
                raise _blocked(edited)
            with _rollback_errors(root):
                _roll_back(folder, state, record, record.entries)
            return Recovery.RESTORED


def undo(root: Path) -> list[str]:
    """Take the last finished update of the package back; the paths that changed.

    Raises ApplyError `nothing-to-undo`, `undo-changed` (files differ from what the update left),
    and what `apply_changes` raises.
    """
    with locked(root) as state, _opened(root) as folder:
        record = _load(state / _UNDO)
        if record is None:
            raise ApplyError(
                "nothing-to-undo", f"no finished update of {root} is on record to take back"
            )
        edited = [e.path for e in record.entries if not _same(folder.find(e.path), e.after)]
        if edited:
            raise ApplyError(
                "undo-changed",
                "files changed since the update; taking it back would lose that",
                why=_names(edited),
                hint="take the update back with Git instead",
            )
        inverse = new_record(folder, Purpose.UNDO, record.inverse())
        _carry_out(folder, state, inverse, record.directories)
        return sorted(e.path for e in inverse.entries)


def _carry_out(folder: Folder, state: Path, record: Record, directories: dict[str, int]) -> None:
    """Begin, do and finish the change of `record`, or put everything back.

    directories: those to keep, or to make anew with these modes; others go when they get empty.
    """
    done: list[Entry] = []
    at = ""
    try:
        _begin(state, record)
        staged = set()
        for entry in record.entries:
            at = entry.path
            # A file that is to go may be in the way of a directory: that one is staged later.
            with suppress(NotADirectoryError, FileExistsError):
                staged.add(_stage(folder, record, entry, directories))
        for entry in record.entries:
            at = entry.path
            done.append(entry)
            if entry.path not in staged:
                _stage(folder, record, entry, directories)
            _replace(folder, record, entry, directories)
        at = ""
        folder.flush()
        _finish(state, record)
    except BaseException as e:
        with _rollback_errors(folder.root):
            if isinstance(e, ChangedError):
                done.pop()  # somebody else's content lies there now, and stays
            _roll_back(folder, state, record, done)
        if isinstance(e, ChangedError):
            raise _changed(str(e)) from e
        if isinstance(e, OSError):
            raise ApplyError(
                "apply-failed",
                f"cannot write {at}" if at else "cannot write the journal of the update",
                where=Location(file=at),
                why=e.strerror or str(e),
                hint="the package was put back as it was",
            ) from e
        raise


def _begin(state: Path, record: Record) -> None:
    with open_directory(state) as fd:
        with suppress(FileNotFoundError):
            files.unlink(_NEW, fd)
        new = files.create(_NEW, fd, 0o600)
        try:
            files.write(new, encode(record))
            files.fsync(new)
        finally:
            os.close(new)
        files.rename(_NEW, PENDING, fd)
        files.fsync(fd)


def _finish(state: Path, record: Record) -> None:
    """Up to the rename (or the last unlink) the change is pending, from then on it is done."""
    with open_directory(state) as fd:
        if record.purpose is Purpose.UPDATE:
            files.rename(PENDING, _UNDO, fd)
        else:
            with suppress(FileNotFoundError):
                files.unlink(_UNDO, fd)
            files.unlink(PENDING, fd)
        with suppress(OSError):  # should the name get lost in a crash, `recover` finishes again
            files.fsync(fd)


def _stage(folder: Folder, record: Record, entry: Entry, directories: dict[str, int]) -> str:
    """Write the new content of one path beside it; gives the path."""
    if entry.after is not None:
        for parent in reversed(parents_of(entry.path)):
            if parent in directories and folder.directory_mode(parent) is None:
                folder.make_directory(parent, directories[parent])
        folder.stage(entry.path, entry.after, record.temporary(entry.path))
    return entry.path


def _replace(folder: Folder, record: Record, entry: Entry, directories: dict[str, int]) -> None:
    """Bring one path from `before` to `after`, which is staged."""
    if entry.after is not None:
        folder.commit(entry.path, record.temporary(entry.path), expected=entry.before)
        return
    folder.remove(entry.path, expected=entry.before)
    for parent in parents_of(entry.path):
        if parent not in directories:
            folder.prune(parent)


def _roll_back(folder: Folder, state: Path, record: Record, entries: Iterable[Entry]) -> None:
    """Put `entries` back as they were, last one first, and forget the change."""
    for temporary in temporary_paths(record):
        folder.discard(temporary)
    _prune(folder, (e.path for e in record.entries), keep=record.directories)
    edited = []
    for entry in reversed(list(entries)):
        found = folder.find(entry.path)
        if not _is_ours(found, entry):
            edited.append(entry.path)
        elif not _same(found, entry.before):
            back = Entry(entry.path, found, entry.before)
            _stage(folder, record, back, record.directories)
            _replace(folder, record, back, record.directories)
    if edited:
        raise _blocked(edited)
    _prune(folder, (e.path for e in record.entries), keep=record.directories)
    folder.flush()
    with open_directory(state) as fd:
        for name in (PENDING, _NEW):
            with suppress(FileNotFoundError):
                files.unlink(name, fd)
        files.fsync(fd)


def _complete(folder: Folder, state: Path, record: Record) -> None:
    """Finish a change whose content is all in place."""
    for temporary in temporary_paths(record):
        folder.discard(temporary)
    _prune(folder, (e.path for e in record.entries if e.after is None), keep=())
    folder.flush()
    _finish(state, record)


def _prune(folder: Folder, paths: Iterable[str], keep: Container[str]) -> None:
    """Remove the empty directories above `paths`, but for those in `keep`."""
    parents = {parent for path in paths for parent in parents_of(path)}
    for parent in sorted(parents, key=len, reverse=True):
        if parent not in keep:
            folder.prune(parent)


def _same(found: Found | None, wanted: Found | None) -> bool:
    return found is wanted is None or (found is not None and found.same_as(wanted))


def _is_ours(found: Found | None, entry: Entry) -> bool:
    """Is it what was there before, or what the change put there, or nothing?"""
    return found is None or found.same_as(entry.before) or found.same_as(entry.after)


def _load(path: Path) -> Record | None:
    try:
        return decode(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as e:
        raise state_error(path.parent, e) from e


@contextmanager
def _opened(root: Path) -> Iterator[Folder]:
    try:
        with Folder(root) as folder:
            yield folder
    except OSError as e:
        raise ApplyError(
            "apply-failed",
            f"cannot reach the files of {root}",
            why=e.strerror or str(e),
            hint="nothing was changed",
        ) from e


@contextmanager
def _rollback_errors(root: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as e:
        raise KeyboardInterrupt(f"{root} is half written; run: pkgupdate recover {root}") from e
    except (OSError, ChangedError) as e:
        raise ApplyError(
            "rollback-failed",
            f"the update of {root} failed, and putting the package back failed too",
            why=(e.strerror or str(e)) if isinstance(e, OSError) else f"{e} was changed meanwhile",
            hint=f"the journal holds everything; mend the cause, then: pkgupdate recover {root}",
        ) from e


def _changed(path: str) -> PkgUpdateError:
    return ApplyError(
        "file-changed",
        f"{path} changed while the update was running",
        where=Location(file=path),
        hint="the package was left as it was; run the command again",
    )


def _blocked(paths: list[str]) -> PkgUpdateError:
    return ApplyError(
        "recovery-blocked",
        "files were edited after the update broke off; that would be lost",
        why=_names(paths),
        hint="move them elsewhere, then run: pkgupdate recover",
    )


def _names(paths: list[str]) -> str:
    more = len(paths) - _MAX_NAMES
    return ", ".join(paths[:_MAX_NAMES]) + (f" and {more} more" if more > 0 else "")
