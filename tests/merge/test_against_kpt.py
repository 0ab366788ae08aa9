"""The merged values against those of the installed kpt, on generated resources."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .helpers import merge, merge_kptfile
from .kpt import kpt_merge, kpt_merge_kptfiles, needs_kpt, without_traces
from .trees import text, unordered

pytestmark = needs_kpt

Edit = Callable[[Any, random.Random], None]


def deployment(number: int) -> dict[str, Any]:
    container = {
        "name": "web",
        "image": "web:1",
        "args": ["serve", "--port=80"],
        "env": [{"name": n, "value": "0"} for n in "ABC"],
        "ports": [{"containerPort": 80, "protocol": "TCP"}],
        "resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
    }
    side = {"name": "side", "image": "side:1", "env": [{"name": "A", "value": "0"}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": f"d{number}", "labels": {"app": "shop", "tier": "web"}},
        "spec": {
            "replicas": 1,
            "template": {
                "metadata": {"labels": {"app": "shop"}},
                "spec": {
                    "containers": [container, side],
                    "volumes": [{"name": "tmp", "emptyDir": {}}],
                    "tolerations": [{"key": "a", "operator": "Exists"}],
                },
            },
        },
    }


def custom(number: int) -> dict[str, Any]:
    return {
        "apiVersion": "demo.example.org/v1",
        "kind": "Cache",
        "metadata": {"name": f"c{number}", "annotations": {"a": "1", "b": "2"}},
        "spec": {
            "size": 1,
            "hosts": ["one", "two"],
            "nodes": [{"name": "n1", "cpu": 1}, {"name": "n2", "cpu": 1}],
            "deep": {"er": {"x": "1", "y": "2"}},
            "script": "one\ntwo\nthree\n",
        },
    }


def pod(resource: Any) -> Any:
    return resource["spec"]["template"]["spec"]


def value(draw: random.Random) -> str:
    return f"v{draw.randrange(100)}"


def new_container(r: Any, draw: random.Random) -> None:
    pod(r)["containers"].append({"name": value(draw), "image": "new:1"})


UNITS: list[Edit] = [
    lambda r, d: r["metadata"]["labels"].update(tier=value(d)),
    lambda r, d: r["metadata"]["labels"].update({value(d): value(d)}),
    lambda r, d: r["spec"].update(replicas=d.randrange(2, 50)),
    lambda r, d: pod(r)["containers"][0].update(image=value(d)),
    lambda r, d: pod(r)["containers"][0]["env"][0].update(value=value(d)),
    lambda r, d: pod(r)["containers"][0]["env"].append({"name": value(d), "value": value(d)}),
    lambda r, d: pod(r)["containers"][0]["resources"]["limits"].update(cpu=value(d)),
    lambda r, d: pod(r)["containers"][0].update(args=["serve", value(d)]),
    lambda r, d: pod(r)["volumes"].append({"name": value(d), "configMap": {"name": value(d)}}),
    lambda r, d: pod(r).update(tolerations=[{"key": value(d), "operator": "Exists"}]),
    lambda r, d: pod(r).update(serviceAccountName=value(d)),
    new_container,
]
CUSTOM_UNITS: list[Edit] = [
    lambda r, d: r["metadata"]["annotations"].update(a=value(d)),
    lambda r, d: r["spec"].update(size=d.randrange(2, 50)),
    lambda r, d: r["spec"].update(hosts=["one", value(d)]),
    lambda r, d: r["spec"].update(nodes=[{"name": "n1", "cpu": d.randrange(2, 50)}]),
    lambda r, d: r["spec"]["deep"]["er"].update(x=value(d)),
    lambda r, d: r["spec"]["deep"].update({value(d): {"z": "1"}}),
    lambda r, d: r["spec"].update(script=f"one\n{value(d)}\nthree\n"),
]
DELETIONS: list[Edit] = [
    lambda r, d: r["metadata"]["labels"].pop("app"),
    lambda r, d: pod(r)["containers"][0]["env"].pop(1),
    lambda r, d: pod(r)["containers"][0]["resources"]["limits"].pop("memory"),
]
CUSTOM_DELETIONS: list[Edit] = [
    lambda r, d: r["metadata"]["annotations"].pop("b"),
    lambda r, d: r["spec"]["deep"]["er"].pop("y"),
]
DELETIONS_OF_WHAT_IS_EDITED: list[Edit] = [
    lambda r, d: r["metadata"]["labels"].pop("tier", None),
    lambda r, d: r["spec"].pop("replicas"),
    lambda r, d: pod(r)["containers"][0].pop("image"),
    lambda r, d: pod(r)["containers"][0]["resources"]["limits"].pop("cpu"),
]
CUSTOM_DELETIONS_OF_WHAT_IS_EDITED: list[Edit] = [
    lambda r, d: r["metadata"]["annotations"].pop("a"),
    lambda r, d: r["spec"].pop("size"),
    lambda r, d: r["spec"].pop("script"),
]


def case(number: int, *, collide: bool) -> tuple[str, str, str]:
    """Three resources; every unit is changed by upstream, by local, by neither (or by both).

    What is deleted are entries without maps or lists in them: see docs/kpt-compat.md.
    """
    draw = random.Random(number)
    is_custom = number % 3 == 0
    original = custom(number) if is_custom else deployment(number)
    upstream, local = copy.deepcopy(original), copy.deepcopy(original)

    def change(edits: list[Edit], choices: list[str]) -> None:
        for edit in edits:
            who = draw.choice(choices)
            if who in ("upstream", "both"):
                edit(upstream, draw)
            if who in ("local", "both"):
                edit(local, draw)

    one_side = ["none", "upstream", "local"]
    units = CUSTOM_UNITS if is_custom else UNITS
    change(units, [*one_side, "both", "both"] if collide else one_side)
    change(CUSTOM_DELETIONS if is_custom else DELETIONS, ["none", *one_side])
    if collide:
        edited = CUSTOM_DELETIONS_OF_WHAT_IS_EDITED if is_custom else DELETIONS_OF_WHAT_IS_EDITED
        change(edited, ["none", "none", *one_side])
    return text(original), text(upstream), text(local)


def test_values_equal_those_of_kpt_where_no_unit_changed_on_both_sides(tmp_path: Path) -> None:
    cases = [case(number, collide=False) for number in range(20)]
    for sides, expected in zip(cases, kpt_merge(tmp_path, cases), strict=True):
        merged = merge(*sides)
        assert not merged.collisions
        assert unordered(without_traces(merged.data)) == unordered(expected)


def test_compatible_mode_equals_kpt_where_both_sides_changed(tmp_path: Path) -> None:
    cases = [case(number, collide=True) for number in range(100, 130)]
    for sides, expected in zip(cases, kpt_merge(tmp_path, cases), strict=True):
        merged = merge(*sides, kpt_compat=True)
        assert without_traces(merged.data) == expected


IMAGES = ["set-labels", "set-namespace", "apply-setters", "kubeval"]


def pipeline_case(number: int) -> tuple[str, str, str]:
    """Three Kptfiles whose functions all have names, or none has and no image repeats."""
    draw = random.Random(number)
    has_names = draw.random() < 0.5

    def function(image: str) -> dict[str, Any]:
        name = {"name": f"n-{image}"} if has_names else {}
        config = {"a": value(draw), "b": value(draw)}
        return {**name, "image": f"example.org/fn/{image}:v1", "configMap": config}

    original = [function(image) for image in IMAGES[:2]]
    upstream, local = copy.deepcopy(original), copy.deepcopy(original)
    for side, image in ((upstream, IMAGES[2]), (local, IMAGES[3])):
        for place, function_ in enumerate(side):
            if draw.random() < 0.5:
                function_["configMap"]["a" if side is upstream else "b"] = value(draw)
            if draw.random() < 0.3:
                function_["configMap"]["c"] = value(draw)
            if draw.random() < 0.3 and side is upstream:
                function_["image"] = function_["image"].replace("v1", f"v{2 + place}")
        if draw.random() < 0.5:
            side.append(function(image))
    return kptfile(number, original), kptfile(number, upstream), kptfile(number, local)


def kptfile(number: int, mutators: Any) -> str:
    head = {"apiVersion": "kpt.dev/v1", "kind": "Kptfile", "metadata": {"name": f"s{number}"}}
    return text({**head, "pipeline": {"mutators": mutators}})


def test_pipelines_equal_those_of_kpt(tmp_path: Path) -> None:
    cases = [pipeline_case(number) for number in range(20)]
    for sides, expected in zip(cases, kpt_merge_kptfiles(tmp_path, cases), strict=True):
        assert merge_kptfile(*sides, is_root=False).data == expected
        assert merge_kptfile(*sides, is_root=False, kpt_compat=True).data == expected
