"""Reading comments: those of one entry, and all of a document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from pkgupdate.document.geometry import Geometry, SpliceError
from pkgupdate.document.nodes import Collection

_BEFORE_COMMENT = frozenset(" \t\r\n,[]{}\"'")


class Comments(NamedTuple):
    """The comments of one entry; each text begins with ``#``, `line` is '' if there is none.

    head: lines above (see `Geometry.head`); an empty one stands for blank lines between or below
        them.
    line: beside the value or the ``key:``.
    foot: lines below the value that are indented deeper than the entry.
    """

    head: tuple[str, ...] = ()
    line: str = ""
    foot: tuple[str, ...] = ()


NO_COMMENTS = Comments()


def entry_comments(geometry: Geometry, collection: Collection, index: int) -> Comments:
    """The comments of a block entry; an entry of a flow collection has none of its own."""
    if collection.flow:
        return NO_COMMENTS
    try:
        head: list[str] = []
        start = geometry.start(collection, index)
        if geometry.on_own_line(collection, index):
            lines = geometry.lines(geometry.head(collection, index), geometry.line_start(start))
            head = [line.strip() for line in lines]
        span = geometry.line_comment(collection, index)
        foot = geometry.lines(
            geometry.content_end(collection, index), geometry.tail(collection, index)
        )
    except SpliceError:
        return NO_COMMENTS
    return Comments(
        tuple(line for i, line in enumerate(head) if line or head[i - 1]),
        geometry.text[slice(*span)].rstrip() if span else "",
        tuple(line.strip() for line in foot if line.strip()),
    )


def all_comments(text: str, hashes: Sequence[tuple[int, int]]) -> list[tuple[int, str]]:
    """Offset and text of every comment in the text, in order. hashes: see `Tree`."""
    starts = [start for start, _ in hashes]
    found: list[tuple[int, str]] = []
    i = text.find("#")
    while i >= 0:
        k = bisect_right(starts, i) - 1
        inside = k >= 0 and i < hashes[k][1]
        if inside and not _in_header(text, hashes[k][0], i):
            i = text.find("#", hashes[k][1])
        elif i == 0 or text[i - 1] in _BEFORE_COMMENT:
            end = text.find("\n", i)
            end = len(text) if end < 0 else end
            found.append((i, text[i:end].rstrip()))
            i = text.find("#", end)
        else:
            i = text.find("#", i + 1)
    return found


def _in_header(text: str, start: int, position: int) -> bool:
    """Is `position` on the first line of a block scalar that starts at `start`?"""
    line = text[start:position]
    return (
        "\n" not in line
        and line.rstrip()[-1:] in tuple("|>+-0123456789")
        and (line.lstrip()[:1] in tuple("|>&!"))
    )
