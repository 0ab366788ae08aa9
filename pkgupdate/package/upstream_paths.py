"""File names from upstream are not trusted: what must never be written is refused at once."""

from __future__ import annotations

from collections.abc import Iterable

from pkgupdate.errors import Location, PackageError

_INVISIBLE = dict.fromkeys(
    [0xFEFF, *range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070)]
)
"""Code points that some file systems leave out when they compare names."""


def check_upstream_paths(paths: Iterable[str]) -> None:
    """Refuse names that lead out of the package, into Git's own files, or onto each other.

    Raises PackageError `unsafe-path`. Two names that differ in case only are one file where the
    file system ignores case, so that one could redirect the other.
    """
    seen: dict[str, str] = {}
    for path in sorted(paths):
        if why := _fault(path):
            raise _unsafe(path, why)
        prefix = ""
        for part in path.split("/"):
            prefix = f"{prefix}/{part}" if prefix else part
            other = seen.setdefault(prefix.casefold(), prefix)
            if other != prefix:
                raise _unsafe(path, f"it differs from {other!a} in upper and lower case only")


def _fault(path: str) -> str:
    if not path or path.startswith("/"):
        return "it is not relative to the package"
    if "\0" in path:
        return "it holds a NUL character"
    for part in path.split("/"):
        if part in ("", ".", ".."):
            return "it leads out of the package, or is not in its shortest form"
        if _is_git_directory(part):
            return "it would write into Git's own files"
    return ""


def _is_git_directory(part: str) -> bool:
    """`.git` as any common file system reads it."""
    name = part.translate(_INVISIBLE).casefold().split(":")[0].rstrip(" .")
    return name in (".git", "git~1")


def _unsafe(path: str, why: str) -> PackageError:
    return PackageError(
        "unsafe-path",
        f"upstream holds a file that cannot be placed safely: {path!a}",
        where=Location(file=ascii(path)[1:-1]),
        why=why,
        hint="ask the owner of the upstream package to rename it",
    )
