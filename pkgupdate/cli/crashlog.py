"""The log of an unexpected fault: enough to find it, and safe to paste anywhere."""

from __future__ import annotations

import platform
import re
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from pkgupdate import __version__

_OPTION = re.compile(r"(--?[\w-]+)=?.*")


def write_crash_log(error: BaseException, arguments: Sequence[str]) -> Path | None:
    """Write the log into the state folder and return its path; None if that cannot be done."""
    from pkgupdate.update.state import user_state_directory

    now = datetime.now(UTC)
    path = user_state_directory() / "logs" / f"fault-{now:%Y%m%dT%H%M%S%f}.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(crash_text(error, arguments), encoding="utf-8")
        path.chmod(0o600)
    except OSError:
        return None
    return path


def crash_text(error: BaseException, arguments: Sequence[str]) -> str:
    """Version, options and traceback.

    Left out, since they may hold contents of a package: the values of options and arguments, the
    messages of exceptions (but for what the system says), and the values of variables.
    """
    options = [_OPTION.sub(r"\1", a) if a.startswith("-") else "…" for a in arguments]
    lines = [
        f"pkgupdate {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"arguments: {' '.join(options)}",
        f"encoding: {sys.getfilesystemencoding()}",
        "",
    ]
    seen: BaseException | None = error
    while seen is not None:
        said = f": {seen.strerror}" if isinstance(seen, OSError) and seen.strerror else ""
        lines.append(type(seen).__name__ + said)
        frames = traceback.extract_tb(seen.__traceback__)
        lines += [f"  {_short(f.filename)}:{f.lineno} {f.name}: {f.line}" for f in frames]
        seen = seen.__cause__ or seen.__context__
    return "\n".join(lines) + "\n"


def _short(filename: str) -> str:
    """A file name without what lies above the package's folder, which may name a person."""
    parts = Path(filename).parts
    return "/".join(parts[-3:])
