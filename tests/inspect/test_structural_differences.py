"""Which places differ between two versions of a package."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pkgupdate.inspect.differences import differences, extent, file_changes
from pkgupdate.inspect.patches import package_patches
from pkgupdate.package.tree import FileKind, FileState, MemoryTree
from pkgupdate.patch.apply import read_patches
from pkgupdate.patch.errors import PatchError
from pkgupdate.paths import format_path
from pkgupdate.report.patches import render_patches

CM = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: {}
data:
  a: one
  b: two
  c: three
"""
LISTS = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec: {template: {spec: {containers: [{name: main, image: x:1}, {name: side, image: y:1}]}}}
"""
PIPELINE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: up}
pipeline: {mutators: [{image: set-labels:v1}]}
"""
OWN = """\
upstream:
  type: git
  git: {repo: r, directory: /d, ref: v1}
upstreamLock:
  type: git
  git: {repo: r, directory: /d, ref: v1, commit: abc}
"""
FETCHED = """\
apiVersion: v1
kind: ConfigMap
metadata: # kpt-merge: /a
  name: a
  annotations:
    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|a'
data: {a: one, b: two, c: three}
"""


@dataclass(frozen=True)
class Case:
    name: str
    before: dict[str, str]
    after: dict[str, str]
    expected: list[str]


CASES = [
    Case("nothing", {"a.yaml": CM.format("a")}, {"a.yaml": CM.format("a")}, []),
    Case(
        "a field",
        {"a.yaml": CM.format("a")},
        {"a.yaml": CM.format("a").replace("one", "ONE")},
        ["changed a.yaml ConfigMap/a data.a"],
    ),
    Case(
        "fields that come and go",
        {"a.yaml": CM.format("a")},
        {"a.yaml": CM.format("a").replace("  a: one\n", "  d: four\n")},
        ["added a.yaml ConfigMap/a data.d", "deleted a.yaml ConfigMap/a data.a"],
    ),
    Case(
        "items of a keyed list",
        {"d.yaml": LISTS},
        {"d.yaml": LISTS.replace("y:1", "y:2")},
        ["changed d.yaml apps/Deployment/d spec.template.spec.containers[name=side].image"],
    ),
    Case(
        "only layout",
        {"a.yaml": CM.format("a")},
        {"a.yaml": CM.format('"a"').replace("  a: one", "\n  a:   one")},
        [],
    ),
    Case("what kpt writes when it fetches", {"a.yaml": CM.format("a")}, {"a.yaml": FETCHED}, []),
    Case(
        "a resource and a file come",
        {},
        {"a.yaml": CM.format("a"), "n.txt": "n"},
        ["added a.yaml ConfigMap/a ", "added n.txt  "],
    ),
    Case(
        "a resource of a file goes",
        {"a.yaml": CM.format("a") + "---\n" + CM.format("b")},
        {"a.yaml": CM.format("a")},
        ["deleted a.yaml ConfigMap/b "],
    ),
    Case(
        "a resource moves and changes",
        {"a.yaml": CM.format("a")},
        {"b.yaml": CM.format("a").replace("one", "ONE")},
        ["changed a.yaml ConfigMap/a data.a", "moved a.yaml ConfigMap/a "],
    ),
    Case(
        "plain data",
        {"values.yaml": "a: 1\nb: x\n"},
        {"values.yaml": "a: '1'\nb: x\n"},
        ["changed values.yaml  a"],
    ),
    Case("text", {"n.txt": "a\n"}, {"n.txt": "b\n"}, ["changed n.txt  "]),
    Case("broken YAML", {"a.yaml": "a: [\n"}, {"a.yaml": "a: {\n"}, ["changed a.yaml  "]),
    Case(
        "the pipeline, but not what a fetch sets",
        {"Kptfile": PIPELINE},
        {"Kptfile": PIPELINE.replace("up", "mine").replace(":v1", ":v2").replace(
            "kpt.dev/v2", "kpt.dev/v1") + OWN},
        ["changed Kptfile  pipeline.mutators[image=set-labels].image"],
    ),
    Case(
        "the Kptfile of a dependent subpackage",
        {"sub/Kptfile": PIPELINE, "sub/a.yaml": CM.format("a")},
        {"sub/Kptfile": PIPELINE.replace(":v1", ":v2"), "sub/a.yaml": CM.format("a")},
        ["changed sub/Kptfile  pipeline.mutators[image=set-labels].image"],
    ),
    Case(
        "a subpackage goes",
        {"sub/Kptfile": PIPELINE, "sub/a.yaml": CM.format("a")},
        {},
        ["deleted sub  "],
    ),
]  # fmt: skip


