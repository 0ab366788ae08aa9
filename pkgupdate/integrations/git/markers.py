"""Conflict markers: written where two results of a merge differ, and read again from a text.

A merge that decides every collision for the local side and one that decides them all for the other
side agree in every line but those of the collisions. The lines that differ are the smallest blocks
to ask a person about, and taking one side of every block gives one of the two results.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pkgupdate.merge.alignment import Pairs, align
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.text import MarkerStyle

_LABELS = Sides("base", "theirs", "ours")


@dataclass(frozen=True, slots=True)
class MarkerForm:
    """How markers look. labels: original for the base, upstream for theirs, local for ours."""

    style: MarkerStyle = "merge"
    size: int = 7
    labels: Sides[str] = _LABELS


@dataclass(frozen=True, slots=True)
class Block:
    """One pair of line ranges in which ours and theirs differ (half-open, 0-based)."""

    ours: tuple[int, int]
    theirs: tuple[int, int]


def differences(ours: Sequence[str], theirs: Sequence[str]) -> list[Block]:
    """Where two lists of lines differ, in order."""
    blocks = []
    i = j = 0
    for a, b in [*align(ours, theirs), (len(ours), len(theirs))]:
        if a > i or b > j:
            blocks.append(Block((i, a), (j, b)))
        i, j = a + 1, b + 1
    return blocks


def join(blocks: Sequence[Block], span: tuple[int, int]) -> list[Block]:
    """Make one of those blocks that touch the given range of our lines."""
    inside = [b for b in blocks if b.ours[0] <= span[1] and b.ours[1] >= span[0]]
    if len(inside) < 2:
        return list(blocks)
    first, last = inside[0], inside[-1]
    whole = Block((first.ours[0], last.ours[1]), (first.theirs[0], last.theirs[1]))
    at = blocks.index(first)
    return [*blocks[:at], whole, *blocks[at + len(inside) :]]


def write_markers(
    texts: Sides[str], form: MarkerForm, spans: Sequence[tuple[int, int]] = ()
) -> tuple[str, int]:
    """The local text with a marked block wherever the upstream text differs, and their number.

    texts: the original text, which is shown in the blocks if the style asks for it, and two results
        of one merge, with all collisions decided for upstream and for local.
    spans: ranges of local lines in which all differences belong together.
    """
    base, theirs, ours = (lines_of(text) for text in texts)
    blocks = differences(ours, theirs)
    for span in spans:
        blocks = join(blocks, span)
    newline = "\r\n" if ours and ours[0].endswith("\r\n") else "\n"
    anchors = [] if form.style == "merge" else [align(ours, base), align(theirs, base)]
    out: list[str] = []
    position = 0
    for block in blocks:
        out += ours[position : block.ours[0]]
        _end_last_line(out, newline)
        out.append(_marker("<", form.size, form.labels.local, newline))
        out += _whole(ours[slice(*block.ours)], newline)
        if form.style != "merge":
            out.append(_marker("|", form.size, form.labels.original, newline))
            out += _whole(_base_lines(base, anchors, block), newline)
        out.append(_marker("=", form.size, "", newline))
        out += _whole(theirs[slice(*block.theirs)], newline)
        out.append(_marker(">", form.size, form.labels.upstream, newline))
        position = block.ours[1]
    out += ours[position:]
    return "".join(out), len(blocks)


lines_of = re.compile(r"[^\n]*\n|[^\n]+").findall


def _base_lines(base: list[str], anchors: Sequence[Pairs], block: Block) -> list[str]:
    """The lines of the base between those that belong to the lines around the block."""
    start, end = 0, len(base)
    for pairs, (first, last) in zip(anchors, (block.ours, block.theirs), strict=True):
        start = max([start, *(b + 1 for a, b in pairs if a < first)])
        end = min([end, *(b for a, b in pairs if a >= last)])
    return base[start:end]


def _marker(mark: str, size: int, label: str, newline: str) -> str:
    return mark * size + (f" {label}" if label else "") + newline


def _whole(lines: list[str], newline: str) -> list[str]:
    whole = list(lines)
    _end_last_line(whole, newline)
    return whole


def _end_last_line(lines: list[str], newline: str) -> None:
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += newline


@dataclass(frozen=True, slots=True)
class Conflict:
    """A marked block of a text: its 0-based lines (markers included) and what the sides hold.

    base: None if the block does not show it.
    """

    start: int
    end: int
    ours: str
    base: str | None
    theirs: str


_BEGIN = re.compile(r"(<{7,})(?: [^\n]*)?\r?\n")


def read_conflicts(text: str) -> Iterator[Conflict]:
    """The complete marked blocks of a text, in order. Blocks inside blocks belong to the outer."""
    lines = lines_of(text)
    at = 0
    while at < len(lines):
        begin = _BEGIN.fullmatch(lines[at])
        found = _read_block(lines, at, len(begin[1])) if begin else None
        if found:
            yield found
        at = found.end if found else at + 1


def has_markers(text: str) -> bool:
    """Does the text hold a complete marked block?"""
    return "<<<<<<<" in text and next(read_conflicts(text), None) is not None


def take_side(text: str, side: str) -> str:
    """The text with every marked block replaced by its `ours`, `theirs` or `base` lines."""
    lines = lines_of(text)
    out: list[str] = []
    position = 0
    for conflict in read_conflicts(text):
        out += lines[position : conflict.start]
        out.append(getattr(conflict, side) or "")
        position = conflict.end
    return "".join([*out, *lines[position:]])


def _read_block(lines: list[str], start: int, size: int) -> Conflict | None:
    """The block that begins on line `start`, if it is complete."""
    parts: dict[str, list[str]] = {"ours": []}
    now = "ours"
    depth = 0
    for at in range(start + 1, len(lines)):
        mark = _mark(lines[at], size)
        if mark == "<":
            depth += 1
        elif mark == ">" and depth:
            depth -= 1
        elif mark == "|" and not depth and now == "ours":
            now = "base"
            parts[now] = []
            continue
        elif mark == "=" and not depth and now != "theirs":
            now = "theirs"
            parts[now] = []
            continue
        elif mark == ">":
            if now != "theirs":
                return None
            text = {name: "".join(part) for name, part in parts.items()}
            return Conflict(start, at + 1, text["ours"], text.get("base"), text["theirs"])
        parts[now].append(lines[at])
    return None


def _mark(line: str, size: int) -> str:
    """The character of the marker of this size that the line is, empty if it is none."""
    body = line.rstrip("\r\n")
    for mark in "<|=>":
        if body.startswith(mark * size) and body[size : size + 1] in ("", " "):
            return mark
    return ""
