"""The order rule, for list items and map keys alike.

If only one side reordered the common entries, its order is taken; where both did, they collide and
local's stands. An entry added by upstream comes after the upstream neighbour that precedes it, and
after any local-only entries that follow that neighbour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from pkgupdate.merge.sides import Sides

K = TypeVar("K")


class Orders(NamedTuple, Generic[K]):
    """The common entries in the order of each side."""

    common: Sides[list[K]]
    local: Sequence[K]

    def upstream_first(self) -> list[K]:
        """All local entries in upstream's order; others stay behind the one they follow."""
        common = set(self.common.local)
        groups: dict[K, list[K]] = {}
        head: list[K] = []
        group = head
        for key in self.local:
            if key in common:
                group = groups[key] = []
            group.append(key)
        return head + [key for first in self.common.upstream for key in groups[first]]


def orders(sides: Sides[list[K]]) -> Orders[K]:
    """Compare the order of the entries that all three sides have (each entry once a side)."""
    common = set(sides.original) & set(sides.upstream) & set(sides.local)
    return Orders(sides.map(lambda keys: [key for key in keys if key in common]), sides.local)


def insertion_points(sides: Sides[list[K]], merged: Sequence[K]) -> dict[K, K | None]:
    """For each entry that only upstream has to give: the local entry it follows (None: start).

    merged: the local entries in the order they will have.
    """
    known = set(sides.original) | set(sides.upstream)
    position = {key: i for i, key in enumerate(merged)}
    points: dict[K, K | None] = {}
    neighbour: K | None = None
    end = -1
    for key in sides.upstream:
        if key in position:
            neighbour, end = key, -1
            continue
        if end < 0:
            end = position[neighbour] + 1 if neighbour in position else 0
            while end < len(merged) and merged[end] not in known:
                end += 1
        points[key] = merged[end - 1] if end else None
    return points
