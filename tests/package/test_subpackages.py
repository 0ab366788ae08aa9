"""Packages inside a package that come and go."""

from __future__ import annotations

import pytest

from pkgupdate.merge.decisions import Kind, Subject
from pkgupdate.merge.policy import OnConflict, Policy
from pkgupdate.package.subpackages import package_dirs, without

from .support import Files, collisions, merge, resource, texts, tree


def kptfile(name: str, extra: str = "") -> str:
    return f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: {name}\n{extra}"


ROOT: Files = {"Kptfile": kptfile("root"), "a.yaml": resource("a")}
SUB: Files = {"sub/Kptfile": kptfile("sub"), "sub/x.yaml": resource("x"), "sub/t.txt": "t\n"}
DEEP: Files = {"sub/deep/Kptfile": kptfile("deep"), "sub/deep/y.yaml": resource("y")}
EDITED: Files = {"sub/x.yaml": resource("x", 'data:\n  A: "mine"\n')}
CHANGED: Files = {"sub/x.yaml": resource("x", 'data:\n  A: "new"\n')}
OWN = {"sub/mine.yaml": resource("mine")}
FETCHED: Files = {
    "sub/Kptfile": "kind: Kptfile\napiVersion: kpt.dev/v1\nmetadata:\n  name: sub\n",
    "sub/x.yaml": resource("x").replace("metadata:", "metadata: # kpt-merge: /x"),
}
BEFORE: Files = ROOT | SUB | DEEP


@pytest.mark.parametrize(
    ("original", "upstream", "local", "expected", "kinds"),
    [
        pytest.param(ROOT, BEFORE, ROOT, BEFORE, [], id="new"),
        pytest.param(BEFORE, ROOT, BEFORE, ROOT, [Kind.APPLIED], id="deleted-unchanged"),
        pytest.param(BEFORE, ROOT, BEFORE | FETCHED, ROOT, [Kind.APPLIED], id="deleted-as-fetched"),
        pytest.param(BEFORE, ROOT, BEFORE | EDITED, BEFORE | EDITED, [Kind.COLLISION], id="edited"),
        pytest.param(BEFORE, ROOT, BEFORE | OWN, BEFORE | OWN, [Kind.COLLISION], id="added-to"),
        pytest.param(BEFORE, BEFORE, ROOT, ROOT, [], id="deleted-here"),
        pytest.param(BEFORE, BEFORE | CHANGED, ROOT, ROOT, [Kind.KEPT], id="changed-upstream"),
        pytest.param(BEFORE, ROOT | SUB, BEFORE, ROOT | SUB, [Kind.APPLIED], id="deep"),
        pytest.param(BEFORE, ROOT, ROOT, ROOT, [], id="both-deleted"),
        pytest.param(ROOT, ROOT | SUB, ROOT | SUB, ROOT | SUB, [], id="both-added"),
        pytest.param(
            ROOT, ROOT | SUB | CHANGED, ROOT | SUB, ROOT | SUB | CHANGED, [], id="added-differently"
        ),
        pytest.param(
            ROOT,
            ROOT | SUB,
            ROOT | {"sub/Kptfile": kptfile("mine")},
            ROOT | {"sub/Kptfile": kptfile("mine")},
            [Kind.COLLISION],
            id="added-under-one-name",
        ),
        pytest.param(
            BEFORE, BEFORE | CHANGED, BEFORE | OWN, BEFORE | OWN | CHANGED, [], id="merged"
        ),
    ],
)
def test_rules(
    original: Files, upstream: Files, local: Files, expected: Files, kinds: list[Kind]
) -> None:
    result = merge(original, upstream, local)
    assert texts(local, result) == expected
    packages = [d for d in result.decisions if d.subject is Subject.PACKAGE]
    assert [d.kind for d in packages] == kinds
    whole = {d.file for d in packages}
    assert not any(d.file.startswith(f"{w}/") for d in result.decisions for w in whole)


def test_collision_of_two_packages_names_both() -> None:
    result = merge(ROOT, ROOT | SUB, ROOT | {"sub/Kptfile": kptfile("mine")})
    [decision] = collisions(result)
    assert "'sub'" in decision.note and "'mine'" in decision.note


def test_upstream_may_be_told_to_win() -> None:
    policy = Policy(on_conflict=OnConflict.UPSTREAM)
    local = BEFORE | EDITED
    assert texts(local, merge(BEFORE, ROOT, local, policy)) == ROOT
    assert texts(ROOT, merge(BEFORE, BEFORE | CHANGED, ROOT, policy)) == BEFORE | CHANGED


def test_root_kptfile_keeps_its_own_identity() -> None:
    lock = "upstream:\n  type: git\nupstreamLock:\n  type: git\n"
    local: Files = {"Kptfile": kptfile("mine", lock)}
    upstream: Files = {"Kptfile": kptfile("new", "upstream:\n  type: x\ninfo:\n  site: s\n")}
    result = merge({"Kptfile": kptfile("root")}, upstream, local)
    merged = texts(local, result)["Kptfile"]
    assert "name: mine" in merged and "site: s" in merged and "type: x" not in merged


def test_kptfile_that_cannot_be_read_stays_and_is_said() -> None:
    local: Files = {"Kptfile": "a: [\n", "a.yaml": resource("a")}
    upstream: Files = {"Kptfile": kptfile("new"), "a.yaml": resource("a", "")}
    result = merge(ROOT, upstream, local)
    assert texts(local, result) == {"Kptfile": "a: [\n", "a.yaml": resource("a", "")}
    assert [d.file for d in collisions(result)] == ["Kptfile"]


def test_packages_are_found_and_left_out() -> None:
    own = "upstream:\n  type: git\n  git:\n    repo: r\n"
    files = BEFORE | {"own/Kptfile": kptfile("own", own), "own/z.yaml": resource("z")}
    assert package_dirs(tree(files)) == {"own": True, "sub": False, "sub/deep": False}
    assert set(without(tree(files), ["own", "sub"]).entries) == set(ROOT)
    upstream = files | {"own/z.yaml": resource("z", ""), "a.yaml": resource("a", "")}
    result = merge(files, upstream, files, exclude_dirs=["own"])
    assert [change.path for change in result.changes] == ["a.yaml"]


@pytest.mark.parametrize("name", ["sub", "moved"])
def test_renamed_package_takes_local_edits_along(name: str) -> None:
    def placed(files: Files) -> Files:
        return {path.replace("sub/", "moved/", 1): text for path, text in files.items()}

    upstream = ROOT | placed(SUB | DEEP) | {"moved/Kptfile": kptfile(name, "info:\n  site: s\n")}
    pipeline = "pipeline:\n  mutators: []\n"
    local = BEFORE | EDITED | OWN | {"sub/Kptfile": kptfile("sub", pipeline)}
    result = merge(BEFORE, upstream, local)
    kpt = kptfile(name, f"{pipeline}info:\n  site: s\n")
    assert texts(local, result) == ROOT | placed(SUB | DEEP | EDITED | OWN) | {"moved/Kptfile": kpt}
    assert not collisions(result)
    moved = [d for d in result.decisions if d.subject is Subject.PACKAGE]
    assert [(d.file, d.new_path) for d in moved] == [("sub", "moved")]


def test_renamed_package_that_is_untouched() -> None:
    upstream = ROOT | {p.replace("sub/", "new/", 1): t for p, t in (SUB | CHANGED).items()}
    assert texts(ROOT | SUB, merge(ROOT | SUB, upstream, ROOT | SUB)) == upstream
