"""What the built-in table says of well-known lists, fields and versions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import pkgupdate.schema
from pkgupdate.paths import Path as FieldPath
from pkgupdate.paths import parse_pattern
from pkgupdate.schema import UNKNOWN, ListRule, Schema, SchemaSet
from pkgupdate.schema.builtin import builtin_types

POD = "spec.template.spec"
CONTAINERS = f"{POD}.containers[*]"
TCP = {"protocol": "TCP"}


def at(schema: Schema, path: str) -> Schema:
    """Follow a path; `[*]` stands for the items of a list."""
    for segment in parse_pattern(path):
        schema = schema.field(segment) if isinstance(segment, str) else schema.items()
    return schema


def keyed(*keys: str, defaults: dict[str, str] | None = None) -> ListRule:
    return ListRule("map", keys, defaults or {})


LISTS = [
    # apiVersion, kind, path, rule, patch merge key
    ("apps/v1", "Deployment", f"{POD}.containers", keyed("name"), "name"),
    ("apps/v1", "Deployment", f"{POD}.initContainers", keyed("name"), "name"),
    ("apps/v1", "Deployment", f"{POD}.ephemeralContainers", keyed("name"), "name"),
    ("apps/v1", "Deployment", f"{CONTAINERS}.env", keyed("name"), "name"),
    ("apps/v1", "Deployment", f"{CONTAINERS}.volumeMounts", keyed("mountPath"), "mountPath"),
    ("apps/v1", "Deployment", f"{CONTAINERS}.volumeDevices", keyed("devicePath"), "devicePath"),
    (
        "apps/v1",
        "Deployment",
        f"{CONTAINERS}.ports",
        keyed("containerPort", "protocol", defaults=TCP),
        "containerPort",
    ),
    ("apps/v1", "Deployment", f"{CONTAINERS}.resources.claims", keyed("name"), ""),
    ("apps/v1", "Deployment", f"{CONTAINERS}.envFrom", None, ""),
    ("apps/v1", "Deployment", f"{CONTAINERS}.args", None, ""),
    ("apps/v1", "Deployment", f"{CONTAINERS}.command", None, ""),
    ("apps/v1", "Deployment", f"{POD}.volumes", keyed("name"), "name"),
    ("apps/v1", "Deployment", f"{POD}.volumes[*].projected.sources", None, ""),
    ("apps/v1", "Deployment", f"{POD}.volumes[*].configMap.items", None, ""),
    ("apps/v1", "Deployment", f"{POD}.imagePullSecrets", keyed("name"), "name"),
    ("apps/v1", "Deployment", f"{POD}.hostAliases", keyed("ip"), "ip"),
    ("apps/v1", "Deployment", f"{POD}.hostAliases[*].hostnames", None, ""),
    ("apps/v1", "Deployment", f"{POD}.tolerations", None, ""),
    ("apps/v1", "Deployment", f"{POD}.readinessGates", None, ""),
    ("apps/v1", "Deployment", f"{POD}.schedulingGates", keyed("name"), "name"),
    ("apps/v1", "Deployment", f"{POD}.resourceClaims", keyed("name"), "name"),
    (
        "apps/v1",
        "Deployment",
        f"{POD}.topologySpreadConstraints",
        keyed("topologyKey", "whenUnsatisfiable"),
        "topologyKey",
    ),
    ("apps/v1", "Deployment", "spec.selector.matchExpressions", None, ""),
    ("apps/v1", "Deployment", "status.conditions", keyed("type"), "type"),
    ("apps/v1", "Deployment", "metadata.ownerReferences", keyed("uid"), "uid"),
    ("apps/v1", "Deployment", "metadata.finalizers", ListRule("set"), ""),
    ("apps/v1", "StatefulSet", "spec.volumeClaimTemplates", None, ""),
    ("apps/v1", "StatefulSet", f"{CONTAINERS}.env", keyed("name"), "name"),
    ("apps/v1", "DaemonSet", f"{POD}.volumes", keyed("name"), "name"),
    ("batch/v1", "CronJob", f"spec.jobTemplate.{POD}.containers", keyed("name"), "name"),
    ("batch/v1", "Job", "status.conditions", keyed("type"), "type"),
    ("v1", "Pod", "spec.containers", keyed("name"), "name"),
    ("v1", "Service", "spec.ports", keyed("port", "protocol", defaults=TCP), "port"),
    ("v1", "Service", "spec.clusterIPs", None, ""),
    ("v1", "ServiceAccount", "secrets", keyed("name"), "name"),
    ("v1", "ServiceAccount", "imagePullSecrets", None, ""),
    ("v1", "Node", "spec.podCIDRs", ListRule("set"), ""),
    ("v1", "Endpoints", "subsets", None, ""),
    ("v1", "PersistentVolumeClaim", "spec.accessModes", None, ""),
    ("autoscaling/v2", "HorizontalPodAutoscaler", "spec.metrics", None, ""),
    ("networking.k8s.io/v1", "Ingress", "spec.rules", None, ""),
    ("networking.k8s.io/v1", "Ingress", "spec.tls", None, ""),
    ("networking.k8s.io/v1", "NetworkPolicy", "spec.ingress", None, ""),
    ("rbac.authorization.k8s.io/v1", "Role", "rules", None, ""),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", "subjects", None, ""),
    ("policy/v1", "PodDisruptionBudget", "status.conditions", keyed("type"), "type"),
    (
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        "webhooks",
        keyed("name"),
        "name",
    ),
    (
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration",
        "webhooks[*].matchConditions",
        keyed("name"),
        "name",
    ),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec.versions", keyed("name"), ""),
    (
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "spec.versions[*].schema.openAPIV3Schema.properties.spec.x-kubernetes-validations",
        keyed("rule"),
        "rule",
    ),
    ("storage.k8s.io/v1", "CSINode", "spec.drivers", keyed("name"), "name"),
]


@pytest.mark.parametrize(("api_version", "kind", "path", "rule", "merge_key"), LISTS)
def test_lists(
    api_version: str, kind: str, path: str, rule: ListRule | None, merge_key: str
) -> None:
    found = at(SchemaSet().for_resource(api_version, kind), path)
    assert found.shape == "list"
    assert found.list_rule == rule
    assert found.patch_merge_key == merge_key


@pytest.mark.parametrize("path", [f"{CONTAINERS}.args", f"{POD}.tolerations"])
def test_atomic_marks_are_told_but_set_no_rule(path: str) -> None:
    found = at(SchemaSet().for_resource("apps/v1", "Deployment"), path)
    assert found.atomic
    assert found.list_rule is None


@pytest.mark.parametrize(
    ("api_version", "kind", "path", "strategies"),
    [
        ("apps/v1", "Deployment", f"{POD}.containers", ("merge",)),
        ("apps/v1", "Deployment", f"{POD}.volumes", ("merge", "retainKeys")),
        ("apps/v1", "Deployment", "spec.strategy", ("retainKeys",)),
        ("apps/v1", "Deployment", "metadata.finalizers", ("merge",)),
        ("apps/v1", "Deployment", f"{CONTAINERS}.args", ()),
        ("policy/v1", "PodDisruptionBudget", "spec.selector", ("replace",)),
    ],
)
def test_patch_strategies(
    api_version: str, kind: str, path: str, strategies: tuple[str, ...]
) -> None:
    found = at(SchemaSet().for_resource(api_version, kind), path)
    assert found.patch_strategies == strategies


def test_fields_and_type_names() -> None:
    deployment = SchemaSet().for_resource("apps/v1", "Deployment")
    spec = deployment.field("spec")
    assert deployment.is_resource and not spec.is_resource
    assert (spec.type_name, spec.shape) == ("DeploymentSpec", "struct")
    assert spec.has_field("replicas") and not spec.has_field("replica")
    assert spec.field("replicas").shape == "scalar"
    assert spec.field("replica") is UNKNOWN
    assert at(deployment, CONTAINERS).type_name == "Container"
    labels = deployment.field("metadata").field("labels")
    assert labels.shape == "map" and labels.has_field("any/label")
    assert labels.field("any/label").is_known


def test_types_of_one_name_in_two_groups_keep_their_name() -> None:
    schemas = SchemaSet()
    assert schemas.for_resource("events.k8s.io/v1", "Event").type_name == "Event"
    assert schemas.for_resource("events.k8s.io/v1", "Event").has_field("note")
    assert not schemas.for_resource("v1", "Event").has_field("note")


def test_arbitrary_data_is_open_below() -> None:
    revision = SchemaSet().for_resource("apps/v1", "ControllerRevision")
    data = revision.field("data")
    assert (data.shape, data.type_name) == ("any", "RawExtension")
    assert data.is_known and data.field("spec") is UNKNOWN and not data.has_field("spec")


def test_recursive_types_have_no_end() -> None:
    schema = at(
        SchemaSet().for_resource("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        "spec.versions[*].schema.openAPIV3Schema",
    )
    for _ in range(50):
        schema = schema.field("properties").field("spec")
    assert schema.type_name == "JSONSchemaProps"


def test_children_are_made_once() -> None:
    schemas = SchemaSet()
    path: FieldPath = ("spec", "template", "spec", "containers")
    first, second = (schemas.for_resource("apps/v1", "Deployment") for _ in range(2))
    for key in path:
        first, second = first.field(str(key)), second.field(str(key))
        assert first is second
    assert first.items() is second.items()


@pytest.mark.parametrize(
    ("api_version", "kind", "field"),
    [
        ("autoscaling/v2beta2", "HorizontalPodAutoscaler", "spec"),  # gone since 1.26
        ("flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema", "spec"),
        ("apps/v1beta1", "Deployment", "spec"),  # never in the table
        ("extensions/v1beta1", "Ingress", "spec"),  # its group was dissolved
        ("policy/v1beta1", "PodDisruptionBudget", "spec"),
        ("batch/v9", "CronJob", "spec"),
    ],
)
def test_old_and_future_versions(api_version: str, kind: str, field: str) -> None:
    schema = SchemaSet().for_resource(api_version, kind)
    assert schema.is_known
    assert schema.field(field).is_known


def test_newest_version_stands_in() -> None:
    schemas = SchemaSet()
    unknown_version = schemas.for_resource("autoscaling/v3", "HorizontalPodAutoscaler")
    assert at(unknown_version, "spec.metrics").is_known
    version_1 = schemas.for_resource("autoscaling/v1", "HorizontalPodAutoscaler")
    assert not at(version_1, "spec.metrics").is_known


def test_only_exact_versions_count_as_built_in() -> None:
    schemas = SchemaSet()
    assert schemas.is_builtin("apps/v1", "Deployment")
    assert not schemas.is_builtin("apps/v1beta1", "Deployment")
    assert not schemas.is_builtin("example.com/v1", "Deployment")


def test_every_type_of_the_table_can_be_read() -> None:
    types = builtin_types()
    for type_id in types._types:
        for field in types._struct(type_id).fields.values():
            assert field.is_known
            assert field.shape != "list" or field.items().is_known


def test_table_is_small() -> None:
    folder = Path(pkgupdate.schema.__file__).parent
    assert folder.joinpath("kubernetes.json").stat().st_size < 100_000


def test_import_does_not_load_the_table() -> None:
    code = (
        "import pkgupdate.schema as s\n"
        "from pkgupdate.schema.builtin import builtin_types as b\n"
        "s.SchemaSet()\n"
        "assert b.cache_info().currsize == 0\n"
        "s.SchemaSet().for_resource('v1', 'Pod')\n"
        "assert b.cache_info().currsize == 1\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
