"""The matcher on objects as the API server returns them, one folder of `testdata/live` a kind."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pkgupdate.patch.last_applied import Annotator
from pkgupdate.patch.maker import PatchMaker
from pkgupdate.patch.match import Match, State, match
from pkgupdate.patch.options import ignore_path
from pkgupdate.patch.resources import resources_of
from pkgupdate.patch.server import quantity
from pkgupdate.paths import format_path

LIVE = Path(__file__).parents[2] / "testdata" / "live"
KINDS = sorted(folder.name for folder in LIVE.iterdir())


def load(kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    desired, live = (
        list(resources_of((LIVE / kind / f"{side}.yaml").read_text()))
        for side in ("desired", "live")
    )
    return desired[0], live[0]


def compare(desired: Any, live: Any, *options: Any) -> Match:
    (found,) = match([desired], [live], PatchMaker(), *options)
    return found


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(data, dict) and data:
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, list) and data:
        for i, item in enumerate(data):
            yield from leaves(item, (*path, i))
    else:
        yield path


def changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return (value or "") + "x" if isinstance(value, str | None) else {"changed": "x"}


def replaced(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    result = copy.deepcopy(data)
    place = result
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value(place[path[-1]])
    return result


def without(data: Any, path: tuple[Any, ...]) -> Any:
    result = copy.deepcopy(data)
    place = result
    for part in path[:-1]:
        place = place[part]
    del place[path[-1]]
    return result


UNSET = {
    ("spec", "template", "metadata", "creationTimestamp"),
    ("spec", "ports", 1, "targetPort"),
    ("spec", "template", "spec", "volumes", 1, "emptyDir"),
}
"""Null, a port of zero, and maps that state nothing: whatever stands there is the server's."""
IDENTITY = {("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace")}


def fields(desired: Any) -> list[tuple[Any, ...]]:
    return [path for path in leaves(desired) if path not in IDENTITY]


def test_there_are_many_kinds() -> None:
    assert len({load(kind)[0]["kind"] for kind in KINDS}) >= 20


@pytest.mark.parametrize("kind", KINDS)
def test_unchanged_is_in_sync(kind: str) -> None:
    desired, live = load(kind)
    found = compare(desired, live)
    assert (found.state, found.changes, found.patch) == (State.IN_SYNC, (), None)


@pytest.mark.parametrize("kind", KINDS)
def test_unchanged_is_in_sync_with_what_was_applied(kind: str) -> None:
    desired, live = load(kind)
    live["metadata"]["annotations"] = {
        **live["metadata"].get("annotations", {}),
        **Annotator().annotated(desired)["metadata"]["annotations"],
    }
    assert compare(desired, live).state is State.IN_SYNC


@pytest.mark.parametrize("kind", KINDS)
def test_every_changed_field_is_found(kind: str) -> None:
    desired, live = load(kind)
    missed = [
        path
        for path in fields(desired)
        if compare(replaced(desired, path, changed), live).state is not State.DIFFERS
    ]
    assert missed == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_changed_in_the_cluster_is_found(kind: str) -> None:
    desired, live = load(kind)
    stated = set(fields(desired))
    missed = [
        path
        for path in leaves(live)
        if path in stated
        and path not in UNSET
        and compare(desired, replaced(live, path, changed)).state is not State.DIFFERS
    ]
    assert missed == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_removed_field_is_found_where_it_was_applied(kind: str) -> None:
    desired, live = load(kind)
    applied = copy.deepcopy(live)
    annotations = applied["metadata"].setdefault("annotations", {})
    annotations |= Annotator().annotated(desired)["metadata"]["annotations"]
    missed = []
    for path in fields(desired):
        place: Any = live
        for part in path:
            place = place.get(part) if isinstance(place, dict) else None
        if place is not None and compare(without(desired, path), applied).state is State.IN_SYNC:
            missed.append(path)
    assert missed == []


def test_changes_say_where() -> None:
    desired, live = load("deployment")
    desired["spec"]["replicas"] = 5
    container = desired["spec"]["template"]["spec"]["containers"][0]
    container["resources"]["requests"]["cpu"] = "1001m"
    container["env"].reverse()
    found = compare(desired, live)
    base = "spec.template.spec.containers[name=web]"
    assert [format_path(change.path) for change in found.changes] == [
        "spec.replicas",
        f"{base}.env",
        f"{base}.resources.requests.cpu",
    ]
    assert [change.order for change in found.changes] == [False, True, False]
    ignored = ignore_path("spec.replicas"), ignore_path("**.requests"), ignore_path("**.env")
    assert compare(desired, live, *ignored).state is State.IN_SYNC


def test_zeros_that_the_server_would_store_count() -> None:
    desired, live = load("deployment")
    desired["spec"]["template"]["spec"]["automountServiceAccountToken"] = False
    assert compare(desired, live).state is State.DIFFERS


def test_a_change_inside_an_atomic_list_does_not_take_defaults_along() -> None:
    desired, live = load("networkpolicy")
    desired["spec"]["ingress"][0]["ports"][0]["port"] = 9090
    patch = compare(desired, live).patch
    assert patch == {
        "spec": {"ingress": [{"from": [{"namespaceSelector": {}}], "ports": [{"port": 9090}]}]}
    }


def test_another_strategy_clears_the_old_one() -> None:
    desired, live = load("deployment")
    desired["spec"]["strategy"] = {"type": "Recreate"}
    patch = compare(desired, live).patch
    assert patch == {
        "spec": {"strategy": {"$retainKeys": ["type"], "rollingUpdate": None, "type": "Recreate"}}
    }


def test_pairs() -> None:
    def config(name: str, namespace: str | None = None, value: str = "1") -> dict[str, Any]:
        metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": value}}

    live = [
        config("a", "x"),
        config("b", "x"),
        config("b", "default"),
        config("c", "x"),
        config("c", "y"),
    ]
    desired = [config("a"), config("b"), config("c"), config("c", "y", "2"), config("d", "x")]
    found = match(desired, live, PatchMaker())
    assert [str(m.state) for m in found] == [
        "in-sync",
        "in-sync",
        "missing",
        "differs",
        "missing",
    ]
    assert str(found[3].identity) == "ConfigMap/y/c"


def test_lists_are_expanded() -> None:
    text = """
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
- {apiVersion: apps/v1, kind: DeploymentList, items: [{metadata: {name: b}}]}
---
# nothing
---
just: data
"""
    found = [(r["apiVersion"], r["kind"], r["metadata"]["name"]) for r in resources_of(text)]
    assert found == [("v1", "ConfigMap", "a"), ("apps/v1", "Deployment", "b")]


def test_booleans_as_kubernetes_reads_them() -> None:
    (resource,) = resources_of("apiVersion: v1\nkind: Pod\nspec: {a: yes, b: off, c: 'yes'}\n")
    assert resource["spec"] == {"a": True, "b": False, "c": "yes"}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("1000m", "1"),
        (1, "1"),
        (0.5, "500m"),
        ("1Gi", "1024Mi"),
        ("0.5Gi", "512Mi"),
        ("1e3", "1k"),
        ("1E", "1000P"),
        ("1E3", "1000"),
        ("-1.50", "-1500m"),
        (".5", "5e-1"),
    ],
)
def test_equal_quantities(left: Any, right: Any) -> None:
    assert quantity(left) is not None
    assert quantity(left) == quantity(right)


@pytest.mark.parametrize("value", ["", "1 Gi", "Gi", "1gi", "abc", True, None, "1e999999999"])
def test_no_quantities(value: Any) -> None:
    assert quantity(value) is None
