"""Where two objects differ, field by field, in paths of the project's grammar."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pkgupdate.document.values import MISSING
from pkgupdate.patch.server import NEVER_FILLED
from pkgupdate.patch.values import Data, same, text
from pkgupdate.paths import Keyed, Path
from pkgupdate.schema import Schema


@dataclass(frozen=True, slots=True)
class Change:
    """One place at which two objects differ; MISSING where one has nothing there.

    order: the items of a list are the same, but stand in another order.
    """

    path: Path
    before: Data = field(repr=False)
    after: Data = field(repr=False)
    order: bool = False


def changes(before: Data, after: Data, schema: Schema, path: Path = ()) -> Iterator[Change]:
    """The places at which `after` differs, as deep as the two can be compared.

    Items of lists pair by their keys where the schema has some, else by position if the lists are
    equally long; other lists differ as a whole.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            yield from changes(
                before.get(key, MISSING), after.get(key, MISSING), schema.field(key), (*path, key)
            )
    elif isinstance(before, list) and isinstance(after, list):
        yield from _list_changes(before, after, schema, path)
    elif not same(before, after):
        yield Change(path, before, after)


def unstated(desired: Data, live: Data, schema: Schema, path: Path = ()) -> Iterator[Change]:
    """The places at which `live` does not say what `desired` states; what only it has is no matter.

    It finds what a strategic merge patch cannot say: two ports of one number, say, are one item to
    such a patch, as its merge key is the number alone.
    """
    if isinstance(desired, dict) and isinstance(live, dict):
        if schema.type_name in NEVER_FILLED and live.keys() - desired.keys():
            yield Change(path, live, desired)
            return
        for key, value in desired.items():
            yield from unstated(value, live.get(key, MISSING), schema.field(key), (*path, key))
    elif isinstance(desired, list) and isinstance(live, list):
        wanted, found = _by_key(desired, schema), _by_key(live, schema)
        if wanted is not None and found is not None:
            for key, item in wanted.items():
                yield from unstated(item, found.get(key, MISSING), schema.items(), (*path, key))
        elif "merge" in schema.patch_strategies and not schema.patch_merge_key:
            yield from (Change(path, live, desired) for item in desired if item not in live)
        elif not same(desired, live):
            yield Change(path, live, desired)
    elif not same(desired, live):
        yield Change(path, live, desired)


def _list_changes(
    before: list[Data], after: list[Data], schema: Schema, path: Path
) -> Iterator[Change]:
    old, new = _by_key(before, schema), _by_key(after, schema)
    if old is not None and new is not None:
        for key in dict.fromkeys((*old, *new)):
            yield from changes(
                old.get(key, MISSING), new.get(key, MISSING), schema.items(), (*path, key)
            )
        if [key for key in old if key in new] != [key for key in new if key in old]:
            yield Change(path, before, after, order=True)
    elif len(before) == len(after) and {type(item) for item in (*before, *after)} == {dict}:
        for i, item in enumerate(before):
            yield from changes(item, after[i], schema.items(), (*path, i))
    elif not same(before, after):
        yield Change(path, before, after)


def _by_key(items: list[Data], schema: Schema) -> dict[Keyed, Data] | None:
    """The items by their keys; None if the list has none, or one twice."""
    rule = schema.list_rule
    if rule is None or rule.kind != "map" or not all(isinstance(item, dict) for item in items):
        return None
    found: dict[Keyed, Data] = {}
    for item in items:
        values = {key: item.get(key, rule.defaults.get(key)) for key in rule.keys}
        pairs = tuple((k, text(v)) for k, v in values.items() if v is not None)
        if not pairs or Keyed(pairs) in found:
            return None
        found[Keyed(pairs)] = item
    return found
