"""The three versions of one thing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Sides(Generic[T]):
    """original = what was last fetched, upstream = the new ref, local = the working copy."""

    original: T
    upstream: T
    local: T

    def __iter__(self) -> Iterator[T]:
        return iter((self.original, self.upstream, self.local))

    def map(self, function: Callable[[T], U]) -> Sides[U]:
        """The same of every side."""
        return Sides(function(self.original), function(self.upstream), function(self.local))
