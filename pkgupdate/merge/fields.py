"""Maps: field by field; a field that only one side has is added or deleted whole."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pkgupdate.document.values import MISSING, MaybeValue, Missing, Typed, Value
from pkgupdate.merge.exclusive import merge_exclusive
from pkgupdate.merge.order import insertion_points
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.slots import Home, Slot, SlotSides, child, collection_in, is_map, text_of
from pkgupdate.paths import Path
from pkgupdate.schema import Schema

if TYPE_CHECKING:
    from pkgupdate.merge.merger import Merger


class Fields:
    """The fields of a map on all three sides, by key; a side that is no map has none."""

    def __init__(self, merger: Merger, sides: SlotSides) -> None:
        self._merger = merger
        self.sides = sides
        self.data: Sides[dict[Value, Value]] = sides.map(fields_of)
        self._positions = self.data.map(lambda data: {key: i for i, key in enumerate(data)})

    @cached_property
    def keys(self) -> list[Value]:
        """All keys: local's in their order, then upstream's new ones, then those that are gone."""
        original, upstream, local = self.data
        keys = [*local, *(key for key in upstream if key not in local)]
        return keys + [key for key in original if key not in local and key not in upstream]

    def values(self, key: Value) -> Sides[MaybeValue]:
        """The values of a key."""
        return self.data.map(lambda data: data.get(key, MISSING))

    def slots(self, key: Value) -> SlotSides:
        """Where the values of a key are."""
        return Sides(
            *(
                child(slot, positions[key])
                if key in positions and isinstance(slot, Slot)
                else MISSING
                for slot, positions in zip(self.sides, self._positions, strict=True)
            )
        )

    def home(self, key: Value) -> Home | None:
        """Where in the local map a key belongs that only upstream has."""
        if key in self.data.local or isinstance(self.sides.local, Missing):
            return None
        return Home(collection_in(self.sides.local), self._points[key], key)

    @cached_property
    def _points(self) -> dict[Value, int]:
        """The order of the local keys stays; reordering keys means nothing to any reader."""
        positions = self._positions.local
        if self._merger.policy.kpt_compat:
            return {key: len(positions) - 1 for key in self.data.upstream}
        keys: Sides[list[Value]] = self.data.map(lambda data: list(data))
        points = insertion_points(keys, list(positions))
        return {key: -1 if after is None else positions[after] for key, after in points.items()}


def merge_fields(merger: Merger, sides: SlotSides, path: Path, schema: Schema) -> None:
    """Merge the fields of local's map with those of the others."""
    fields = Fields(merger, sides)
    original, upstream, local = fields.data
    settled = merge_exclusive(merger, fields, path, schema)
    for key in fields.keys:
        if not merger.thorough and (
            original.get(key, MISSING) == upstream.get(key, MISSING) == local.get(key, MISSING)
        ):
            continue
        if key in settled:
            continue
        name = text_of(key)
        home = fields.home(key) if key in upstream else None
        merger.merge(fields.slots(key), (*path, name), schema.field(name), home)


def fields_of(slot: Slot | Missing) -> dict[Value, Value]:
    """The canonical value of a map, else no fields."""
    if is_map(slot):
        assert isinstance(slot.node.data, dict)
        return slot.node.data
    return {}


def repeats_key(slot: Slot) -> bool:
    """Does the map have a key twice?"""
    return any(isinstance(key, Typed) and key.tag == "dup" for key in fields_of(slot))
