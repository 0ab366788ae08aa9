"""Merge keys: what tells the items of a list apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from pkgupdate.document.values import NULL, Value
from pkgupdate.merge.slots import text_of
from pkgupdate.paths import Keyed, Segment
from pkgupdate.schema import ListRule, Schema

KeyOf: TypeAlias = "Callable[[Value], Keyed | None]"


def keys_of(items: Sequence[Value], key_of: KeyOf) -> list[Keyed] | None:
    """The key of every item, None if one has none."""
    keys = []
    for item in items:
        key = key_of(item)
        if key is None:
            return None
        keys.append(key)
    return keys


def by_rule(rule: ListRule) -> KeyOf:
    """Keys as a schema states them. A key that an item leaves out has its default, if any."""

    def key_of(item: Value) -> Keyed | None:
        if not isinstance(item, dict):
            return None
        pairs: list[tuple[str, str]] = []
        for key in rule.keys:
            value = item.get(key, NULL)
            if isinstance(value, dict | list):
                return None
            if value != NULL:
                pairs.append((key, text_of(value)))
            elif key in rule.defaults:
                pairs.append((key, rule.defaults[key]))
        return Keyed(tuple(pairs)) if any(key in item for key in rule.keys) else None

    return key_of


def by_name(item: Value) -> Keyed | None:
    """The scalar `name`, where nothing is known of a list."""
    name = item.get("name", NULL) if isinstance(item, dict) else NULL
    if name == NULL or isinstance(name, dict | list):
        return None
    return Keyed((("name", text_of(name)),))


def by_identity(item: Value) -> Keyed | None:
    """Group, kind, namespace and name of a resource inside a list of resources."""
    if not isinstance(item, dict) or not isinstance(item.get("metadata"), dict):
        return None
    metadata = item["metadata"]
    assert isinstance(metadata, dict)
    group = text_of(item.get("apiVersion", "")).rpartition("/")[0]
    pairs = [("group", group), ("kind", text_of(item.get("kind", "")))]
    pairs += ((key, text_of(metadata.get(key, ""))) for key in ("namespace", "name"))
    if not pairs[1][1] or not pairs[3][1]:
        return None
    return Keyed(tuple(pair for pair in pairs if pair[1]))


def by_value(item: Value) -> Keyed | None:
    """A scalar in a set stands for itself."""
    return None if isinstance(item, dict | list) else Keyed((("=", text_of(item)),))


def segments_of(items: list[Value], schema: Schema) -> Sequence[Segment]:
    """How the items of one list alone are named in paths."""
    rule = schema.list_rule
    key_of = by_name if rule is None else by_rule(rule)
    keyed = (rule is not None and rule.kind == "map") or not schema.is_known
    keys = keys_of(items, key_of) if keyed else None
    return keys if keys is not None and len(set(keys)) == len(keys) else range(len(items))
