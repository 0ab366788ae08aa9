"""See as equal what the API server sees as equal: defaults, spellings, empty against absent.

`ignore_server_changes` writes the desired object the way the server stores it, as far as the live
object shows how. Then a patch between the two holds real differences only.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace

from pkgupdate.patch.options import Operands, Option
from pkgupdate.patch.server import NEVER_FILLED, QUANTITIES, ZERO_IS_ABSENT, is_zero, quantity
from pkgupdate.patch.values import Data, Map, same, text
from pkgupdate.schema import ListRule, Schema


def ignore_server_changes() -> Option:
    """Count only what the desired object states, in whatever spelling:

    - a field that only the live object has is no difference, unless it was applied before; that
      goes for items of atomic lists as well (Kubernetes itself compares these as a whole)
    - quantities are equal by amount: `1000m` and `1`, `1Gi` and `1024Mi`
    - empty maps of free keys, empty lists, and the zeros that the server leaves out equal absent
    - a Secret's `stringData` is its `data`, encoded
    """
    return lambda operands: replace(operands, modified=_as_stored(operands))


def _as_stored(operands: Operands) -> Map:
    desired = _with_data_only(operands.modified)
    original = _with_data_only(operands.original)
    return _Writer(closed=False).map(desired, operands.current, original, operands.schema)


@dataclass(frozen=True, slots=True)
class _Writer:
    """closed: inside a value that is replaced as a whole, so what the server added to it has to be
    stated as well; elsewhere it stays without being stated."""

    closed: bool

    def map(self, desired: Map, live: Map, original: Data, schema: Schema) -> Map:
        applied = original if isinstance(original, dict) else {}
        stored: Map = {}
        for key, value in desired.items():
            if key in live:
                stored[key] = self._field(key, value, live[key], applied.get(key), schema)
            elif not _equals_absent(key, value, schema):
                stored[key] = value
        if self.closed and schema.type_name not in NEVER_FILLED:
            stored |= {key: live[key] for key in live.keys() - desired.keys() - applied.keys()}
        return stored

    def _field(self, key: str, value: Data, live: Data, original: Data, schema: Schema) -> Data:
        field = schema.field(key)
        if (schema.type_name, key) in QUANTITIES:
            if isinstance(value, dict) and isinstance(live, dict):
                return {k: _as_amount(v, live.get(k)) for k, v in value.items()}
            return _as_amount(value, live)
        if isinstance(value, dict) and isinstance(live, dict):
            stored = self.map(value, live, original, field)
            return self._union(stored, live, original, field)
        if isinstance(value, list) and isinstance(live, list):
            if "merge" in field.patch_strategies and not self.closed:
                return self._merged_list(value, live, original, field)
            return self._atomic_list(value, live, original, field)
        return value

    def _union(self, stored: Map, live: Map, original: Data, field: Schema) -> Map:
        """A patch of such a map clears every key that the desired object does not state. What the
        server added to the member of the union that was chosen has to stay."""
        if "retainKeys" not in field.patch_strategies:
            return stored
        if not all(key in live and same(value, live[key]) for key, value in stored.items()):
            return stored
        applied = original if isinstance(original, dict) else {}
        return stored | {key: live[key] for key in live.keys() - stored.keys() - applied.keys()}

    def _merged_list(
        self, desired: list[Data], live: list[Data], original: Data, field: Schema
    ) -> list[Data]:
        rule = field.list_rule or ListRule("set")
        partners = _by_keys(live, rule)
        applied = _by_keys(original if isinstance(original, list) else [], rule)
        stored = []
        for item in desired:
            name = _name(item, rule)
            partner = partners.get(name)
            if not isinstance(item, dict) or partner is None:
                stored.append(item)
                continue
            before = applied.get(name)
            written = self.map(item, partner, before, field.items())
            stored.append(self._union(written, partner, before, field))
        return stored

    def _atomic_list(
        self, desired: list[Data], live: list[Data], original: Data, field: Schema
    ) -> list[Data]:
        """Items pair by position; one that says the same as its partner becomes its partner."""
        if len(desired) != len(live):
            return desired
        applied: list[Data] = (
            original
            if isinstance(original, list) and len(original) == len(live)
            else [None] * len(live)
        )
        inside = _Writer(closed=True)
        stored = []
        for item, partner, before in zip(desired, live, applied, strict=True):
            if not isinstance(item, dict) or not isinstance(partner, dict):
                stored.append(item)
                continue
            written = inside.map(item, partner, before, field.items())
            stored.append(partner if same(written, partner) else item)
        return stored


def _equals_absent(key: str, value: Data, schema: Schema) -> bool:
    if value == [] or (value == {} and schema.field(key).shape == "map"):
        return True
    return (schema.type_name, key) in ZERO_IS_ABSENT and is_zero(value)


def _as_amount(value: Data, live: Data) -> Data:
    """The live spelling of a quantity, if it is the same amount."""
    amount = quantity(value)
    return live if amount is not None and amount == quantity(live) else value


def _by_keys(items: list[Data], rule: ListRule) -> dict[tuple[str, ...], Map]:
    named = ((_name(item, rule), item) for item in items)
    return {name: item for name, item in named if name}


def _name(item: Data, rule: ListRule) -> tuple[str, ...]:
    if not isinstance(item, dict):
        return ()
    return tuple(text(item.get(key, rule.defaults.get(key))) for key in rule.keys)


def _with_data_only(resource: Map) -> Map:
    """A Secret with its `stringData` as the server stores it."""
    given = resource.get("stringData")
    if (resource.get("apiVersion"), resource.get("kind")) != ("v1", "Secret"):
        return resource
    if not isinstance(given, dict) or not all(isinstance(v, str) for v in given.values()):
        return resource
    encoded = {key: base64.b64encode(v.encode()).decode("ascii") for key, v in given.items()}
    data = resource.get("data")
    rest = {key: value for key, value in resource.items() if key != "stringData"}
    return {**rest, "data": {**(data if isinstance(data, dict) else {}), **encoded}}
