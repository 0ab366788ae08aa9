"""What a package changed, as patches that give the changes back on a fresh copy."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pkgupdate.document.stream import Stream
from pkgupdate.inspect.patches import package_patches
from pkgupdate.package.tree import MemoryTree
from pkgupdate.patch.apply import apply_patches, read_patches
from pkgupdate.patch.errors import PatchError
from pkgupdate.patch.local import to_yaml
from pkgupdate.patch.resources import resource_data
from pkgupdate.report.patches import render_patches
from pkgupdate.schema import SchemaSet

from . import shapes

CM = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\ndata:\n  a: one\n"
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {token: %s}\n"

KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: NAME}
upstream: {git: {ref: REF}}
info: {description: y}
pipeline:
  mutators:
  - image: fn:v1
    configMap: {on: yes}
"""
PLAIN = "a: 1\n"
JOB = "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: j-}\nspec: {parallelism: 1}\n"
LIST = "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ConfigMap, data: {a: one}}]\n"


def test_patches_give_the_local_package_back() -> None:
    upstream = {
        "Kptfile": KPTFILE.replace("NAME", "catalog").replace("REF", "v1"),
        "sub/Kptfile": KPTFILE,
        "values.yaml": PLAIN,
        "a.yaml": CM.format("same") + "---\n" + CM.format("gone"),
        "sub/a.yaml": CM.format("same"),
        "secret.yaml": SECRET % "b2xk",
        "job.yaml": JOB,
        "list.yaml": LIST,
    }
    local = {
        "Kptfile": KPTFILE.replace("NAME", "shop").replace("REF", "v1").replace("fn:v1", "fn:v2"),
        "new/Kptfile": KPTFILE.replace("NAME", "new"),
        "values.yaml": PLAIN + "b: 2\n",
        "a.yaml": CM.format("same").replace("one", "here"),
        "sub/a.yaml": CM.format("same").replace("one", "there"),
        "secret.yaml": SECRET % "bmV3",
        "job.yaml": JOB.replace("parallelism: 1", "parallelism: 2"),
        "list.yaml": LIST.replace("one", "listed"),
        "configmap-new.yaml": CM.format("new").replace("one", '"y"'),
    }
    found = package_patches(tree(upstream), tree(local))
    assert found.others == ["values.yaml"]
    text = render_patches(found.patches, show_secrets=True)
    result = upstream | apply_patches(upstream, read_patches(text), SchemaSet())
    want = {**local, "values.yaml": upstream["values.yaml"]}
    want["Kptfile"] = want["Kptfile"].replace("shop", "catalog")
    assert _values(result) == _values(want)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_patches_of_random_packages_give_them_back(seed: int) -> None:
    upstream, local = random_packages(random.Random(seed))
    patches = package_patches(tree(upstream), tree(local)).patches
    text = render_patches(patches, show_secrets=True)
    result = upstream | apply_patches(upstream, read_patches(text), SchemaSet())
    # An added resource may come into another file.
    given, wanted = (
        sorted(str(resource) for resources in _values(files).values() for resource in resources)
        for files in (result, local)
    )
    assert given == wanted


def random_packages(rng: random.Random) -> tuple[dict[str, str], dict[str, str]]:
    """Two versions of a package of random resources, some of one kind and name."""
    upstream: dict[str, str] = {"Kptfile": KPTFILE}
    local = {"Kptfile": KPTFILE.replace("v1", rng.choice(("v1", "v2")))}
    for number in range(rng.randint(1, 6)):
        api_version, kind = rng.choice(list(shapes.KINDS))
        shape = shapes.root_shape(shapes.KINDS[api_version, kind])
        before = shapes.resource(rng, api_version, kind)
        after = shapes.complete(shapes.changed(rng, before, shape), api_version, kind)
        name = rng.choice(("web", f"other-{number}"))
        for side in (before, after):
            side.setdefault("metadata", {})["name"] = name
        path = f"{rng.choice(('', 'sub/'))}{number}.yaml"
        fate = rng.random()
        if fate > 0.15:
            upstream[path] = to_yaml([before])
        if fate < 0.85:
            local[path] = to_yaml([after])
    return upstream, local


def _values(files: Mapping[str, str | None]) -> dict[str, list[Any]]:
    return {
        path: [
            _sorted(resource_data(part.document.data, path))
            for part in Stream(text).parts
            if not part.is_empty
        ]
        for path, text in sorted(files.items())
        if text
    }


def _sorted(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _sorted(data[key]) for key in sorted(data)}
    return [_sorted(item) for item in data] if isinstance(data, list) else data


def tree(files: Mapping[str, str]) -> MemoryTree:
    return MemoryTree({path: text.encode() for path, text in files.items()})


@pytest.mark.parametrize("path", ["../out.yaml", "/etc/out.yaml", ".git/config"])
def test_patches_are_for_files_of_the_package(path: str) -> None:
    with pytest.raises(PatchError) as error:
        read_patches(f"target: {{path: {path}}}\npatch: {{$patch: replace, kind: A}}\n")
    assert error.value.code == "patch-format"


def test_a_target_that_fits_several_is_refused() -> None:
    text = CM.format("a") + "---\n" + CM.format("b")
    patch = "target: {path: a.yaml, apiVersion: v1, kind: ConfigMap}\npatch: {data: null}\n"
    with pytest.raises(PatchError) as error:
        apply_patches({"a.yaml": text}, read_patches(patch), SchemaSet())
    assert error.value.code == "patch-target"
