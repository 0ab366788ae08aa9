"""Three-way merge of lines, for multi-line strings and for files that are merged as text.

Two edits combine if they change different lines of the original; neighbouring lines count as
different ones. Insertions at one point, and edits that overlap or that touch an insertion, are one
hunk: if both sides did not do the same there, they collide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from pkgupdate.document.values import MISSING
from pkgupdate.merge.alignment import align
from pkgupdate.merge.decisions import Kind
from pkgupdate.merge.policy import OnConflict
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.three_way import Winner, decide

MarkerStyle: TypeAlias = Literal["merge", "diff3", "zdiff3"]

_LABELS = Sides("original", "upstream", "local")


class Hunk(NamedTuple):
    """A place where the sides collide. `line`: 1-based, where it begins in the merged text."""

    line: int
    original: str
    upstream: str
    local: str


class TextMerge(NamedTuple):
    """The merged text, and the hunks in it that collided (in order)."""

    text: str
    conflicts: tuple[Hunk, ...]


class _Edit(NamedTuple):
    """Lines `start:end` of the original become `lines`."""

    start: int
    end: int
    lines: tuple[str, ...]


def merge_lines(
    original: str,
    upstream: str,
    local: str,
    *,
    on_conflict: OnConflict = OnConflict.RULES,
    markers: MarkerStyle | None = None,
    labels: Sides[str] = _LABELS,
    marker_size: int = 7,
) -> TextMerge:
    """Merge three texts by lines.

    on_conflict: who wins a colliding hunk. markers: write git's conflict markers there instead.
    If one side uses other line ends than the local text throughout, its line ends do not count.
    """
    newline = "\r\n" if "\r\n" in local else "\n"
    foreign = [t for t in (original, upstream) if t and ("\r\n" in t) != (newline == "\r\n")]
    if foreign and local.count("\n") == local.count(newline):
        merged = _merge(
            *(_lines(t.replace("\r\n", "\n")) for t in (original, upstream, local)),
            on_conflict=on_conflict,
            markers=_Markers(markers, labels, marker_size, "\n") if markers else None,
        )
        return TextMerge(merged.text.replace("\n", newline), merged.conflicts)
    return _merge(
        _lines(original),
        _lines(upstream),
        _lines(local),
        on_conflict=on_conflict,
        markers=_Markers(markers, labels, marker_size, newline) if markers else None,
    )


_lines = re.compile(r"[^\n]*\n|[^\n]+").findall


def _merge(
    original: list[str],
    upstream: list[str],
    local: list[str],
    *,
    on_conflict: OnConflict,
    markers: _Markers | None,
) -> TextMerge:
    out: list[str] = []
    conflicts: list[Hunk] = []
    position = 0
    for in_upstream, in_local in _hunks(_edits(original, upstream), _edits(original, local)):
        start = min(e.start for e in in_upstream + in_local)
        end = max(e.end for e in in_upstream + in_local)
        out += original[position:start]
        position = end
        sides = Sides(
            tuple(original[start:end]),
            _rewrite(original, in_upstream, start, end),
            _rewrite(original, in_local, start, end),
        )
        winner, collides = _winner(sides, on_conflict)
        if collides:
            conflicts.append(Hunk(len(out) + 1, *("".join(side) for side in sides)))
        if collides and markers is not None:
            out = markers.write(out, sides)
        else:
            out += sides.upstream if winner == "upstream" else sides.local
    out += original[position:]
    return TextMerge("".join(out), tuple(conflicts))


def _winner(sides: Sides[tuple[str, ...]], on_conflict: OnConflict) -> tuple[Winner, bool]:
    """Who wins the hunk, and whether it collides. No lines at all are a deletion."""
    outcome = decide(*(side or MISSING for side in sides))
    if outcome is None:
        return "local", False
    if outcome.kind is not Kind.COLLISION or on_conflict is OnConflict.RULES:
        return outcome.winner, outcome.kind is Kind.COLLISION
    return "upstream" if on_conflict is OnConflict.UPSTREAM else "local", True


def _edits(original: list[str], changed: list[str]) -> list[_Edit]:
    edits = []
    i = j = 0
    for a, b in [*align(original, changed), (len(original), len(changed))]:
        if a > i or b > j:
            edits.append(_Edit(i, a, tuple(changed[j:b])))
        i, j = a + 1, b + 1
    return edits


def _hunks(upstream: list[_Edit], local: list[_Edit]) -> list[tuple[list[_Edit], list[_Edit]]]:
    """Edits of both sides in order; those that get in each other's way are in one hunk."""
    tagged = sorted(
        [(edit, 0) for edit in upstream] + [(edit, 1) for edit in local],
        key=lambda pair: (pair[0].start, pair[0].end),
    )
    hunks: list[tuple[list[_Edit], list[_Edit]]] = []
    end = -1
    inserts_at_end = False
    for edit, side in tagged:
        is_insert = edit.start == edit.end
        touches = edit.start == end and (is_insert or inserts_at_end)
        if edit.start >= end and not touches:
            hunks.append(([], []))
        hunks[-1][side].append(edit)
        end = max(end, edit.end)
        inserts_at_end = is_insert and edit.end == end
    return hunks


def _rewrite(original: list[str], edits: Sequence[_Edit], start: int, end: int) -> tuple[str, ...]:
    out: list[str] = []
    for edit in edits:
        out += original[start : edit.start]
        out += edit.lines
        start = edit.end
    return (*out, *original[start:end])


class _Markers(NamedTuple):
    style: MarkerStyle
    labels: Sides[str]
    size: int
    newline: str

    def write(self, out: list[str], sides: Sides[tuple[str, ...]]) -> list[str]:
        """The lines so far and the marked hunk; what both sides share stays outside of it."""
        head = tail = 0
        local, upstream = sides.local, sides.upstream
        if self.style != "diff3":
            shortest = min(len(local), len(upstream))
            while head < shortest and local[head] == upstream[head]:
                head += 1
            while tail < shortest - head and local[-1 - tail] == upstream[-1 - tail]:
                tail += 1
        middle = slice(head, len(local) - tail), slice(head, len(upstream) - tail)
        block = [*self._line("<", self.labels.local), *self._whole(local[middle[0]])]
        if self.style != "merge":
            block += [*self._line("|", self.labels.original), *self._whole(sides.original)]
        block += [*self._line("=", ""), *self._whole(upstream[middle[1]])]
        block += self._line(">", self.labels.upstream)
        return [*self._whole(out), *local[:head], *block, *local[len(local) - tail :]]

    def _line(self, mark: str, label: str) -> list[str]:
        return [mark * self.size + (f" {label}" if label else "") + self.newline]

    def _whole(self, lines: Sequence[str]) -> list[str]:
        """The lines, the last one ended."""
        if lines and not lines[-1].endswith("\n"):
            return [*lines[:-1], lines[-1] + self.newline]
        return list(lines)
