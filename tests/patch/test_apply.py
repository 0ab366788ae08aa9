"""Patches on files: the values change, every other byte stays."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pkgupdate.document.document import Document
from pkgupdate.document.render import block_lines
from pkgupdate.document.values import from_plain
from pkgupdate.errors import DocumentError
from pkgupdate.patch.apply import apply_patches, read_patches
from pkgupdate.patch.errors import PatchError
from pkgupdate.patch.local import local_patches, package_patches, render_patches
from pkgupdate.patch.resources import kubernetes_data, resources_of
from pkgupdate.patch.values import same
from pkgupdate.patch.writeback import write_back
from pkgupdate.schema import SchemaSet

from . import shapes

SCHEMAS = SchemaSet()
WEB = """\
# The shop's front.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web   # as in DNS
spec:
  replicas: 1  # few
  paused: no
  template:
    spec:
      containers:
      # the server
      - name: "web"
        image: nginx:1   # pinned
        args: [ "--a",  '--b' ]   # flow

      # the side car
      - name: side
        image: s:1
      tolerations:
      - {key: a, operator: Exists}   # one
      - {key: b, operator: Exists}   # two
"""
CONFIG = """\
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: shop}
data:
  conf: |
    a
    b
# at the end
"""
CUSTOM = "apiVersion: x.io/v1\nkind: X\nmetadata:\n  name: x\nspec:\n  list: [1, 2] # two\n"


def patched(text: str, patch: str, **options: Any) -> str:
    (result,) = apply_patches({"f.yaml": text}, read_patches(patch), SCHEMAS, **options).values()
    return result or ""


CASES = {
    "scalars": (
        "spec: {replicas: 3, paused: null}",
        [("replicas: 1", "replicas: 3"), ("  paused: no\n", "")],
    ),
    "an item": (
        "spec: {template: {spec: {containers: [{name: web, image: 'nginx:2'}]}}}",
        [("nginx:1", "nginx:2")],
    ),
    "a deleted item takes its comments along": (
        "spec: {template: {spec: {containers: [{name: side, $patch: delete}]}}}",
        [("      # the side car\n      - name: side\n        image: s:1\n", "")],
    ),
    "a new field": (
        "spec: {minReadySeconds: 5}",
        [
            (
                "  # two\n",
                "  # two\n  minReadySeconds: 5\n",
            )
        ],
    ),
    "an item of an atomic list": (
        "spec: {template: {spec: {tolerations: [{key: a, operator: Exists}, {key: c}]}}}",
        [("{key: b, operator: Exists}", "{key: c}")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_only_the_values_change(name: str) -> None:
    patch, replacements = CASES[name]
    wanted = WEB
    for old, new in replacements:
        assert wanted.count(old) == 1
        wanted = wanted.replace(old, new)
    assert patched(WEB, patch) == wanted


def test_a_flow_list_stays_one() -> None:
    patch = "spec: {template: {spec: {containers: [{name: web, args: [--a, --c, --b]}]}}}"
    (line,) = (line for line in patched(WEB, patch).splitlines() if "# flow" in line)
    assert kubernetes_data(Document(line).data) == {"args": ["--a", "--c", "--b"]}


def test_a_new_order_moves_items_with_their_comments() -> None:
    patch = "spec: {template: {spec: {$setElementOrder/containers: [{name: side}, {name: web}]}}}"
    text = patched(WEB, patch)
    assert text.index("# the side car\n      - name: side") < text.index("# the server\n")
    assert text.count("#") == WEB.count("#")


ANCHORS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data:
  a: &a {x: "1", y: "2"}
  b:
    <<: *a   # as above
    y: "3"
"""


def test_merge_keys_are_carried_out_and_kept() -> None:
    text = patched(ANCHORS, "data: {b: {y: '4', z: '5'}}", patch_type="merge")
    assert text == ANCHORS.replace('y: "3"', 'y: "4"\n    z: "5"')
    with pytest.raises(DocumentError) as caught:
        patched(ANCHORS, "data: {b: {x: null}}", patch_type="merge")
    assert caught.value.code == "edit-failed"


def test_an_empty_patch_keeps_every_byte() -> None:
    assert patched(WEB, "{}") == WEB


def test_types() -> None:
    list_patch = "spec: {template: {spec: {containers: [{name: web}]}}}"
    assert "side" in patched(WEB, list_patch)
    assert "side" not in patched(WEB, list_patch, patch_type="merge")
    assert "list: [3] # two" in patched(CUSTOM, "spec: {list: [3]}")
    assert "replicas: 7  # few" in patched(WEB, "- {op: replace, path: /spec/replicas, value: 7}")
    with pytest.raises(PatchError) as caught:
        patched(CUSTOM, "spec: {list: [3]}", patch_type="strategic")
    assert caught.value.code == "patch-kind"
    assert str(caught.value.where) == "f.yaml x.io/X/x"


