"""A whole value of which the policy opens only a part to upstream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pkgupdate.document.edits import FromData
from pkgupdate.document.values import MISSING, Missing
from pkgupdate.merge import fields
from pkgupdate.merge.closed import open_part
from pkgupdate.merge.decisions import Kind
from pkgupdate.merge.gates import Verdict, winner
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.slots import Home, SlotSides, data_of, is_map
from pkgupdate.merge.three_way import Outcome
from pkgupdate.paths import Path
from pkgupdate.schema import Schema

if TYPE_CHECKING:
    from pkgupdate.merge.merger import Merger


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
