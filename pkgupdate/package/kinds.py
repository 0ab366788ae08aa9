"""What a file is, as far as merging goes."""

from __future__ import annotations

from enum import Enum, auto

from pkgupdate.document.stream import decode

KPTFILE = "Kptfile"
_YAML_ENDINGS = (".yaml", ".yml")
_LFS_HEADER = b"version https://git-lfs.github.com/spec/"
_LFS_MAX_SIZE = 1024


class Route(Enum):
    """Which merger a file goes to, as far as its name tells."""

    KPTFILE = auto()
    RESOURCES = auto()
    """YAML: resources, or data without identity."""
    JSON = auto()
    """One document of data; what is in it has no identity, as in kpt."""
    PLAIN = auto()
    """Text or binary."""


class Content(Enum):
    """What the bytes of a plain file are."""

    TEXT = auto()
    BINARY = auto()
    LFS_POINTER = auto()


def route_of(path: str) -> Route:
    """The merger for files of this name."""
    name = path.rpartition("/")[2]
    if name == KPTFILE:
        return Route.KPTFILE
    if name.endswith(_YAML_ENDINGS):
        return Route.RESOURCES
    return Route.JSON if name.endswith(".json") else Route.PLAIN


def content_of(content: bytes) -> Content:
    """Text, binary, or the pointer that Git LFS keeps in place of a large file."""
    if content.startswith(_LFS_HEADER) and len(content) <= _LFS_MAX_SIZE:
        return Content.LFS_POINTER
    return Content.BINARY if decode(content) is None else Content.TEXT
