"""File names from elsewhere are not trusted: what must never be written is refused at once."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from pkgupdate.errors import Location, PackageError

MAX_PATH_BYTES: Final = 2048
"""Longest path inside a package; systems refuse whole paths of more than 4096 bytes."""

_LONGEST_SHOWN = 200
_REPOSITORY_PARTS = frozenset({"head", "objects", "refs", "commondir"})
_INVISIBLE = dict.fromkeys(
    [0xFEFF, *range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070)]
)
"""Code points that some file systems leave out when they compare names."""


def check_upstream_paths(paths: Iterable[str]) -> None:
    """Refuse names that lead out of the package, into Git's own files, or onto each other.

    Raises PackageError `unsafe-path`. Two names that differ in case or Unicode composition only are
    one file on some file systems, so that one could redirect the other. A directory that looks like
    a bare repository is one for Git, which would then run programs that its `config` names.
    """
    seen: dict[str, str] = {}
    inside: defaultdict[str, set[str]] = defaultdict(set)
    for path in sorted(paths):
        if why := path_fault(path):
            raise _unsafe(path, why)
        prefix = ""
        for part in path.split("/"):
            if (name := part.casefold()) in _REPOSITORY_PARTS:
                inside[prefix].add(name)
            prefix = f"{prefix}/{part}" if prefix else part
            other = seen.setdefault(_folded(prefix), prefix)
            if other != prefix:
                raise _unsafe(path, f"some file systems cannot tell it from {other!a}")
    for directory, names in inside.items():
        if "head" in names and ("commondir" in names or {"objects", "refs"} <= names):
            raise _unsafe(f"{directory}/HEAD".lstrip("/"), "Git would take it for a repository")


@lru_cache(maxsize=1 << 14)  # the versions of a package have most names in common
def path_fault(path: str) -> str:
    """Why nothing may be written at this path of a package; empty if it is a good one."""
    if not path or path.startswith("/"):
        return "it is not relative to the package"
    if len(path.encode("utf-8", "surrogateescape")) > MAX_PATH_BYTES:
        return f"it is longer than {MAX_PATH_BYTES} bytes"
    if "\0" in path:
        return "it holds a NUL character"
    for part in path.split("/"):
        if part in ("", ".", ".."):
            return "it leads out of the package, or is not in its shortest form"
        if _is_git_directory(part):
            return "it would write into Git's own files"
    return ""


def _folded(path: str) -> str:
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def _is_git_directory(part: str) -> bool:
    """`.git` as any common file system reads it."""
    visible = part if part.isascii() else part.translate(_INVISIBLE)
    return visible.casefold().split(":")[0].rstrip(" .") in (".git", "git~1")


def shortened(path: str) -> str:
    """A path of any kind, fit for a message."""
    text = ascii(path)[1:-1]
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."


def _unsafe(path: str, why: str) -> PackageError:
    return PackageError(
        "unsafe-path",
        f"upstream holds a file that cannot be placed safely: {shortened(path)}",
        where=Location(file=shortened(path)),
        why=why,
        hint="ask the owner of the upstream package to rename it",
    )
