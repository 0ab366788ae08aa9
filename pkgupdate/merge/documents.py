"""The way in: three versions of one YAML document give decisions with edits on the local one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pkgupdate.merge.comments import merge_margins
from pkgupdate.merge.decisions import Decision
from pkgupdate.merge.gates import Place
from pkgupdate.merge.merger import Merger
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.slots import root_slot
from pkgupdate.schema import Schema, SchemaSet

if TYPE_CHECKING:
    from pkgupdate.document.document import Document

__all__ = ["Place", "merge_documents"]

_RECURSION_LIMIT = 20_000
"""Enough for the deepest document (`document.limits.MAX_DEPTH`) at a dozen calls a level."""


def merge_documents(
    sides: Sides[Document | None],
    place: Place,
    schema: Schema,
    policy: Policy,
    *,
    schemas: SchemaSet | None = None,
) -> list[Decision]:
    """Merge one document.

    sides: local is never None; without an original, everything is an addition of both sides.
    place: where the decisions are to say they lie.
    schema: what is known of the document's root. schemas: for resources inside lists.

    Returns the decisions, by and large in document order; their edits are on `sides.local`.
    Raises DocumentError (`duplicate-key`) if both sides changed a map that repeats a key.
    """
    merger = Merger(sides, place, policy, schemas=schemas)
    run(merger, sides, schema)
    return merger.decisions


def run(merger: Merger, sides: Sides[Document | None], schema: Schema) -> None:
    """Merge from the root down."""
    with _deep_recursion():
        if merger.merge(sides.map(root_slot), (), schema):
            merge_margins(merger, sides)


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