def _tree(files: dict[str, str]) -> MemoryTree:
    return MemoryTree({path: text.encode() for path, text in files.items()})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_differences(case: Case) -> None:
    found = differences(_tree(case.before), _tree(case.after))
    shown = [
        f"{d.change} {d.place.file} {d.place.resource} {format_path(d.place.path)}" for d in found
    ]
    assert sorted(shown) == sorted(case.expected)


def test_a_changed_mode_is_a_difference() -> None:
    before = MemoryTree({"run.sh": b"x", "a.yaml": CM.format("a").encode()})
    after = MemoryTree(
        {
            "run.sh": FileState(FileKind.EXEC, b"x"),
            "a.yaml": FileState(FileKind.EXEC, CM.format("a").encode()),
        }
    )
    found = [(d.place.file, d.before, d.after) for d in differences(before, after)]
    assert found == [("a.yaml", "file", "exec"), ("run.sh", "file", "exec")]


def test_extent_counts_each_place_once() -> None:
    before = _tree({"a.yaml": CM.format("a"), "n.txt": "n"})
    after = _tree({"a.yaml": CM.format("a").replace("one", "1").replace("two", "2"), "n.txt": "m"})
    assert extent(differences(before, after)) == (1, 1, 3)


def test_file_changes_are_exact_and_in_order() -> None:
    before = _tree({"a": "1", "b": "2", "c": "3"})
    after = _tree({"a": "1", "c": "4", "d": "5"})
    found = [(c.path, c.before is None, c.after is None) for c in file_changes(before, after)]
    assert found == [("b", False, True), ("c", False, False), ("d", True, False)]


SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {token: %s}\n"


def test_patches_are_of_the_kind_that_fits() -> None:
    custom = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\nspec: {a: 1, b: 2}\n"
    before = _tree({"d.yaml": LISTS, "t.yaml": custom, "gone.yaml": CM.format("gone")})
    after = _tree(
        {
            "d.yaml": LISTS.replace("y:1", "y:2"),
            "t.yaml": custom.replace("a: 1", "a: 5"),
            "new.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: new}\n",
        }
    )
    patches = {p.resource: (p.type, p.patch) for p in package_patches(before, after).patches}
    assert {name: kind for name, (kind, _) in patches.items()} == {
        "apps/Deployment/d": "strategic",
        "example.com/Thing/t": "merge",
        "ConfigMap/gone": "delete",
        "Service/new": "add",
    }
    containers = patches["apps/Deployment/d"][1]["spec"]["template"]["spec"]["containers"]
    assert {"name": "side", "image": "y:2"} in containers
    assert patches["example.com/Thing/t"][1]["spec"] == {"a": 5}


def test_patches_ignore_what_kpt_writes_when_it_fetches() -> None:
    found = package_patches(_tree({"a.yaml": CM.format("a")}), _tree({"a.yaml": FETCHED}))
    assert found.patches == []


@pytest.mark.parametrize("rename", [False, True])
def test_patches_show_no_secret(rename: bool) -> None:
    after = SECRET % "bmV3"
    if rename:
        after = after.replace("name: s", "name: s2")
    found = package_patches(_tree({"s.yaml": SECRET % "b2xk"}), _tree({"s.yaml": after}))
    text = render_patches(found.patches)
    assert "Secret" in text and "(hidden)" in text
    assert "bmV3" not in text and "b2xk" not in text
    assert "bmV3" in render_patches(found.patches, show_secrets=True)
    with pytest.raises(PatchError) as error:
        read_patches(text)
    assert error.value.code == "patch-hidden"
