"""What a comparison shall leave out or see as equal: options of `PatchMaker.calculate`.

An option gets the operands and gives new ones. It has to treat all sides alike, or it hides real
changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from pkgupdate.document.values import MISSING
from pkgupdate.patch.values import Data, Map, text
from pkgupdate.paths import ANY, ANY_DEPTH, Keyed, Pattern, Segment, Wildcard, parse_pattern
from pkgupdate.schema import Schema


@dataclass(frozen=True, slots=True, repr=False)
class Operands:
    """The sides of a comparison.

    current: the live object. modified: the desired one. original: what was last applied, empty if
    that is not known. schema: of the resource.
    """

    current: Map
    modified: Map
    original: Map
    schema: Schema

    def each(self, change: Callable[[Map], Map]) -> Operands:
        """The operands with every side changed in the same way."""
        return replace(
            self,
            current=change(self.current),
            modified=change(self.modified),
            original=change(self.original),
        )


Option: TypeAlias = Callable[[Operands], Operands]


def ignore_field(name: str) -> Option:
    """Leave out the top-level field `name`."""
    return lambda operands: operands.each(
        lambda side: {key: value for key, value in side.items() if key != name}
    )


def ignore_status() -> Option:
    """Leave out `status`."""
    return ignore_field("status")


def ignore_path(path: str | Pattern) -> Option:
    """Leave out what a path or pattern covers, as in `spec.replicas` or
    `spec.**.containers[name=web].image`.

    Raises UsageError (`path-syntax`).
    """
    pattern = parse_pattern(path) if isinstance(path, str) else path

    def change(side: Map) -> Map:
        left = without(side, pattern)
        return left if isinstance(left, dict) else {}

    return lambda operands: operands.each(change)


def ignore_claim_templates() -> Option:
    """Leave out what the server adds to a StatefulSet's `volumeClaimTemplates`: type and status."""
    return lambda operands: operands.each(_plain_claim_templates)


def _plain_claim_templates(side: Map) -> Map:
    if side.get("kind") != "StatefulSet":
        return side
    for field in ("apiVersion", "kind", "status"):
        left = without(side, ("spec", "volumeClaimTemplates", ANY, field))
        side = left if isinstance(left, dict) else {}
    return side


def without(data: Data, pattern: Pattern) -> Data:
    """The data without what the pattern covers; MISSING if that is all of it."""
    if not pattern:
        return MISSING
    if pattern[0] is ANY_DEPTH:
        data = without(data, pattern[1:])
        rest = pattern
    else:
        rest = pattern[1:]
    if isinstance(data, dict):
        pairs = (
            (key, without(value, rest) if _names(pattern[0], key, value) else value)
            for key, value in data.items()
        )
        return {key: value for key, value in pairs if value is not MISSING}
    if isinstance(data, list):
        items = (
            without(item, rest) if _names(pattern[0], i, item) else item
            for i, item in enumerate(data)
        )
        return [item for item in items if item is not MISSING]
    return data


def _names(segment: Segment | Wildcard, key: str | int, value: Data) -> bool:
    """Does the segment of a pattern stand for this field or item?"""
    if isinstance(segment, Wildcard):
        return True
    if isinstance(segment, Keyed):
        return (
            isinstance(key, int)
            and isinstance(value, dict)
            and all(k in value and text(value[k]) == v for k, v in segment.pairs)
        )
    return segment == key and type(segment) is type(key)
