"""Writing single files for commands that work on files alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pkgupdate.package.tree import FileState


def write_file(path: Path, state: FileState | None, *, private: bool = False) -> None:
    """Put the file at `path`, at once and whole; None removes it. A link itself is replaced.

    private: a new file is for its owner alone. Raises ApplyError `write-failed`.
    """
    from pkgupdate.errors import ApplyError, Location
    from pkgupdate.update.folder import Folder, Found, mode_for

    name, temporary = path.name, f".{path.name}.pkgupdate"
    try:
        with Folder(path.parent) as folder:
            found = folder.find(name)
            if state is None:
                if found is not None:
                    folder.remove(name, expected=found)
                return
            mode = 0o600 if private else mode_for(state.kind, found)
            folder.discard(temporary)
            folder.stage(name, Found(state.kind, state.content, mode), temporary)
            folder.put(name, temporary, expected=found)
    except OSError as e:
        raise ApplyError(
            "write-failed",
            "cannot write the file",
            where=Location(str(path)),
            why=e.strerror or str(e),
        ) from e
