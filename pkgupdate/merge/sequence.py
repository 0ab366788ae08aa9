"""Positional lists: which items of the three sides are the same one.

Each side is aligned with the original on its own: equal items first, in order; then whole maps and
lists that moved (equal, and once on both sides); then, between these, items that are alike, since
they are taken for edits of each other. Whatever is left over was deleted or added. So an item that
one side edited and its neighbours that the other side edited all combine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TypeAlias

from pkgupdate.document.values import Value
from pkgupdate.merge.alignment import Pairs, align
from pkgupdate.merge.likeness import likeness
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.slots import freeze

Alike: TypeAlias = Callable[[Value, Value], float]

_ALIKE = 0.5
"""From this likeness on, one item is taken for an edit of the other."""
_ALIKE_ALONE = 0.25
"""The same, where a single item stands between the same neighbours on both sides."""
_MAX_CELLS = 2_500
"""Gaps with more pairs than this are not searched for likeness."""


def match_items(items: Sides[list[Value]], alike: Alike = likeness) -> list[Sides[int | None]]:
    """One row for every item, with its position on each side (None where it is not)."""
    frozen = items.map(lambda side: [freeze(item) for item in side])
    upstream = _partners(items.original, items.upstream, frozen.original, frozen.upstream, alike)
    local = _partners(items.original, items.local, frozen.original, frozen.local, alike)
    rows: list[Sides[int | None]] = [
        Sides(i, upstream.get(i), local.get(i)) for i in range(len(items.original))
    ]
    added = (
        _additions(len(items.upstream), upstream),
        _additions(len(items.local), local),
    )
    both = dict(_added_by_both(items, frozen, *added))
    both.update(_added_apart(items, frozen, *added, both))
    rows += [Sides(None, both.get(k), k) for gap in added[1].values() for k in gap]
    shared = set(both.values())
    rows += [Sides(None, j, None) for gap in added[0].values() for j in gap if j not in shared]
    return rows


def _partners(
    a: list[Value],
    b: list[Value],
    frozen_a: Sequence[Hashable],
    frozen_b: Sequence[Hashable],
    alike: Alike,
) -> dict[int, int]:
    """The position in `b` of the items of `a` that are still there."""
    aligned = align(frozen_a, frozen_b)
    partners = dict(aligned)
    partners.update(_moved(a, frozen_a, frozen_b, partners))
    taken = set(partners.values())
    i = j = 0
    for end_a, end_b in [*aligned, (len(a), len(b))]:
        left = [x for x in range(i, end_a) if x not in partners]
        right = [y for y in range(j, end_b) if y not in taken]
        if left and right:
            partners.update(_edited(a, b, left, right, alike))
        i, j = end_a + 1, end_b + 1
    return partners


def _moved(
    a: list[Value],
    frozen_a: Sequence[Hashable],
    frozen_b: Sequence[Hashable],
    partners: dict[int, int],
) -> Pairs:
    """Maps and lists that both sides have once, and that only a move keeps apart."""
    if len(partners) == len(frozen_a):
        return []
    once_a, once_b = Counter(frozen_a), Counter(frozen_b)
    positions = {item: y for y, item in enumerate(frozen_b)}
    return [
        (x, positions[item])
        for x, item in enumerate(frozen_a)
        if x not in partners and isinstance(a[x], dict | list) and once_a[item] == once_b[item] == 1
    ]


def _edited(
    a: list[Value], b: list[Value], left: list[int], right: list[int], alike: Alike
) -> Pairs:
    """Pair the items between two neighbours by likeness, keeping their order."""
    if len(left) == len(right) == 1:
        x, y = left[0], right[0]
        return [(x, y)] if _scalars(a[x], b[y]) or alike(a[x], b[y]) >= _ALIKE_ALONE else []
    pairs: Pairs = []
    if len(left) * len(right) <= _MAX_CELLS:
        pairs = _most_alike(a, b, left, right, alike)
    if not pairs and len(left) == len(right):
        pairs = [(x, y) for x, y in zip(left, right, strict=True) if _scalars(a[x], b[y])]
    return pairs


def _scalars(a: Value, b: Value) -> bool:
    return not isinstance(a, dict | list) and not isinstance(b, dict | list)


def _most_alike(
    a: list[Value], b: list[Value], left: list[int], right: list[int], alike: Alike
) -> Pairs:
    """The pairing in order with the greatest sum of likeness."""
    scores = [[alike(a[x], b[y]) for y in right] for x in left]
    best = [[0.0] * (len(right) + 1)]
    for row_scores in scores:
        above, row = best[-1], [0.0]
        for k, score in enumerate(row_scores):
            paired = above[k] + score if score >= _ALIKE else 0.0
            row.append(max(paired, above[k + 1], row[k]))
        best.append(row)
    pairs: Pairs = []
    i, k = len(left), len(right)
    while i and k:
        if best[i][k] == best[i - 1][k]:
            i -= 1
        elif best[i][k] == best[i][k - 1]:
            k -= 1
        else:
            i, k = i - 1, k - 1
            pairs.append((left[i], right[k]))
    return pairs


def _additions(length: int, partners: dict[int, int]) -> dict[int, list[int]]:
    """New items of a side, by the original item that they follow (-1: none)."""
    originals = {place: i for i, place in partners.items()}
    gaps: dict[int, list[int]] = {}
    gap = -1
    for place in range(length):
        if place in originals:
            gap = originals[place]
        else:
            gaps.setdefault(gap, []).append(place)
    return gaps


def _added_by_both(
    items: Sides[list[Value]],
    frozen: Sides[list[Hashable]],
    upstream: dict[int, list[int]],
    local: dict[int, list[int]],
) -> Pairs:
    """Pairs (local, upstream) of equal items that both sides added at the same place."""
    pairs: Pairs = []
    for gap, in_local in local.items():
        in_upstream = upstream.get(gap, [])
        of_local = [frozen.local[k] for k in in_local]
        of_upstream = [frozen.upstream[j] for j in in_upstream]
        is_same_run = of_local == of_upstream
        pairs += (
            (in_local[x], in_upstream[y])
            for x, y in align(of_local, of_upstream)
            if is_same_run or not _is_option_word(items.local[in_local[x]])
        )
    return pairs


def _added_apart(
    items: Sides[list[Value]],
    frozen: Sides[list[Hashable]],
    upstream: dict[int, list[int]],
    local: dict[int, list[int]],
    both: dict[int, int],
) -> Pairs:
    """Pairs (local, upstream) of equal items that both sides added, at different places.

    Only what either side has just once: an item that repeats means something at each of its places,
    and so may one behind an option word.
    """
    place = {frozen.upstream[j]: j for gap in upstream.values() for j in gap}
    apart = [(k, frozen.local[k]) for gap in local.values() for k in gap if k not in both]
    apart = [(k, item) for k, item in apart if item in place]
    if not apart or any(_is_option_word(item) for side in items for item in side):
        return []
    counts = frozen.map(Counter)
    return [
        (k, place[item])
        for k, item in apart
        if not counts.original[item] and counts.upstream[item] == counts.local[item] == 1
    ]


def _is_option_word(item: Value) -> bool:
    """Is it an option such as ``--set``, which may come again with another argument?"""
    return isinstance(item, str) and item.startswith("-") and "=" not in item
