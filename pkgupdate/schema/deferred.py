"""Places in a type that is looked up only when a list has to know how its items match."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from pkgupdate.schema.model import Schema


class Deferred(Schema):
    """A place that `find` gives when it is first needed; going down to a field needs nothing.

    To be used for types of which only lists matter to the caller: until then it has no shape.
    """

    __slots__ = ("_find",)

    def __init__(self, find: Callable[[], Schema]) -> None:
        self._find = cache(find)
        self.shape = "any"
        self.type_name = ""

    def __getattr__(self, name: str) -> Any:
        """Everything else is as it is at the place itself."""
        return getattr(self._find(), name)

    def field(self, key: str) -> Schema:
        """The place of a map's or struct's value at `key`."""
        return Deferred(lambda: self._find().field(key))

    def items(self) -> Schema:
        """The place of every item of the list."""
        return self._find().items()

    def has_field(self, key: str) -> bool:
        """Does the type allow `key` here?"""
        return self._find().has_field(key)
