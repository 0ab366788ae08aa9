"""The three versions of one thing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")
U = TypeVar("U")


class Sides(NamedTuple, Generic[T]):
    """original = what was last fetched, upstream = the new ref, local = the working copy."""

    original: T
    upstream: T
    local: T

    def map(self, function: Callable[[T], U]) -> Sides[U]:
        """The same of every side."""
        return Sides(function(self.original), function(self.upstream), function(self.local))
