"""Lists: how the items of one find their partners, and what becomes of them.

The first of these that fits:

1. a schema (Kubernetes, CRD, policy) calls the list atomic: it is one value;
2. it is a set by schema: items are their own keys;
3. it has merge keys by schema: associative by these; an item that has another key on one side is
   known by its `name`, if it has one (a port whose number changed);
4. its items are resources: associative by group, kind, namespace and name;
5. nothing is known, and every item on all sides has a distinct scalar `name`: associative by it;
6. otherwise positional: items pair by value, by likeness and by place (see `sequence`).

Keys that repeat (2, 3, 4) make the list positional; a note says so. A positional list that both
sides created is one value if it holds anything but maps: two commands make no third.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pkgupdate.document.edits import Edit, Reorder
from pkgupdate.document.values import MISSING, MaybeValue, Missing, Value
from pkgupdate.merge import associative, sequence
from pkgupdate.merge.decisions import Kind, Rule, Subject
from pkgupdate.merge.gates import Verdict, judge
from pkgupdate.merge.order import insertion_points, orders
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.slots import Home, Slot, SlotSides, child, collection_in, is_list, text_of
from pkgupdate.merge.three_way import decide
from pkgupdate.paths import Foreign, Path, Segment, format_path
from pkgupdate.schema import Schema

if TYPE_CHECKING:
    from pkgupdate.merge.merger import Merger

Row = Sides[int | None]
"""Which items of the three sides are the same one, by position."""


class Matching(NamedTuple):
    """The items of a list, one row for each; `segments` name them in paths."""

    rows: list[Row]
    segments: list[Segment]
    is_ordered: bool = True
    has_repeats: bool = False


def match(merger: Merger, sides: SlotSides, schema: Schema) -> Matching | None:
    """Pair the items by the first rule that fits; None: the list is one value."""
    items = sides.map(items_of)
    rule = schema.list_rule
    if rule is not None and rule.kind == "atomic":
        return None
    key_of: associative.KeyOf | None = None
    if rule is not None:
        key_of = associative.by_value if rule.kind == "set" else associative.by_rule(rule)
    elif merger.policy.kpt_compat:
        return None
    elif schema.items().is_resource:
        key_of = associative.by_identity
    has_repeats = False
    if key_of is not None:
        matching = match_by_key(items, key_of)
        if matching is not None and rule is not None and rule.kind == "set":
            return by_position(matching.rows)._replace(is_ordered=False)
        if matching is not None and rule is not None and not merger.policy.kpt_compat:
            return join_rows(matching, items, associative.by_name)
        if matching is not None:
            return matching
        has_repeats = all(associative.keys_of(side, key_of) is not None for side in items)
    elif not schema.is_known:
        matching = match_by_key(items, associative.by_name)
        if matching is not None:
            return matching
    if merger.policy.kpt_compat:
        return None
    is_new = not is_list(sides.original)
    if is_new and not all(isinstance(item, dict) for side in items for item in side):
        return None
    return by_position(sequence.match_items(items))._replace(has_repeats=has_repeats)


def match_by_key(items: Sides[list[Value]], key_of: associative.KeyOf) -> Matching | None:
    """Pair items by key; None if an item has none or a side has one twice."""
    keys = [associative.keys_of(side, key_of) for side in items]
    found: list[dict[Segment, int]] = []
    for side in keys:
        if side is None or len(set(side)) < len(side):
            return None
        found.append({key: i for i, key in enumerate(side)})
    original, upstream, local = found
    segments = list({**local, **upstream, **original})
    rows = [Sides(original.get(s), upstream.get(s), local.get(s)) for s in segments]
    return Matching(rows, segments)


def join_rows(
    matching: Matching, items: Sides[list[Value]], mark_of: Callable[[Value], Hashable | None]
) -> Matching:
    """Make one row of an item that has another key on one side: it goes by two rows so far.

    mark_of: what tells that item by (None: nothing does). Items that share a mark stay apart.
    """
    rows = dict(zip(matching.segments, matching.rows, strict=True))
    for pick in (1, 2):
        side = tuple(items)[pick]
        gone, new = defaultdict(list), defaultdict(list)
        for segment, row in rows.items():
            index = tuple(row)[pick]
            if row.original is not None and index is None:
                gone[mark_of(items.original[row.original])].append(segment)
            elif row.original is None and index is not None:
                new[mark_of(side[index])].append(segment)
        for mark in gone.keys() & new.keys() - {None}:
            if len(gone[mark]) == len(new[mark]) == 1:
                _join(rows, gone[mark][0], new[mark][0])
    return Matching(list(rows.values()), list(rows))


def _join(rows: dict[Segment, Row], old: Segment, new: Segment) -> None:
    pairs = list(zip(rows[old], rows[new], strict=True))
    if not any(a is not None and b is not None for a, b in pairs):
        del rows[new]
        rows[old] = Sides(*(b if a is None else a for a, b in pairs))


def by_position(rows: list[Row]) -> Matching:
    """Name the items by their local position, and those that local lacks so that each is unique."""

    def name(row: Row) -> Segment:
        if row.local is not None:
            return row.local
        if row.upstream is not None:
            return Foreign("+", row.upstream)
        assert row.original is not None
        return Foreign("~", row.original)

    return Matching(rows, [name(row) for row in rows])


def merge_items(
    merger: Merger, sides: SlotSides, path: Path, schema: Schema, matching: Matching
) -> None:
    """Merge the items row by row, place what is new and settle the order."""
    local = sides.local
    assert isinstance(local, Slot)
    if matching.has_repeats:
        _note_repeats(merger, sides, path)
    positions = _positions(matching)
    merged, verdict = _settle_order(merger, matching, positions, path)
    after = insertion_points(positions, merged)
    items = sides.map(items_of)
    gone: set[int] = set()
    for number, (row, segment) in enumerate(zip(matching.rows, matching.segments, strict=True)):
        slots, values = _row(sides, items, row)
        if not merger.thorough and values.original == values.upstream == values.local:
            continue
        home = None
        if number in after:
            point = _local_index(matching, after[number])
            if merger.policy.kpt_compat:
                point = len(items.local) - 1
            home = Home(collection_in(local), point, None)
        item_schema = _schema_of(merger, schema.items(), values)
        if not merger.merge(slots, (*path, segment), item_schema, home):
            gone.add(number)
    if verdict is not None:
        order = tuple(_local_index(matching, number) for number in merged if number not in gone)
        _add_order(merger, matching, positions, merged, local, path, verdict, order)


def items_of(slot: Slot | Missing) -> list[Value]:
    """The canonical value of a list, else no items."""
    if is_list(slot):
        assert isinstance(slot.node.data, list)
        return slot.node.data
    return []


def _row(
    sides: SlotSides, items: Sides[list[Value]], row: Row
) -> tuple[SlotSides, Sides[MaybeValue]]:
    slots: list[Slot | Missing] = []
    values: list[MaybeValue] = []
    for slot, data, index in zip(sides, items, row, strict=True):
        if index is None or isinstance(slot, Missing):
            slots.append(MISSING)
            values.append(MISSING)
        else:
            slots.append(child(slot, index))
            values.append(data[index])
    return Sides(*slots), Sides(*values)


def _schema_of(merger: Merger, schema: Schema, values: Sides[MaybeValue]) -> Schema:
    """The schema of an item; a resource in a list says itself what it is."""
    if schema.is_resource:
        for value in (values.local, values.upstream):
            if isinstance(value, dict):
                api_version, kind = (text_of(value.get(k, "")) for k in ("apiVersion", "kind"))
                return merger.schemas.resolve(schema, api_version, kind)
    return schema


def _positions(matching: Matching) -> Sides[list[int]]:
    """The row numbers in the order of each side."""

    def of_side(pick: int) -> list[int]:
        places = [(tuple(row)[pick], number) for number, row in enumerate(matching.rows)]
        return [number for place, number in sorted((p, n) for p, n in places if p is not None)]

    return Sides(of_side(0), of_side(1), of_side(2))


def _local_index(matching: Matching, number: int | None) -> int:
    index = None if number is None else matching.rows[number].local
    return -1 if index is None else index


def _settle_order(
    merger: Merger, matching: Matching, positions: Sides[list[int]], path: Path
) -> tuple[Sequence[int], Verdict | None]:
    """The local rows in their final order, and the verdict on the order if it is worth one."""
    if not matching.is_ordered or merger.policy.kpt_compat:
        return positions.local, None
    found = orders(positions)
    outcome = decide(*found.common)
    if outcome is None:
        return positions.local, None
    if outcome.kind is Kind.COLLISION:
        outcome = outcome._replace(winner="local")
    if outcome.kind is not Kind.AGREED:
        outcome = outcome._replace(rule=Rule.ORDER)
    verdict = judge(outcome, merger.policy, merger.place, path, Subject.ORDER)
    merged = found.upstream_first() if verdict.winner == "upstream" else positions.local
    return merged, verdict


def _add_order(
    merger: Merger,
    matching: Matching,
    positions: Sides[list[int]],
    merged: Sequence[int],
    local: Slot,
    path: Path,
    verdict: Verdict,
    order: tuple[int, ...],
) -> None:
    def names(numbers: Sequence[int]) -> MaybeValue:
        return [format_path((matching.segments[number],)) for number in numbers]

    moved = any(a > b for a, b in pairwise(order))
    edits: tuple[Edit, ...] = ()
    if moved:
        edits = (Reorder(collection_in(local), order),)
    merger.add(verdict, path, positions.map(names), names(merged), edits, subject=Subject.ORDER)


def _note_repeats(merger: Merger, sides: SlotSides, path: Path) -> None:
    values: Sides[MaybeValue] = sides.map(lambda slot: items_of(slot) or MISSING)
    merger.add(
        Verdict(Kind.KEPT, Rule.REPEATED_KEYS, "local"),
        path,
        values,
        values.local,
        note="merge keys repeat in this list, so its items were merged by position",
    )
