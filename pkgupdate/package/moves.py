"""Files that were moved or renamed: those that are not split into resources.

A move matters only where the other side changed the file; the rest is a deletion and an addition.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from pkgupdate.document.stream import decode
from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.merge.sides import Sides
from pkgupdate.package.likeness import Features, line_features, pair_alike
from pkgupdate.package.sources import Source, Sources
from pkgupdate.package.tree import FileKind


class Move(NamedTuple):
    """A file under the names that it has in the three versions, and its name afterwards."""

    paths: Sides[str]
    path: str


def find_moves(
    sources: Sources, is_plain: Callable[[str], bool]
) -> tuple[list[Move], list[Decision]]:
    """Moves by upstream of files edited here, and moves made here of files edited upstream.

    is_plain: which paths are in question. Names that could be meant equally are reported, not
    guessed.
    """
    original, upstream, local = sources
    gone_upstream = [
        path
        for path in _plain(original.paths - upstream.paths, is_plain)
        if path in local.paths and local.entry(path) != original.entry(path)
    ]
    new_upstream = _plain(upstream.paths - original.paths - local.paths, is_plain)
    gone_here = [
        path
        for path in _plain((original.paths & upstream.paths) - local.paths, is_plain)
        if upstream.entry(path) != original.entry(path)
    ]
    new_here = _plain(local.paths - original.paths - upstream.paths, is_plain) if gone_here else []
    by_upstream, notes = _pair(original, gone_upstream, upstream, new_upstream)
    by_local, more = _pair(original, gone_here, local, new_here)
    moves = [Move(Sides(old, new, old), new) for old, new in by_upstream]
    moves += (Move(Sides(old, old, new), new) for old, new in by_local)
    return moves, notes + more


def _plain(paths: Iterable[str], is_plain: Callable[[str], bool]) -> list[str]:
    return sorted(path for path in paths if is_plain(path))


def _pair(
    original: Source, gone: list[str], other: Source, new: list[str]
) -> tuple[list[tuple[str, str]], list[Decision]]:
    """Pairs with the same content, then those of text that are clearly alike."""
    if not gone or not new:
        return [], []
    by_oid: dict[str, list[str]] = defaultdict(list)
    for path in new:
        entry = other.entry(path)
        by_oid[entry.oid if entry else ""].append(path)
    pairs: list[tuple[str, str]] = []
    for path in gone:
        entry = original.entry(path)
        same = by_oid.get(entry.oid, []) if entry else []
        if len(same) == 1:
            pairs.append((path, same.pop()))
    taken = {path for pair in pairs for path in pair}
    features = partial(_features, original, other, frozenset(gone))
    alike, ambiguous = pair_alike(
        [path for path in gone if path not in taken],
        [path for path in new if path not in taken],
        features,
    )
    notes = [
        Decision(
            Kind.KEPT,
            Rule.AMBIGUOUS,
            Subject.FILE,
            file=path,
            note="it may have been moved, but several are equally alike: " + ", ".join(names),
        )
        for path, names in ambiguous
    ]
    return pairs + alike, notes


def _features(original: Source, other: Source, gone: frozenset[str], path: str) -> Features:
    source = original if path in gone else other
    entry = source.entry(path)
    is_link = entry is None or entry.kind is FileKind.LINK
    text = None if is_link else decode(source.read(path))
    return line_features(text) if text else line_features(f"{entry}")
