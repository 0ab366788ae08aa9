"""Patches and comparisons, timed: `pytest benchmarks/test_patch_bench.py`."""

import random
from pathlib import Path
from typing import Any

import pytest

from pkgupdate.patch import strategic
from pkgupdate.patch.last_applied import Annotator
from pkgupdate.patch.maker import PatchMaker
from pkgupdate.patch.match import SERVER_OPTIONS
from pkgupdate.patch.options import ignore_status
from pkgupdate.patch.resources import resources_of
from pkgupdate.schema import SchemaSet

LIVE = Path(__file__).parents[1] / "testdata" / "live" / "deployment"
POD = SchemaSet().for_resource("v1", "Pod")
ITEMS = 5000


def deployment() -> tuple[dict[str, Any], dict[str, Any]]:
    desired, live = (
        next(resources_of((LIVE / f"{side}.yaml").read_text())) for side in ("desired", "live")
    )
    return desired, live


@pytest.mark.parametrize("annotated", [False, True], ids=["two-way", "three-way"])
def test_calculate_on_a_deployment(benchmark: Any, annotated: bool) -> None:
    desired, live = deployment()
    if annotated:
        live["metadata"] |= {
            "annotations": Annotator().annotated(desired)["metadata"]["annotations"]
        }
    benchmark(PatchMaker().calculate, live, desired, ignore_status())


def test_match_of_a_deployment(benchmark: Any) -> None:
    desired, live = deployment()
    result = benchmark(PatchMaker().calculate, live, desired, *SERVER_OPTIONS)
    assert result.is_empty


def lists(field: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A long list, and another order of six sevenths of it with changed items."""
    names = [f"v{i}" for i in range(ITEMS)]
    random.Random(1).shuffle(names)
    wanted = [name for i, name in enumerate(names) if i % 7]
    random.Random(2).shuffle(wanted)
    if field == "finalizers":
        return {"metadata": {field: names}}, {"metadata": {field: wanted}}
    live = [{"name": name, "image": "1"} for name in names]
    modified = [{"name": name, "image": "2"} for name in wanted]
    return {"spec": {field: live}}, {"spec": {field: modified}}


@pytest.mark.parametrize("field", ["containers", "finalizers"])
def test_create_for_a_long_list(benchmark: Any, field: str) -> None:
    live, modified = lists(field)
    benchmark(strategic.create_two_way, live, modified, POD)


@pytest.mark.parametrize("field", ["containers", "finalizers"])
def test_apply_to_a_long_list(benchmark: Any, field: str) -> None:
    live, modified = lists(field)
    patch = strategic.create_two_way(live, modified, POD)
    assert benchmark(strategic.apply, live, patch, POD) == modified
