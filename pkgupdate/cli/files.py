"""Writing single files for commands that work on files alone."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pkgupdate.errors import ApplyError, Location

if TYPE_CHECKING:
    from pkgupdate.package.tree import FileState


def write_file(path: Path, state: FileState | None, *, private: bool = False) -> None:
    """Put an ordinary file at `path`, at once and whole; None removes it. A link is replaced.

    The permissions of a file that is replaced stay, but for what its kind asks. What is no ordinary
    file (a device, a pipe) is written to and never replaced. private: the file is for its owner
    alone. Raises ApplyError `write-failed`.
    """
    try:
        if _is_special(path):
            path.write_bytes(state.content if state else b"")
            return
        if state is None:
            path.unlink(missing_ok=True)
            return
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
            new = Path(folder) / path.name
            new.write_bytes(state.content)
            new.chmod(_mode(path, state, private))
            new.replace(path)
    except OSError as e:
        raise ApplyError(
            "write-failed",
            "cannot write the file",
            where=Location(str(path)),
            why=e.strerror or str(e),
        ) from e


def _is_special(path: Path) -> bool:
    """Is something there that is neither a file nor a folder?"""
    return path.exists() and not path.is_file() and not path.is_dir()


def _mode(path: Path, state: FileState, private: bool) -> int:
    if private:
        return 0o600
    if path.is_file() and not path.is_symlink():
        mode = path.stat().st_mode & 0o777
    else:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    return state.kind.permissions(mode)
