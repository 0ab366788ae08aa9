"""What the shell offers for an argument: packages, and refs of their upstreams.

Runs at every press of the tab key: nothing is asked of the network, and nothing heavy is imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_SKIPPED = (".git", "node_modules")
_MAX_DEPTH = 4
_MAX_FOLDERS = 2000


def complete_package(incomplete: str) -> list[str]:
    """The folders with a Kptfile whose path begins so."""
    here = "./" if incomplete.startswith("./") else ""
    found = (here + path for path in _packages(incomplete))
    return [path for path in found if path.startswith(incomplete)]


def complete_target(incomplete: str) -> list[str]:
    """The same; after an `@`, the tags and branches of the package's upstream, as last seen."""
    folder, at, ref = incomplete.rpartition("@")
    if not at:
        return complete_package(incomplete)
    return [f"{folder}@{name}" for name in _refs(Path(folder)) if name.startswith(ref)]


def _packages(incomplete: str) -> Iterator[str]:
    start = incomplete.rpartition("/")[0]
    base = Path(start + "/") if incomplete.startswith("/") else Path(start)
    pending = [(base, 0)]
    seen = 0
    while pending and seen < _MAX_FOLDERS:
        folder, depth = pending.pop(0)
        seen += 1
        try:
            names = {
                entry.name: entry.is_dir(follow_symlinks=False) for entry in os.scandir(folder)
            }
        except OSError:
            continue
        if "Kptfile" in names:
            yield str(folder)
        if depth < _MAX_DEPTH:
            below = sorted(n for n, is_folder in names.items() if is_folder and n not in _SKIPPED)
            pending += [(folder / name, depth + 1) for name in below]


def _refs(root: Path) -> list[str]:
    from pkgupdate.config import load_config
    from pkgupdate.errors import PkgUpdateError
    from pkgupdate.inspect.known_refs import known_refs

    try:
        cache_dir = load_config(root)["cache_dir"]
        return known_refs(root, Path(cache_dir) if cache_dir else None)
    except (PkgUpdateError, OSError):
        return []
