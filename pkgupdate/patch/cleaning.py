"""Take out of both sides of a comparison what says nothing."""

from __future__ import annotations

from pkgupdate.document.values import MISSING
from pkgupdate.patch.server import UNSET_PORTS
from pkgupdate.patch.values import Data
from pkgupdate.schema import Schema


def clean(data: Data, other: Data, schema: Schema) -> Data:
    """The data without nulls, empty strings and unset ports; `0`, `false` and `{}` stay.

    An empty string stays where `other` has a value: there it says that the value shall go. It also
    stays in maps of free keys (labels, a ConfigMap's data), in which it is a value like any other.
    """
    if isinstance(data, dict):
        beside = other if isinstance(other, dict) else {}
        pairs = (
            (key, _clean_field(key, value, beside.get(key), schema)) for key, value in data.items()
        )
        return {key: value for key, value in pairs if value is not MISSING}
    if isinstance(data, list):
        items = other if isinstance(other, list) and len(other) == len(data) else [None] * len(data)
        return [
            clean(item, beside, schema.items()) for item, beside in zip(data, items, strict=True)
        ]
    return data


def _clean_field(key: str, value: Data, other: Data, schema: Schema) -> Data:
    if value is None:
        return MISSING
    if value == "" and schema.shape != "map" and other in (None, ""):
        return MISSING
    if (schema.type_name, key) in UNSET_PORTS and value in (0, "0", ""):
        return MISSING
    return clean(value, other, schema.field(key))
