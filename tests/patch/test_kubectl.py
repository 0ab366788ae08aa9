"""The same patches on the same objects as the real kubectl, list order included."""

import json
from pathlib import Path
from typing import Any

import pytest

from .cases import outcome, random_cases
from .kubectl import KUBECTL, Case, run_all

pytestmark = pytest.mark.skipif(KUBECTL is None, reason="kubectl is not installed")

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "labels": {"a": "b"}, "finalizers": ["k/x", "k/w", "k/q"]},
    "spec": {
        "containers": [{"name": "a", "image": "x"}, {"name": "b"}, {"name": "c"}, {"name": "s"}],
        "tolerations": [{"key": "a"}],
        "dnsConfig": {},
        "nodeSelector": {"a": "b"},
        "hostAliases": [],
    },
}
CONFIG = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "web"},
    "data": {"x": {"y": 1}, "z": [1]},
}


def names(*values: str) -> list[dict[str, str]]:
    return [{"name": value} for value in values]


GONE = {"name": "a", "$patch": "delete"}
ORDER = "$setElementOrder/containers"
DELETE = "$deleteFromPrimitiveList/finalizers"

SPECS: dict[str, Any] = {
    "delete a map": {"dnsConfig": {"$patch": "delete"}},
    "replace a map": {"nodeSelector": {"$patch": "replace", "q": None, "r": "s"}},
    "merge is no directive of a map": {"nodeSelector": {"$patch": "merge", "q": "r"}},
    "a marked map meets nothing": {"affinity": {"$patch": "replace", "q": "r"}},
    "nulls and marked maps in a new map": {"affinity": {"a": None, "b": {"$patch": "delete"}}},
    "other directives in a new map stay": {"affinity": {"$retainKeys": ["a"], "a": {"b": 1}}},
    "nulls in a new item stay": {"containers": [{"name": "n", "image": None}]},
    "marked items in a new item stay": {"containers": [{"name": "n", "env": [GONE]}]},
    "marked items in a new list go": {"containers": [{"name": "b", "env": [GONE]}]},
    "delete an item": {"containers": [GONE]},
    "delete and add the same item": {"containers": [GONE, {"name": "a", "image": "new"}]},
    "delete an item that is not there": {"containers": [{"name": "q", "$patch": "delete"}]},
    "replace a list": {"containers": [{"name": "z"}, {"$patch": "replace"}, {"name": "b"}]},
    "empty a list": {"containers": [{"$patch": "replace"}]},
    "merge is no directive of a list": {"containers": [{"$patch": "merge", "name": "a"}]},
    "an unknown directive": {"containers": [{"$patch": "add", "name": "a"}]},
    "delete without key": {"containers": [{"$patch": "delete"}]},
    "an item without key": {"containers": [{"image": "q"}]},
    "one item twice": {"containers": [{"name": "n", "image": "1"}, {"name": "n", "image": "2"}]},
    "a list of lists": {"containers": [[1]]},
    "scalars among maps": {"containers": ["a"]},
    "new items come first": {"containers": names("d", "c")},
    "the patch orders its items": {"containers": names("c", "a")},
    "the directive alone": {ORDER: names("s", "b")},
    "the directive wins over the patch": {ORDER: names("s", "b", "a"), "containers": names("a")},
    "the directive contradicts": {ORDER: names("a", "b"), "containers": names("b", "a")},
    "the directive lacks an item": {ORDER: names("a"), "containers": names("q")},
    "a marked item after the order": {
        ORDER: names("a"),
        "containers": [{"name": "a"}, {"$patch": "replace"}],
    },
    "a marked item before the order": {
        ORDER: names("a"),
        "containers": [{"$patch": "replace"}, {"name": "a"}],
    },
    "an added item takes the room of a deleted one": {
        ORDER: names("d", "b", "c"),
        "containers": [{"name": "d"}, GONE],
    },
    "the last item deleted, the list replaced": {
        ORDER: names("s", "q"),
        "containers": [{"name": "s", "$patch": "delete"}, {"$patch": "replace"}, *names("s", "q")],
    },
    "an empty directive": {ORDER: [], "containers": names("z", "y")},
    "an empty directive of a new list": {
        "$setElementOrder/volumes": [],
        "volumes": names("z", "y"),
    },
    "the directive of a list that is not there": {"$setElementOrder/volumes": names("a")},
    "the directive of an empty list": {"$setElementOrder/hostAliases": [{"ip": "a"}]},
    "a new list with a directive": {
        "$setElementOrder/volumes": names("b", "a"),
        "volumes": [GONE, {"name": "b", "x": None}],
    },
    "the directive of an unknown field": {"$setElementOrder/nope": names("a")},
    "the directive without field": {"$setElementOrder": names("a")},
    "the directive misspelt": {"$setElementOrders/containers": names("a")},
    "the directive is no list": {ORDER: {"name": "a"}},
    "the directive item without key": {ORDER: [{"image": "a"}]},
    "null beside its directive": {ORDER: names("a"), "containers": None},
    "an atomic list": {"tolerations": [{"key": "b", "x": None, "$patch": "delete"}]},
    "null deletes": {"tolerations": None, "containers": None, "nope": None},
    "retained keys": {"$retainKeys": ["containers", "dnsPolicy"], "dnsPolicy": "None"},
    "a key that is not retained": {"$retainKeys": ["containers"], "dnsPolicy": "None"},
    "retained keys are no list": {"$retainKeys": "containers"},
    "an unknown field": {"nope": {"a": {"b": None}, "c": [None]}},
    "another type": {"nodeSelector": "x", "dnsConfig": [1], "tolerations": {"a": None}},
}
METADATA: dict[str, Any] = {
    "scalars are a set": {"finalizers": ["k/n", "k/x"]},
    "scalars to delete": {DELETE: ["k/w", "k/nope"]},
    "scalars with everything": {
        "$setElementOrder/finalizers": ["k/q", "k/n"],
        "finalizers": ["k/n"],
        DELETE: ["k/w"],
    },
    "scalars of two types": {"finalizers": [1]},
    "deletions without field": {"$deleteFromPrimitiveList": ["k/w"]},
    "deletions from nothing": {"$deleteFromPrimitiveList/nope": ["k/w"]},
    "deletions are null": {DELETE: None},
    "a map in place of a scalar": {"labels": {"a": {"b": 1}}},
}
HAND_WRITTEN = (
    [Case("strategic", POD, {"spec": spec}) for spec in SPECS.values()]
    + [Case("strategic", POD, {"metadata": metadata}) for metadata in METADATA.values()]
    + [
        Case("strategic", CONFIG, {"data": {"x": {"y": 2}}}),
        Case("strategic", CONFIG, {"data": {"z": [2]}}),
        Case("merge", POD, {"spec": {"containers": [{"name": "q"}], "dnsConfig": None, "n": {}}}),
        Case("merge", POD, {"spec": {"n": {"a": None, "b": {"c": None}}, "nodeSelector": 1}}),
        Case("json", POD, [{"op": "add", "path": "/spec/containers/-", "value": {"name": "n"}}]),
        Case("json", POD, [{"op": "add", "path": "/spec/containers/1", "value": {"name": "n"}}]),
        Case("json", POD, [{"op": "remove", "path": "/spec/nope"}]),
        Case("json", POD, [{"op": "replace", "path": "/metadata/labels/a", "value": 1.5}]),
        Case("json", POD, [{"op": "test", "path": "/metadata/labels/a", "value": "z"}]),
        Case("json", POD, [{"op": "copy", "from": "/spec/containers/0", "path": "/spec/q"}]),
        Case("json", POD, [{"op": "move", "from": "/spec/tolerations", "path": "/spec/q~1r"}]),
        Case("json", POD, [{"op": "add", "path": "/spec/a/b", "value": 1}]),
    ]
)


def agree(case: Case, theirs: Any) -> bool:
    ours = outcome(case)
    if isinstance(theirs, str) and "'Kind' is missing" in theirs:
        return isinstance(ours, dict) and "kind" not in ours
    if isinstance(theirs, str) or isinstance(ours, str):
        return isinstance(theirs, str) and isinstance(ours, str)
    return json.dumps(ours, sort_keys=True) == json.dumps(theirs, sort_keys=True)


@pytest.mark.parametrize(
    "cases",
    [HAND_WRITTEN, list(random_cases(7, 140)), list(random_cases(8, 140))],
    ids=["hand-written", "random-7", "random-8"],
)
def test_agrees_with_kubectl(cases: list[Case], tmp_path: Path) -> None:
    results = run_all(cases, tmp_path)
    differing = [
        {"case": case, "kubectl": theirs, "pkgupdate": outcome(case)}
        for case, theirs in zip(cases, results, strict=True)
        if not agree(case, theirs)
    ]
    assert differing == []
