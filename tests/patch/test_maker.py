from typing import Any

import pytest

from pkgupdate.errors import UsageError
from pkgupdate.patch.errors import PatchError
from pkgupdate.patch.last_applied import Annotator
from pkgupdate.patch.maker import PatchMaker
from pkgupdate.patch.options import (
    ignore_claim_templates,
    ignore_field,
    ignore_path,
    ignore_status,
    without,
)
from pkgupdate.patch.preconditions import require_metadata_key_unchanged
from pkgupdate.paths import parse_pattern

MAKER = PatchMaker()


def deployment(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": spec,
    }


def pods(*containers: dict[str, Any]) -> dict[str, Any]:
    return deployment(template={"spec": {"containers": list(containers)}})


def custom(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "x.io/v1", "kind": "X", "metadata": {"name": "x"}, "spec": spec}


def patch(current: Any, modified: Any, *options: Any) -> Any:
    return MAKER.calculate(current, modified, *options).patch


def test_the_result() -> None:
    result = MAKER.calculate(deployment(replicas=1, paused=True), deployment(replicas=2))
    assert result.patch == {"spec": {"replicas": 2}}
    assert result.result == deployment(replicas=2, paused=True)
    assert (result.is_empty, result.is_strategic, result.original) == (False, True, None)
    assert [change.path for change in result.changes()] == [("spec", "replicas")]


def test_order_directives_alone_are_no_change() -> None:
    live = pods({"name": "a", "imagePullPolicy": "Always"}, {"name": "injected"})
    assert MAKER.calculate(live, pods({"name": "a"})).is_empty


def test_another_order_is_a_change() -> None:
    found = patch(pods({"name": "a"}, {"name": "b"}), pods({"name": "b"}, {"name": "a"}))
    spec = found["spec"]["template"]["spec"]
    assert spec == {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]}


def test_kinds_without_type_get_json_merge_patches() -> None:
    result = MAKER.calculate(custom(items=[{"name": "a"}], server=1), custom(items=[{"name": "b"}]))
    assert not result.is_strategic
    assert result.patch == {"spec": {"items": [{"name": "b"}]}}


@pytest.mark.parametrize("make", [deployment, custom])
def test_deletions_are_known_from_the_annotation(make: Any) -> None:
    live = Annotator().annotated(make(replicas=1, paused=True))
    live["spec"]["server"] = 1
    assert patch(live, make(replicas=1)) == {"spec": {"paused": None}}
    assert MAKER.calculate(live, make(replicas=1, paused=True)).is_empty


def test_the_annotation_itself_is_no_change() -> None:
    live = Annotator().annotated(deployment(replicas=1))
    assert MAKER.calculate(live, Annotator().annotated(deployment(replicas=1))).is_empty
    assert MAKER.calculate(live, deployment(replicas=1)).is_empty


def test_annotations_of_the_server_survive_an_empty_map_once_applied() -> None:
    last = '{"metadata":{"annotations":{},"name":"web"},"spec":{"replicas":1}}'
    live = deployment(replicas=1)
    live["metadata"]["annotations"] = {
        "deployment.kubernetes.io/revision": "1",
        "kubectl.kubernetes.io/last-applied-configuration": last,
    }
    assert MAKER.calculate(live, deployment(replicas=1)).is_empty


@pytest.mark.parametrize("make", [deployment, custom])
def test_nothing_said(make: Any) -> None:
    assert MAKER.calculate(make(a=1), make(a=1, b=None, c="", d={"e": None})).patch == {
        "spec": {"d": {}}
    }
    assert MAKER.calculate(make(a=1, b=None, c=""), make(a=1)).is_empty


@pytest.mark.parametrize("value", [0, False, {}, []])
def test_zeros_are_kept(value: Any) -> None:
    assert patch(deployment(), deployment(a=value)) == {"spec": {"a": value}}


def test_an_empty_string_against_a_value_is_a_change() -> None:
    assert patch(deployment(a="x"), deployment(a="")) == {"spec": {"a": ""}}


def test_empty_strings_in_maps_of_free_keys_count() -> None:
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    assert patch({**config, "data": {}}, {**config, "data": {"a": ""}}) == {"data": {"a": ""}}


@pytest.mark.parametrize("zero", [0, "0", ""])
def test_a_port_of_zero_is_unset(zero: Any) -> None:
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}}
    desired = {**service, "spec": {"ports": [{"port": 80, "targetPort": zero}]}}
    live = {**service, "spec": {"ports": [{"port": 80, "targetPort": 80}]}}
    assert MAKER.calculate(live, desired).is_empty