def test_patches_find_their_resources() -> None:
    files = {"a.yaml": WEB, "b.yaml": CUSTOM + CONFIG, "c.yaml": "just: data\n"}
    patches = """
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {new: "1"}
---
target: {apiVersion: x.io/v1, kind: X, metadata: {name: x}}
patch:
- {op: add, path: /spec/list/-, value: 3}
"""
    changed = apply_patches(files, read_patches(patches), SCHEMAS)
    assert list(changed) == ["b.yaml"]
    assert changed["b.yaml"] == CUSTOM.replace("[1, 2]", "[1, 2, 3]") + CONFIG.replace(
        "    b\n", '    b\n  new: "1"\n'
    )


def test_resources_come_and_go() -> None:
    delete = "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, $patch: delete}"
    assert patched(CUSTOM + CONFIG, delete) == CUSTOM
    assert apply_patches({"f.yaml": CONFIG}, read_patches(delete), SCHEMAS) == {"f.yaml": None}
    add = "{$patch: replace, apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: b}}"
    assert patched(CUSTOM, add).startswith(CUSTOM + "---\n")
    files = {"a.yaml": CUSTOM, "b.yaml": CONFIG}
    assert list(apply_patches(files, read_patches(add), SCHEMAS)) == ["secret-s.yaml"]


@pytest.mark.parametrize(
    ("files", "patch", "code"),
    [
        ({"a.yaml": WEB, "b.yaml": CONFIG}, "spec: {}", "patch-target"),
        ({"a.yaml": WEB}, "{apiVersion: v1, kind: A, metadata: {name: a}}", "patch-target"),
        ({"a.yaml": WEB}, "text", "patch-format"),
        (
            {"a.yaml": WEB},
            "spec: {template: {spec: {containers: [{image: a}]}}}",
            "patch-merge-key",
        ),
    ],
)
def test_errors(files: dict[str, str], patch: str, code: str) -> None:
    with pytest.raises(PatchError) as caught:
        apply_patches(files, read_patches(patch), SCHEMAS)
    assert caught.value.code == code


def versions(seed: int) -> tuple[Any, Any]:
    rng = random.Random(seed)
    api_version, kind = rng.choice(list(shapes.KINDS))
    shape = shapes.root_shape(shapes.KINDS[api_version, kind])
    original = shapes.resource(rng, api_version, kind)
    return original, shapes.complete(shapes.changed(rng, original, shape), api_version, kind)


def as_text(data: Any) -> str:
    return "\n".join(block_lines(from_plain(data))) + "\n"


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32))
def test_what_is_written_back_is_what_was_wanted(seed: int) -> None:
    original, wanted = versions(seed)
    schema = SCHEMAS.for_resource(wanted["apiVersion"], wanted["kind"])
    text = write_back(Document(as_text(original)), wanted, schema)
    assert same(kubernetes_data(Document(text).data), wanted)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["", "example.com/"]), st.booleans())
def test_local_patches_give_the_local_values_back(seed: int, group: str, nulls: bool) -> None:
    original, local = versions(seed)
    for side in (original, local):
        side["apiVersion"] = (
            group + side["apiVersion"].replace("/", ".") if group else side["apiVersion"]
        )
    if nulls:
        local["extra"] = {"nothing": None, "list": [None, {"nothing": None}]}
    patch = local_patches(original, local, SCHEMAS)
    if patch is None:
        assert same(original, local)
        return
    files = {"f.yaml": as_text(original)}
    text = render_patches([patch])
    ((_, result),) = apply_patches(files, read_patches(text), SCHEMAS).items()
    assert same(kubernetes_data(Document(result or "").data), local)


def test_a_package_as_patches() -> None:
    upstream = {"a.yaml": WEB, "b.yaml": CUSTOM + CONFIG}
    local = {
        "a.yaml": WEB.replace("replicas: 1", "replicas: 2"),
        "b.yaml": CUSTOM.replace("[1, 2]", "[1, null]"),
        "c.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: new}\nstringData: {a: 'yes'}\n",
    }

    def resources(files: Any) -> list[Any]:
        return [r for text in files.values() if text for r in resources_of(text)]

    patches = package_patches(resources(upstream), resources(local), SCHEMAS)
    assert [patch.type for patch in patches] == ["strategic", "merge", "strategic", "strategic"]
    text = render_patches(patches)
    result = upstream | apply_patches(upstream, read_patches(text), SCHEMAS)
    assert sorted(map(str, resources(result))) == sorted(map(str, resources(local)))
    assert "yes" not in repr(patches)
