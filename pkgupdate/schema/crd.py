"""Schemas from CustomResourceDefinitions.

Read as the API server reads a structural schema: values may be anything that
`x-kubernetes-preserve-unknown-fields` or a missing schema leaves open, an embedded resource has the
metadata of every resource, and a list merges by its `x-kubernetes-list-type`. What is malformed is
taken as not known: a definition that the server would refuse must not stop a merge.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pkgupdate.schema.builtin import builtin_types
from pkgupdate.schema.model import UNKNOWN, Children, ListRule, Schema, Shape
from pkgupdate.schema.versions import split_api_version

_SHAPES: dict[str, Shape] = {
    "array": "list",
    "boolean": "scalar",
    "integer": "scalar",
    "number": "scalar",
    "string": "scalar",
}


def crd_schemas(resource: object) -> dict[tuple[str, str, str], Schema]:
    """The schemas that a resource defines, by (group, version, kind).

    resource: plain data of any resource; empty result if it is no CustomResourceDefinition, or one
    without a usable schema. Both `apiextensions.k8s.io/v1` and `v1beta1` are read.
    """
    crd = _map(resource)
    group, _ = split_api_version(str(crd.get("apiVersion", "")))
    if group != "apiextensions.k8s.io" or crd.get("kind") != "CustomResourceDefinition":
        return {}
    spec = _map(crd.get("spec"))
    names = _map(spec.get("names"))
    shared = _map(spec.get("validation"))
    versions = [_map(v) for v in _list(spec.get("versions"))] or [{"name": spec.get("version")}]
    kind = _text(names.get("kind"))
    schemas = {}
    for version in versions:
        root = (_map(version.get("schema")) or shared).get("openAPIV3Schema")
        if kind and isinstance(root, Mapping):
            identity = (_text(spec.get("group")), _text(version.get("name")), kind)
            schemas[identity] = _resource(root, type_name=kind)
    return schemas


def generic_resource(type_name: str = "") -> Schema:
    """What is known of a resource whose kind is not: its metadata."""
    return Schema(
        lambda: Children(_resource_fields()),
        shape="struct",
        type_name=type_name,
        is_known=False,
        is_resource=True,
    )


def _resource(schema: Mapping[str, Any], type_name: str = "") -> Schema:
    """A whole resource, at the root or embedded: every one has the same metadata."""

    def expand() -> Children:
        declared = _children(schema)
        return declared._replace(fields={**declared.fields, **_resource_fields()})

    return Schema(expand, shape="struct", type_name=type_name, is_resource=True)


def _resource_fields() -> dict[str, Schema]:
    scalar = Schema(shape="scalar")
    metadata = builtin_types().type("ObjectMeta")
    return {"apiVersion": scalar, "kind": scalar, "metadata": metadata}


def _value(data: object) -> Schema:
    """The place that a JSON schema describes."""
    if not isinstance(data, Mapping):
        return UNKNOWN
    if data.get("x-kubernetes-embedded-resource") is True:
        return _resource(data)
    rule = _list_rule(data)
    strategy = data.get("x-kubernetes-patch-strategy")
    return Schema(
        lambda: _children(data),
        shape=_shape(data),
        list_rule=rule,
        atomic=rule is not None and rule.kind == "atomic",
        patch_strategies=tuple(strategy.split(",")) if isinstance(strategy, str) else (),
        patch_merge_key=_text(data.get("x-kubernetes-patch-merge-key")),
    )


def _children(schema: Mapping[str, Any]) -> Children:
    declared = _map(schema.get("properties"))
    values = schema.get("additionalProperties")
    is_open = (
        values is True
        or schema.get("x-kubernetes-preserve-unknown-fields") is True
        or (_shape(schema) == "any")
    )
    return Children(
        fields={str(name): _value(field) for name, field in declared.items()},
        values=_value(values) if isinstance(values, Mapping) else UNKNOWN if is_open else None,
        item=_value(schema.get("items")),
    )


def _shape(schema: Mapping[str, Any]) -> Shape:
    if isinstance(schema.get("properties"), Mapping):
        return "struct"
    if isinstance(schema.get("additionalProperties"), Mapping):
        return "map"
    return _SHAPES.get(_text(schema.get("type")), "any")


def _list_rule(schema: Mapping[str, Any]) -> ListRule | None:
    match schema.get("x-kubernetes-list-type"):
        case "atomic":
            return ListRule("atomic")
        case "set":
            return ListRule("set")
        case "map":
            keys = _list(schema.get("x-kubernetes-list-map-keys"))
        case _:
            keys = [schema.get("x-kubernetes-patch-merge-key")]
    names = tuple(key for key in keys if isinstance(key, str) and key)
    if not names or len(names) != len(keys):
        return None
    return ListRule("map", names, _key_defaults(schema, names))


def _key_defaults(schema: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, str]:
    fields = _map(_map(schema.get("items")).get("properties"))
    defaults = {key: _map(fields.get(key)).get("default") for key in keys}
    return {key: _scalar_text(d) for key, d in defaults.items() if isinstance(d, str | int | float)}


def _scalar_text(value: str | int | float) -> str:
    """The scalar as YAML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _text(data: object) -> str:
    return data if isinstance(data, str) else ""


def _map(data: object) -> Mapping[str, Any]:
    return data if isinstance(data, Mapping) else {}


def _list(data: object) -> list[Any]:
    return data if isinstance(data, list) else []
