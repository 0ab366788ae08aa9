"""A whole value of which the policy opens only a part to upstream."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pkgupdate.document.edits import FromData
from pkgupdate.document.values import MISSING, MaybeValue, Missing, Value
from pkgupdate.merge import fields, lists
from pkgupdate.merge.decisions import Kind, Rule
from pkgupdate.merge.gates import Reach, Verdict, winner
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.slots import Home, SlotSides, data_of, is_map, text_of
from pkgupdate.merge.three_way import Outcome
from pkgupdate.paths import Path
from pkgupdate.schema import Schema

if TYPE_CHECKING:
    from pkgupdate.merge.merger import Merger


class Closed(NamedTuple):
    """A part of a value that upstream may not change, and the rule that says so."""

    path: Path
    value: Value
    rule: Rule


def take_open_part(
    merger: Merger,
    sides: SlotSides,
    path: Path,
    schema: Schema,
    home: Home | None,
    outcome: Outcome,
) -> bool | None:
    """Take from upstream's value what the policy lets through; the rest is withheld.

    Returns what `Merger.unit` returns, or None if no part is closed or local wins anyway.
    """
    if winner(outcome, merger.policy) == "local":
        return None
    values = sides.map(data_of)
    _, closed_local = open_part(merger, values.local, path, schema)
    if isinstance(sides.upstream, Missing) and closed_local and is_map(sides.local):
        fields.merge_fields(merger, sides, path, schema)
        return True
    part, closed = open_part(merger, values.upstream, path, schema)
    if not closed and not closed_local:
        return None
    if closed_local or part is MISSING:
        rule = (closed_local or closed)[0].rule
        verdict = Verdict(Kind.WITHHELD, rule, "local")
        merger.add(verdict, path, values, values.local)
        return True
    assert not isinstance(part, Missing)
    verdict = Verdict(outcome.kind, outcome.rule, "upstream")
    edits = merger.edits(FromData(part), sides.local, home)
    merger.add(verdict, path, values, part, edits, note="without the parts that were withheld")
    for piece in closed:
        merger.add(
            Verdict(Kind.WITHHELD, piece.rule, "local"),
            piece.path,
            Sides(MISSING, piece.value, MISSING),
            MISSING,
        )
    return True


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
    segments = lists.segments_of(merger, value, schema)
    for segment, item in zip(segments, value, strict=True):
        part, below = open_part(merger, item, (*path, segment), schema.items())
        closed += below
        if not isinstance(part, Missing):
            kept_items.append(part)
    return kept_items or MISSING, closed
