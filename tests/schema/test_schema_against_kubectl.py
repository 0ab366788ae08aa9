"""The built-in patch strategies and merge keys, against those compiled into kubectl.

For every kind, one object with an item in each list that the table knows, and one patch that adds
an item to each; what kubectl makes of them must be what the table foretells. A field that is newer
than kubectl makes it name the struct and the field; such fields are left out and the rest is tried
again.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pkgupdate.schema import Schema, SchemaSet

KUBECTL = shutil.which("kubectl")
needs_kubectl = pytest.mark.skipif(KUBECTL is None, reason="kubectl is not installed")

KINDS = [
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
    ("apps/v1", "DaemonSet"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "StatefulSet"),
    ("autoscaling/v1", "HorizontalPodAutoscaler"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("batch/v1", "CronJob"),
    ("batch/v1", "Job"),
    ("discovery.k8s.io/v1", "EndpointSlice"),
    ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema"),
    ("networking.k8s.io/v1", "Ingress"),
    ("networking.k8s.io/v1", "NetworkPolicy"),
    ("policy/v1", "PodDisruptionBudget"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"),
    ("storage.k8s.io/v1", "CSINode"),
    ("storage.k8s.io/v1", "StorageClass"),
    ("v1", "ConfigMap"),
    ("v1", "Endpoints"),
    ("v1", "Node"),
    ("v1", "PersistentVolume"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "Pod"),
    ("v1", "Secret"),
    ("v1", "Service"),
    ("v1", "ServiceAccount"),
]


class Probe:
    """An object, a patch, and what the table says their merge is."""

    def __init__(self, left_out: set[tuple[str, str]]) -> None:
        self.left_out = left_out
        self.lists = 0

    def place(self, schema: Schema, above: frozenset[str]) -> tuple[Any, Any, Any]:
        if schema.shape == "list":
            return self.list(schema, above)
        if schema.shape == "map":
            return {"a": "1"}, {"b": "2"}, {"a": "1", "b": "2"}
        parts = self.struct(schema, above)
        if "replace" in schema.patch_strategies:
            return parts[0], parts[1], parts[1]
        return parts

    def struct(self, schema: Schema, above: frozenset[str]) -> tuple[Any, Any, Any]:
        sides: tuple[dict[str, Any], ...] = ({}, {}, {})
        if schema.type_name in above:
            return sides  # type: ignore[return-value]
        for key in field_names(schema):
            child = schema.field(key)
            if child.shape in {"scalar", "any"} or (schema.type_name, key) in self.left_out:
                continue
            for side, value in zip(
                sides, self.place(child, above | {schema.type_name}), strict=True
            ):
                side[key] = value
        return sides  # type: ignore[return-value]

    def list(self, schema: Schema, above: frozenset[str]) -> tuple[Any, Any, Any]:
        self.lists += 1
        if "merge" not in schema.patch_strategies:
            return ["a"], ["b"], ["b"]
        key = schema.patch_merge_key
        if not key:
            return ["a"], ["b"], ["a", "b"]
        old, patch, new = self.struct(schema.items(), above)
        added = {key: "b"}
        return [{**old, key: "a"}], [{**patch, key: "a"}, added], [{**new, key: "a"}, added]


def field_names(schema: Schema) -> list[str]:
    return [*(schema._children or schema._open()).fields]


def kubectl_patch(folder: Path, resource: Any, patch: Any) -> subprocess.CompletedProcess[str]:
    (folder / "object.json").write_text(json.dumps(resource))
    (folder / "patch.json").write_text(json.dumps(patch))
    command = [str(KUBECTL), "patch", "--local", "--type", "strategic", "-o", "json"]
    return subprocess.run(
        [*command, "-f", "object.json", "--patch-file", "patch.json"],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "KUBECONFIG": "/dev/null"},
        capture_output=True,
        text=True,
        check=False,
    )


def in_order(value: Any) -> Any:
    """The value with every list sorted: where an added item goes is not the table's matter."""
    if isinstance(value, dict):
        return {key: in_order(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted((in_order(item) for item in value), key=partial(json.dumps, sort_keys=True))
    return value


@needs_kubectl
@pytest.mark.parametrize(("api_version", "kind"), KINDS)
def test_patch_strategies_are_those_of_kubectl(api_version: str, kind: str, tmp_path: Path) -> None:
    schema = SchemaSet().for_resource(api_version, kind)
    identity = {"apiVersion": api_version, "kind": kind}
    left_out = {("ObjectMeta", "managedFields")}  # kubectl decodes these before it patches
    while True:
        probe = Probe(left_out)
        resource, patch, expected = probe.struct(schema, frozenset())
        for side in (resource, expected):
            side |= identity
            side["metadata"]["name"] = "probe"
        done = kubectl_patch(tmp_path, resource, patch)
        missing = re.search(r'api field in struct (\w+) for the json field "(\S+)"', done.stderr)
        if not missing:
            break
        assert missing.groups() not in left_out
        left_out.add((missing[1], missing[2]))
    assert done.returncode == 0, done.stderr
    assert in_order(json.loads(done.stdout)) == in_order(expected)
    print(f"{probe.lists} lists compared, {len(left_out)} fields left out")