def test_a_zero_that_means_something_is_a_change() -> None:
    live = deployment(strategy={"rollingUpdate": {"maxUnavailable": "25%"}})
    desired = deployment(strategy={"rollingUpdate": {"maxUnavailable": 0}})
    found = patch(live, desired)
    assert found["spec"]["strategy"]["rollingUpdate"] == {"maxUnavailable": 0}


OPTIONS = {
    "status": (ignore_status(), {"status": {"replicas": 2}}),
    "field": (ignore_field("spec"), {"spec": {"replicas": 2}}),
    "path": (ignore_path("spec.replicas"), {"spec": {"replicas": 2}}),
    "any depth": (ignore_path("**.replicas"), {"spec": {"replicas": 2}}),
    "odd key": (
        ignore_path('metadata.labels["a.b/c"]'),
        {"metadata": {"name": "web", "labels": {"a.b/c": "2"}}},
    ),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name: str) -> None:
    option, change = OPTIONS[name]
    live = {
        **deployment(replicas=1),
        "status": {"replicas": 1},
        "metadata": {"name": "web", "labels": {"a.b/c": "1"}},
    }
    assert not MAKER.calculate(live, {**live, **change}).is_empty
    assert MAKER.calculate(live, {**live, **change}, option).is_empty
    both = {**live, **change, "kind": "Deployment", "extra": 1}
    assert patch(live, both, option) == {"extra": 1}


def test_paths_name_items_of_lists() -> None:
    live = pods({"name": "a", "image": "1"}, {"name": "b", "image": "1"})
    desired = pods({"name": "a", "image": "2"}, {"name": "b", "image": "1"})
    path = "spec.template.spec.containers[name={}].image"
    assert MAKER.calculate(live, desired, ignore_path(path.format("a"))).is_empty
    assert not MAKER.calculate(live, desired, ignore_path(path.format("b"))).is_empty
    with pytest.raises(UsageError):
        ignore_path("spec..")


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("a", {"b": [{"c": 1, "d": 2}, {"c": 3}]}),
        ("b[0]", {"a": 1, "b": [{"c": 3}]}),
        ("b[*].c", {"a": 1, "b": [{"d": 2}, {}]}),
        ("b[c=3]", {"a": 1, "b": [{"c": 1, "d": 2}]}),
        ("**.c", {"a": 1, "b": [{"d": 2}, {}]}),
        ("*", {}),
        ("nope.x", {"a": 1, "b": [{"c": 1, "d": 2}, {"c": 3}]}),
    ],
)
def test_without(pattern: str, left: Any) -> None:
    data = {"a": 1, "b": [{"c": 1, "d": 2}, {"c": 3}]}
    assert without(data, parse_pattern(pattern)) == left


def test_claim_templates() -> None:
    def stateful_set(**template: Any) -> dict[str, Any]:
        template = {"metadata": {"name": "data"}, **template}
        spec = {"volumeClaimTemplates": [template]}
        return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {}, "spec": spec}

    live = stateful_set(
        apiVersion="v1", kind="PersistentVolumeClaim", status={"phase": "Pending"}, spec={"a": 1}
    )
    desired = stateful_set(spec={"a": 1})
    assert not MAKER.calculate(live, desired).is_empty
    assert MAKER.calculate(live, desired, ignore_claim_templates()).is_empty
    changed = stateful_set(spec={"a": 2})
    assert not MAKER.calculate(live, changed, ignore_claim_templates()).is_empty


def test_preconditions() -> None:
    maker = PatchMaker(preconditions=[require_metadata_key_unchanged("name")])
    with pytest.raises(PatchError) as caught:
        maker.calculate(deployment(), {**deployment(), "metadata": {"name": "other"}})
    assert caught.value.code == "patch-precondition"


def test_nothing_prints_a_secret() -> None:
    def secret(token: str) -> dict[str, Any]:
        return {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "a"},
            "data": {"token": token},
            "stringData": {"other": token},
        }

    live = Annotator().annotated(secret("b2xk"))
    result = MAKER.calculate(live, secret("bmV3"))
    printed = f"{result!r} {result} {list(result.changes())}"
    assert "bmV3" not in printed
    assert "b2xk" not in printed
    assert "(hidden)" in printed
    assert result.patch["data"] == {"token": "bmV3"}
    assert '"replicas": 2' in repr(MAKER.calculate(deployment(), deployment(replicas=2)))
