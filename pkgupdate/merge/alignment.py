"""Which elements of two sequences correspond: a common subsequence in about n log n steps.

The way of patience diff: elements that occur once on each side anchor the alignment, then the gaps
between the anchors are aligned in the same manner. It is used for lines of text and list items.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeAlias

Pairs: TypeAlias = "list[tuple[int, int]]"

_EXACT_CELLS = 40_000
"""Gaps of up to this product of lengths get a longest common subsequence."""


def align(a: Sequence[Hashable], b: Sequence[Hashable]) -> Pairs:
    """Index pairs of equal elements, increasing in both; not always as many as there could be."""
    pairs: Pairs = []
    gaps = [(0, len(a), 0, len(b))]
    while gaps:
        a0, a1, b0, b1 = gaps.pop()
        while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
            pairs.append((a0, b0))
            a0, b0 = a0 + 1, b0 + 1
        while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
            a1, b1 = a1 - 1, b1 - 1
            pairs.append((a1, b1))
        if a0 == a1 or b0 == b1:
            continue
        left, right = a[a0:a1], b[b0:b1]
        anchors = _anchors(_unique(left), _unique(right))
        if not anchors and len(left) * len(right) <= _EXACT_CELLS:
            pairs += ((a0 + i, b0 + j) for i, j in _longest(left, right))
            continue
        anchors = anchors or _anchors(_ranked(left), _ranked(right))
        if not anchors:
            continue
        i, j = a0, b0
        for da, db in anchors:
            gaps.append((i, a0 + da, j, b0 + db))
            pairs.append((a0 + da, b0 + db))
            i, j = a0 + da + 1, b0 + db + 1
        gaps.append((i, a1, j, b1))
    pairs.sort()
    return pairs


def _unique(part: Sequence[Hashable]) -> dict[Hashable, int]:
    """The elements that occur once, with their position."""
    counts = Counter(part)
    return {item: i for i, item in enumerate(part) if counts[item] == 1}


def _ranked(part: Sequence[Hashable]) -> dict[Hashable, int]:
    """Every element made unique by counting it: the third `x` pairs with the third `x`."""
    seen: Counter[Hashable] = Counter()
    ranked: dict[Hashable, int] = {}
    for i, item in enumerate(part):
        ranked[item, seen[item]] = i
        seen[item] += 1
    return ranked


def _anchors(left: dict[Hashable, int], right: dict[Hashable, int]) -> Pairs:
    return _increasing((i, right[item]) for item, i in left.items() if item in right)


def _increasing(pairs: Iterable[tuple[int, int]]) -> Pairs:
    """The longest run of pairs, sorted by their first part, that also increases in the second."""
    tails: list[int] = []
    nodes: list[tuple[tuple[int, int], int]] = []
    ends: list[int] = []
    for pair in pairs:
        at = bisect_left(tails, pair[1])
        nodes.append((pair, ends[at - 1] if at else -1))
        tails[at : at + 1] = [pair[1]]
        ends[at : at + 1] = [len(nodes) - 1]
    run: Pairs = []
    at = ends[-1] if ends else -1
    while at >= 0:
        pair, at = nodes[at]
        run.append(pair)
    return run[::-1]


def _longest(a: Sequence[Hashable], b: Sequence[Hashable]) -> Pairs:
    """A longest common subsequence, by the textbook table."""
    table = [[0] * (len(b) + 1)]
    for item in a:
        above, row = table[-1], [0]
        for j, other in enumerate(b):
            row.append(above[j] + 1 if item == other else max(above[j + 1], row[j]))
        table.append(row)
    pairs: Pairs = []
    i, j = len(a), len(b)
    while i and j:
        if a[i - 1] == b[j - 1]:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif table[i - 1][j] >= table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]
