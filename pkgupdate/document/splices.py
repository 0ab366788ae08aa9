"""Replacing ranges of a text, also when whole ranges change places with edits inside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from pkgupdate.document.geometry import SpliceError


class Span(NamedTuple):
    """A range of the old text that moves; edits inside it move along."""

    start: int
    end: int


Piece: TypeAlias = "str | Span"


class Splice(NamedTuple):
    """Put `pieces` in place of the range from `start` to `end`.

    depth: nesting depth of what is edited. Of several insertions at one offset the deepest comes
        first: what ends a nested collection precedes what follows the outer entry.
    leads: an insertion that belongs to what follows it, not to what precedes it.
    """

    start: int
    end: int
    pieces: tuple[Piece, ...]
    depth: int = 0
    leads: bool = False


@dataclass(slots=True)
class Splices:
    """The splices of one text."""

    text: str
    items: list[Splice] = field(default_factory=list)

    def put(
        self, start: int, end: int, *pieces: Piece, depth: int = 0, leads: bool = False
    ) -> None:
        """Replace a range (an empty one: insert)."""
        self.items.append(Splice(start, end, pieces, depth, leads))

    def apply(self) -> str:
        """The new text. Raises SpliceError where ranges overlap."""
        return _apply(self.text, 0, len(self.text), self.items)


def _apply(text: str, start: int, end: int, splices: list[Splice]) -> str:
    """The text from `start` to `end` with all these splices, which lie in it."""
    moves = [s for s in splices if any(isinstance(piece, Span) for piece in s.pieces)]
    if moves:
        outer = min(moves, key=lambda s: s.depth)
        inner = [s for s in splices if s is not outer and _is_inside(s, outer)]
        rest = [s for s in splices if s is not outer and not _is_inside(s, outer)]
        moved = "".join(
            piece
            if isinstance(piece, str)
            else _apply(text, *piece, [s for s in inner if _is_within(s, piece)])
            for piece in outer.pieces
        )
        flat = Splice(outer.start, outer.end, (moved,), outer.depth, outer.leads)
        return _apply(text, start, end, [*rest, flat])
    out: list[str] = []
    position = start
    order = sorted(
        range(len(splices)),
        key=lambda i: (
            splices[i].start,
            splices[i].end > splices[i].start,
            splices[i].leads,
            -splices[i].depth,
            i,
        ),
    )
    for i in order:
        splice = splices[i]
        if splice.start < position:
            raise SpliceError("overlapping edits")
        out.append(text[position : splice.start])
        out += [piece for piece in splice.pieces if isinstance(piece, str)]
        position = splice.end
    out.append(text[position:end])
    return "".join(out)


def _is_inside(splice: Splice, outer: Splice) -> bool:
    """Does a splice belong to what `outer` moves around?"""
    return splice.depth > outer.depth and splice.start >= outer.start and splice.end <= outer.end


def _is_within(splice: Splice, span: Span) -> bool:
    """Does a splice belong to this span? At its edges insertions go by what they belong to."""
    if splice.start < span.start or splice.end > span.end:
        return False
    if splice.start == splice.end:
        if splice.leads:
            return splice.start < span.end
        return splice.start > span.start
    return True


def merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted ranges, overlapping ones joined."""
    merged: list[tuple[int, int]] = []
    for start, end in ranges:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
