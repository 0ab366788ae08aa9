"""How the sources of schemas add up: policy entries, CRDs, built-in types, and nothing at all."""

from __future__ import annotations

from typing import Any

import pytest

from pkgupdate.errors import PolicyError
from pkgupdate.paths import parse_pattern
from pkgupdate.schema import UNKNOWN, ListRule, SchemaEntry, SchemaSet

BY_ID = ListRule("map", ("id",))
SET = ListRule("set")
ATOMIC = ListRule("atomic")


def entry(resource: str, path: str, rule: ListRule) -> SchemaEntry:
    return SchemaEntry(resource, parse_pattern(path), rule)


def widget_crd(**lists: str) -> dict[str, Any]:
    fields = {
        name: {"type": "array", "x-kubernetes-list-type": kind, "items": {"type": "string"}}
        for name, kind in lists.items()
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "spec": {
            "group": "example.com",
            "names": {"kind": "Widget"},
            "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"properties": fields}}}],
        },
    }


def test_nothing_is_known_without_a_kind() -> None:
    schema = SchemaSet().for_resource("", "")
    assert schema is UNKNOWN
    assert not schema.is_known
    assert schema.field("a") is UNKNOWN and schema.items() is UNKNOWN
    assert schema.list_rule is None and not schema.has_field("a")


def test_custom_resource_without_definition_has_metadata() -> None:
    schema = SchemaSet().for_resource("example.com/v1", "Widget")
    assert not schema.is_known and schema.is_resource
    assert schema.field("spec") is UNKNOWN
    assert schema.field("metadata").field("finalizers").list_rule == SET


def test_policy_over_crd_over_built_in() -> None:
    crd = widget_crd(first="set", second="set")
    schemas = SchemaSet(
        [entry("example.com/Widget", "first", ATOMIC), entry("*/Deployment", "spec.**.env", SET)],
        [crd],
    )
    widget = schemas.for_resource("example.com/v1", "Widget")
    assert widget.field("first").list_rule == ATOMIC and widget.field("first").atomic
    assert widget.field("second").list_rule == SET
    pod = (
        schemas.for_resource("apps/v1", "Deployment").field("spec").field("template").field("spec")
    )
    containers = pod.field("containers")
    assert containers.list_rule == ListRule("map", ("name",))
    env = containers.items().field("env")
    assert env.list_rule == SET
    assert (env.patch_strategies, env.patch_merge_key) == (("merge",), "name")
    assert env.items().field("valueFrom").type_name == "EnvVarSource"


def test_crd_over_built_in() -> None:
    crd = widget_crd(rules="set")
    crd["spec"] |= {"group": "rbac.authorization.k8s.io", "names": {"kind": "Role"}}
    schemas = SchemaSet(crds=[crd])
    assert schemas.for_resource("rbac.authorization.k8s.io/v1", "Role").field("rules").list_rule


@pytest.mark.parametrize(
    ("resource", "group_version", "kind", "applies"),
    [
        ("example.com/Widget", "example.com/v1", "Widget", True),
        ("example.com/Widget", "example.com/v2", "Widget", True),
        ("example.com/Widget", "example.com/v1", "Gadget", False),
        ("*/Widget", "example.com/v1", "Widget", True),
        ("*/Widget", "v1", "Widget", True),
        ("*.com/*", "example.com/v1", "Gadget", True),
        ("/Widget", "v1", "Widget", True),
        ("/Widget", "example.com/v1", "Widget", False),
    ],
)
def test_entries_name_kinds(resource: str, group_version: str, kind: str, applies: bool) -> None:
    schemas = SchemaSet([entry(resource, "spec.list", BY_ID)])
    found = schemas.for_resource(group_version, kind).field("spec").field("list")
    assert found.list_rule == (BY_ID if applies else None)
    assert found.is_known == applies


@pytest.mark.parametrize(
    ("pattern", "place", "applies"),
    [
        ("spec.list", "spec.list", True),
        ("spec.list", "spec.list[*].list", False),
        ("spec.list[*].list", "spec.list[*].list", True),
        ("spec.list.*.list", "spec.list[*].list", True),
        ("spec.*", "spec.list", True),
        ("spec.*", "spec.list[*].list", False),
        ("spec.**", "spec.list[*].list", True),
        ("**.list", "spec.list", True),
        ("**.list", "list", True),
        ("**.list", "spec.list[*].list", True),
        ("**.list", "spec.other", False),
        ("spec.**.a.**.list", "spec.x.a.list", True),
        ("spec.**.a.**.list", "spec.a.y.z.list", True),
        ("spec.**.a.**.list", "spec.x.list", False),
    ],
)
def test_entry_paths(pattern: str, place: str, applies: bool) -> None:
    schema = SchemaSet([entry("*/Widget", pattern, BY_ID)]).for_resource("v1", "Widget")
    for segment in parse_pattern(place):
        schema = schema.field(segment) if isinstance(segment, str) else schema.items()
    assert schema.list_rule == (BY_ID if applies else None)


def test_first_entry_wins() -> None:
    entries = [entry("*/Widget", "spec.list", SET), entry("*/*", "**.list", BY_ID)]
    spec = SchemaSet(entries).for_resource("v1", "Widget").field("spec")
    assert spec.field("list").list_rule == SET
    assert spec.field("inner").field("list").list_rule == BY_ID


def test_amended_places_are_made_once() -> None:
    spec = SchemaSet([entry("*/*", "spec.list", SET)]).for_resource("v1", "Pod").field("spec")
    assert spec.field("list") is spec.field("list")
    assert spec.field("containers") is SchemaSet().for_resource("v1", "Pod").field("spec").field(
        "containers"
    )


@pytest.mark.parametrize("path", ["", "spec.containers[0].args", "containers[name=web].args"])
def test_entries_about_single_items_are_refused(path: str) -> None:
    with pytest.raises(PolicyError) as caught:
        entry("*/*", path, SET)
    assert caught.value.code == "schema-path"


@pytest.mark.parametrize("kind", ["List", "WidgetList", "DeploymentList"])
def test_items_of_lists_are_resources(kind: str) -> None:
    schemas = SchemaSet()
    items = schemas.for_resource("apps/v1", kind).field("items")
    assert items.shape == "list" and items.list_rule is None
    assert items.items().is_resource
    resolved = schemas.resolve(items.items(), "v1", "Pod")
    assert resolved is schemas.for_resource("v1", "Pod")


def test_items_of_a_typed_list_need_not_state_their_kind() -> None:
    schemas = SchemaSet(crds=[widget_crd(first="set")])
    deployment = schemas.for_resource("apps/v1", "DeploymentList").field("items").items()
    assert deployment.field("spec").type_name == "DeploymentSpec"
    widget = schemas.for_resource("example.com/v1", "WidgetList").field("items").items()
    assert widget.field("first").list_rule == SET
