"""The parts of a value that the policy closes to upstream."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pkgupdate.document.values import MISSING, MaybeValue, Missing, Value
from pkgupdate.merge.associative import segments_of
from pkgupdate.merge.decisions import Rule
from pkgupdate.merge.gates import Reach
from pkgupdate.merge.slots import text_of
from pkgupdate.paths import Path
from pkgupdate.schema import Schema

if TYPE_CHECKING:
    from pkgupdate.merge.merger import Merger


class Closed(NamedTuple):
    """A part of a value that upstream may not change, and the rule that says so."""

    path: Path
    value: Value
    rule: Rule


def open_part(
    merger: Merger, value: MaybeValue, path: Path, schema: Schema
) -> tuple[MaybeValue, list[Closed]]:
    """The value without its closed parts (MISSING: nothing is left), and these parts."""
    if isinstance(value, Missing):
        return MISSING, []
    is_leaf = not (isinstance(value, dict | list) and value)
    barrier = merger.gate(path, is_leaf=is_leaf)
    if barrier.reach is Reach.OPEN:
        return value, []
    if barrier.reach is Reach.CLOSED or is_leaf:
        assert barrier.rule is not None
        return MISSING, [Closed(path, value, barrier.rule)]
    closed: list[Closed] = []
    if isinstance(value, dict):
        kept_fields: dict[Value, Value] = {}
        for key, item in value.items():
            name = text_of(key)
            part, below = open_part(merger, item, (*path, name), schema.field(name))
            closed += below
            if not isinstance(part, Missing):
                kept_fields[key] = part
        return kept_fields or MISSING, closed
    assert isinstance(value, list)
    kept_items: list[Value] = []
    segments = segments_of(value, schema)
    for segment, item in zip(segments, value, strict=True):
        part, below = open_part(merger, item, (*path, segment), schema.items())
        closed += below
        if not isinstance(part, Missing):
            kept_items.append(part)
    return kept_items or MISSING, closed
