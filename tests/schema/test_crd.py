"""Schemas from CustomResourceDefinitions, sound and broken."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkgupdate.schema import UNKNOWN, ListRule, Schema, SchemaSet
from pkgupdate.schema.crd import crd_schemas

SPEC = {
    "type": "object",
    "properties": {
        "ports": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["port", "protocol", "external"],
            "items": {
                "type": "object",
                "properties": {
                    "port": {"type": "integer"},
                    "protocol": {"type": "string", "default": "UDP"},
                    "external": {"type": "boolean", "default": False},
                },
            },
        },
        "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "steps": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "object"}},
        "plain": {"type": "array", "items": {"type": "object"}},
        "patched": {
            "type": "array",
            "x-kubernetes-patch-merge-key": "id",
            "x-kubernetes-patch-strategy": "merge,retainKeys",
            "items": {"type": "object"},
        },
        "groups": {
            "type": "object",
            "additionalProperties": {
                "type": "array",
                "x-kubernetes-list-type": "set",
                "items": {"type": "string"},
            },
        },
        "free": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {
                "some": {
                    "type": "array",
                    "x-kubernetes-list-type": "set",
                    "items": {"type": "string"},
                }
            },
        },
        "child": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
    },
}


def crd(**versions: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [
                {
                    "name": name,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
                }
                for name, spec in versions.items()
            ],
        },
    }


@pytest.fixture
def spec() -> Schema:
    return SchemaSet(crds=[crd(v1=SPEC)]).for_resource("example.com/v1", "Widget").field("spec")


@pytest.mark.parametrize(
    ("field", "rule"),
    [
        (
            "ports",
            ListRule(
                "map", ("port", "protocol", "external"), {"protocol": "UDP", "external": "false"}
            ),
        ),
        ("tags", ListRule("set")),
        ("steps", ListRule("atomic")),
        ("plain", None),
        ("patched", ListRule("map", ("id",))),
    ],
)
def test_list_rules(spec: Schema, field: str, rule: ListRule | None) -> None:
    assert spec.field(field).list_rule == rule
    assert spec.field(field).shape == "list"
    assert spec.field(field).atomic == (field == "steps")


def test_patch_markers(spec: Schema) -> None:
    assert spec.field("patched").patch_strategies == ("merge", "retainKeys")
    assert spec.field("patched").patch_merge_key == "id"


def test_maps_and_open_structs(spec: Schema) -> None:
    assert spec.field("groups").field("anything").list_rule == ListRule("set")
    assert spec.field("free").field("some").list_rule == ListRule("set")
    assert spec.field("free").field("other") is UNKNOWN
    assert spec.field("free").has_field("other")
    assert not spec.has_field("other")


def test_every_resource_has_metadata(spec: Schema) -> None:
    schemas = SchemaSet(crds=[crd(v1=SPEC)])
    root = schemas.for_resource("example.com/v1", "Widget")
    for resource in (root, spec.field("child")):
        assert resource.is_resource
        owners = resource.field("metadata").field("ownerReferences")
        assert owners.list_rule == ListRule("map", ("uid",))
    assert root.type_name == "Widget"


def test_embedded_resource_of_a_stated_kind(spec: Schema) -> None:
    schemas = SchemaSet()
    child = schemas.resolve(spec.field("child"), "v1", "Pod")
    assert child is schemas.for_resource("v1", "Pod")
    assert schemas.resolve(spec.field("child"), "", "") is spec.field("child")
    assert schemas.resolve(spec.field("free"), "v1", "Pod") is spec.field("free")


def test_every_version_has_its_own_schema() -> None:
    old = {"type": "object", "properties": {"old": {"type": "string"}}}
    schemas = SchemaSet(crds=[crd(v1alpha1=old, v1=SPEC, v1beta1=old)])
    assert schemas.for_resource("example.com/v1beta1", "Widget").field("spec").has_field("old")
    assert schemas.for_resource("example.com/v1", "Widget").field("spec").has_field("tags")
    assert schemas.for_resource("example.com/v7", "Widget").field("spec").has_field("tags")


def test_v1beta1_shares_one_schema() -> None:
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1beta1",
        "kind": "CustomResourceDefinition",
        "spec": {
            "group": "example.com",
            "names": {"kind": "Widget"},
            "version": "v1alpha1",
            "validation": {"openAPIV3Schema": {"properties": {"spec": SPEC}}},
        },
    }
    (key,) = crd_schemas(definition)
    assert key == ("example.com", "v1alpha1", "Widget")
    definition["spec"] |= {"versions": [{"name": "v1"}, {"name": "v2"}]}  # type: ignore[operator]
    assert {version for _, version, _ in crd_schemas(definition)} == {"v1", "v2"}


def test_first_definition_wins_and_others_fill_in() -> None:
    empty = {"type": "object"}
    schemas = SchemaSet(crds=[crd(v1=SPEC), crd(v1=empty, v2=empty)])
    assert schemas.for_resource("example.com/v1", "Widget").field("spec").field("tags").list_rule
    assert schemas.for_resource("example.com/v2", "Widget").is_known


@pytest.mark.parametrize(
    "broken",
    [
        None,
        "text",
        [],
        {},
        {"type": 3, "properties": []},
        {"properties": {"list": None}},
        {"properties": {"list": {"type": "array", "items": [1, 2]}}},
        {"properties": {"list": {"x-kubernetes-list-type": "map"}}},
        {
            "properties": {
                "list": {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": 1}
            }
        },
        {
            "properties": {
                "list": {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [[]]}
            }
        },
        {"properties": {"list": {"x-kubernetes-list-type": {"a": 1}}}},
    ],
)
def test_broken_schemas_are_unknown(broken: object) -> None:
    schemas = SchemaSet(crds=[crd(v1=broken)])
    found = schemas.for_resource("example.com/v1", "Widget").field("spec").field("list")
    assert found.list_rule is None
    assert found.items().list_rule is None


@pytest.mark.parametrize(
    "resource", [None, 1, [], {}, {"kind": "CustomResourceDefinition"}, {"apiVersion": 3}]
)
def test_other_things_define_nothing(resource: object) -> None:
    assert crd_schemas(resource) == {}


_KEYS = st.sampled_from(
    [
        *("spec", "versions", "names", "kind", "group", "schema", "openAPIV3Schema", "properties"),
        *("items", "additionalProperties", "type", "validation", "default", "version", "name"),
        *("x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-embedded-resource"),
        *("x-kubernetes-patch-strategy", "x-kubernetes-patch-merge-key"),
    ]
)
_WORDS = st.sampled_from(["map", "set", "atomic", "object", "array", "name", "Widget", ""])
_JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=5),
    max_leaves=20,
)


@given(_JUNK, _JUNK, st.sampled_from(["v1", "v1beta1"]))
def test_nothing_crashes(spec: Any, field: Any, version: str) -> None:
    root = {"properties": {"spec": field}}
    names, versions = {"kind": "Widget"}, [{"name": "v1", "schema": {"openAPIV3Schema": root}}]
    sound = {"group": "", "names": names, "versions": versions}
    for content in (spec, sound | (spec if isinstance(spec, dict) else {}), sound):
        definition = {
            "apiVersion": f"apiextensions.k8s.io/{version}",
            "kind": "CustomResourceDefinition",
            "spec": content,
        }
        for schema in crd_schemas(definition).values():
            walk(schema, depth=4)


def walk(schema: Schema, depth: int) -> None:
    assert schema.list_rule is None or schema.list_rule.kind in {"map", "set", "atomic"}
    if depth:
        for key in ("spec", "items", "properties", "name", "kind"):
            schema.has_field(key)
            walk(schema.field(key), depth - 1)
        walk(schema.items(), depth - 1)
