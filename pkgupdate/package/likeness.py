"""How alike two resources or two text files are, to find what was renamed.

A likeness is 0 (nothing in common) to 1 (the same). A pair is a rename only if it is clearly the
best for both of its parts; where several are about as good, nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final, TypeVar

from pkgupdate.document.values import MaybeValue

T = TypeVar("T")
Features = Counter[Hashable]

THRESHOLD: Final = 0.6
"""Less alike than this are two different things (Git's rename detection takes 0.5)."""
MARGIN: Final = 0.1
"""By how much the best partner has to be better than the next."""
MAX_CANDIDATES: Final = 200
"""With more than this on either side, no rename is looked for: the time grows with the square."""

MAX_WORK: Final = 10_000_000
"""The same if comparing all pairs would look at more features than this (a few seconds)."""

_NAMING_FIELDS = (("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace"))


def value_features(data: MaybeValue) -> Features:
    """The scalars of a resource with where they stand, without those that name it.

    List items count by value, not by position, so that an insertion does not shift them all.
    """
    return Counter(leaf for leaf in _leaves(data, ()) if leaf[0] not in _NAMING_FIELDS)


def line_features(text: str) -> Features:
    """The lines of a text that say something."""
    return Counter(line for line in (line.strip() for line in text.splitlines()) if line)


def likeness(one: Features, other: Features) -> float:
    """The share of features in common."""
    total = (one | other).total()
    return (one & other).total() / total if total else 0.0


def _leaves(data: MaybeValue, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(data, dict) and data:
        for key, value in data.items():
            yield from _leaves(value, (*path, str(key)))
    elif isinstance(data, list) and data:
        for value in data:
            yield from _leaves(value, (*path, "[]"))
    else:
        yield path, repr(data)


def pair_alike(
    ones: Sequence[T], others: Sequence[T], features: Callable[[T], Features]
) -> tuple[list[tuple[T, T]], list[tuple[T, list[T]]]]:
    """Pairs that are clearly each other's best, and those of `ones` with more than one good match.

    Both lists are in the order of `ones`.
    """
    if not ones or not others or max(len(ones), len(others)) > MAX_CANDIDATES:
        return [], []
    left = [features(one) for one in ones]
    right = [features(other) for other in others]
    if len(right) * sum(map(len, left)) + len(left) * sum(map(len, right)) > MAX_WORK:
        return [], []
    scores = [[likeness(a, b) for b in right] for a in left]
    pairs: list[tuple[T, T]] = []
    ambiguous: list[tuple[T, list[T]]] = []
    for i, row in enumerate(scores):
        good = [j for j, score in enumerate(row) if score >= THRESHOLD]
        if not good:
            continue
        best = max(good, key=row.__getitem__)
        rivals = [row[j] for j in good if j != best]
        rivals += [scores[k][best] for k in range(len(scores)) if k != i]
        if all(row[best] - score >= MARGIN for score in rivals):
            pairs.append((ones[i], others[best]))
        else:
            close = [j for j in good if row[best] - row[j] < MARGIN]
            ambiguous.append((ones[i], [others[j] for j in close]))
    return pairs, ambiguous
