"""Merging the units of a package, on all CPUs where that pays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pkgupdate.merge.decisions import Decision
from pkgupdate.package.match import Unit
from pkgupdate.package.not_mergeable import NotMergeable, Reason
from pkgupdate.package.resources import Merged, UnitMerger
from pkgupdate.package.schemas import PackageSchemas

_WORTH_SHARING = 200_000
"""Characters to parse from which copies are made; on two cores they pay from 70,000 on."""


class _Outcome(NamedTuple):
    """What became of a unit: all of `Merged` but the unit, or why its files are not mergeable.

    was_parsed: which versions had to be.
    """

    result: tuple[str | None, str, list[Decision]] | Mapping[str, Reason]
    was_parsed: tuple[bool, ...]


def merge_units(units: Sequence[Unit], merger: UnitMerger, schemas: PackageSchemas) -> list[Merged]:
    """The results in the order of the units. Raises NotMergeable that names all files concerned.

    schemas: those that the merger uses.
    """

    def outcome(place: int) -> _Outcome:
        return _outcome(merger, units[place])

    costly = [place for place, unit in enumerate(units) if merger.has_to_parse(unit)]
    outcomes: dict[int, _Outcome] = {}
    if sum(_size(units[place]) for place in costly) >= _WORTH_SHARING:
        from pkgupdate.package.workers import processes, shared_out

        if (number := processes()) > 1:
            first = _first_of_custom_kinds(units, costly, schemas)
            outcomes = {place: outcome(place) for place in first}
            rest = sorted(
                (place for place in costly if place not in first),
                key=lambda place: _size(units[place]),
                reverse=True,
            )
            outcomes |= shared_out(outcome, rest, number)
    merged: list[Merged] = []
    reasons: dict[str, Reason] = {}
    for place, unit in enumerate(units):
        result, was_parsed = outcomes.pop(place) if place in outcomes else outcome(place)
        for resource, parsed in zip(unit, was_parsed, strict=True):
            if resource:
                resource.part.was_parsed |= parsed
                resource.part.forget_document()
        if isinstance(result, tuple):
            merged.append(Merged(unit, *result))
        else:
            reasons |= result
    if reasons:
        raise NotMergeable(reasons)
    return merged


def _outcome(merger: UnitMerger, unit: Unit) -> _Outcome:
    result: tuple[str | None, str, list[Decision]] | Mapping[str, Reason]
    try:
        merged = merger.merge(unit)
        result = merged.text, merged.path, merged.decisions
    except NotMergeable as fault:
        result = fault.reasons
    return _Outcome(result, tuple(bool(r and r.part.was_parsed) for r in unit))


def _size(unit: Unit) -> int:
    return sum(len(resource.part.text) for resource in unit if resource)


def _first_of_custom_kinds(
    units: Sequence[Unit], places: Sequence[int], schemas: PackageSchemas
) -> set[int]:
    """One unit of each kind whose definition may be looked for.

    They are merged before the rest is shared out: if they need the definition, so will others of
    their kind, and then it is there for all processes.
    """
    first: dict[tuple[str, str], int] = {}
    for place in places:
        for resource in units[place]:
            if resource and resource.identity:
                first.setdefault((resource.identity.group, resource.identity.kind), place)
    return {place for kind, place in first.items() if not schemas.is_builtin(*kind)}
