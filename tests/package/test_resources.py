"""Which resources are one, whether they are there afterwards, and where."""

from __future__ import annotations

import pytest

from pkgupdate.merge.decisions import Kind, Rule
from pkgupdate.merge.policy import OnConflict, Policy, Target
from pkgupdate.paths import parse_pattern

from .support import Files, collisions, merge, resource, said, texts

A = resource("a", "data:\n  A: a\n  B: b\n  C: c\n  D: d\n")
UP = A.replace("B: b", "B: new")
MINE = A.replace("D: d", "D: mine")
BOTH = UP.replace("D: d", "D: mine")


@pytest.mark.parametrize(
    ("original", "upstream", "local", "expected", "kinds"),
    [
        pytest.param(None, None, A, A, [], id="local-addition"),
        pytest.param(None, UP, None, UP, [Kind.APPLIED], id="added"),
        pytest.param(None, A, A, A, [], id="both-added"),
        pytest.param(A, None, A, None, [Kind.APPLIED], id="deleted"),
        pytest.param(A, None, MINE, MINE, [Kind.COLLISION], id="delete-edit"),
        pytest.param(
            A, None, A + "# mine\n", A + "# mine\n", [Kind.COLLISION], id="delete-comment"
        ),
        pytest.param(A, UP, None, None, [Kind.KEPT], id="edit-delete"),
        pytest.param(A, A, None, None, [], id="deleted-here"),
        pytest.param(A, None, None, None, [], id="gone"),
        pytest.param(A, UP, MINE, BOTH, [Kind.APPLIED], id="merged"),
    ],
)
def test_existence(
    original: str | None, upstream: str | None, local: str | None, expected: str | None, kinds: list
) -> None:
    rest = resource("rest")

    def files(text: str | None) -> Files:
        return {"x.yaml": rest if text is None else f"{rest}---\n{text}"}

    result = merge(files(original), files(upstream), files(local))
    assert texts(files(local), result) == files(expected)
    told = [d.kind for d in result.decisions if d.kind is not Kind.AGREED]
    assert [kind for kind in told if kind in kinds] == kinds
    assert len(collisions(result)) == kinds.count(Kind.COLLISION)


@pytest.mark.parametrize("nothing", ["", "\n", "# nothing here yet\n"])
def test_files_without_data_hold_no_resource(nothing: str) -> None:
    def merged(*sides: str) -> tuple[str, list[Kind]]:
        files: list[Files] = [{"x.yaml": side} for side in sides]
        result = merge(*files)
        kinds = [d.kind for d in result.decisions if d.path or d.kind is not Kind.APPLIED]
        return texts(files[2], result)["x.yaml"], kinds

    other = UP.replace("C: c", "C: mine")
    text, kinds = merged(nothing, UP, other)
    assert text == UP
    assert kinds.count(Kind.COLLISION) == 1
    assert merged(nothing, UP, nothing)[0] == UP
    assert merged(A, nothing, MINE)[0].endswith(MINE)
    assert merged(A, UP, nothing) == (nothing, [Kind.KEPT])
    added_here, _ = merged(nothing, UP, nothing + "# mine\n")
    assert UP in added_here
    assert "# mine" in added_here


def fetched_by_kpt(text: str) -> str:
    name = text.split("name: ")[1].split("\n")[0]
    return text.replace("metadata:\n", f"metadata: # kpt-merge: /{name}\n").replace(
        f"  name: {name}\n",
        f"  name: {name}\n  annotations:\n"
        f"    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|{name}'\n",
    )


def test_marks_of_fetching_are_no_edit() -> None:
    assert (
        texts(
            {"a.yaml": fetched_by_kpt(A)}, merge({"a.yaml": A}, {}, {"a.yaml": fetched_by_kpt(A)})
        )
        == {}
    )
    local: Files = {"a.yaml": fetched_by_kpt(MINE)}
    assert texts(local, merge({"a.yaml": A}, {}, local)) == local


def test_layout_is_no_edit() -> None:
    local: Files = {"a.yaml": A.replace("  A: a\n", '\n  A:   "a"\n')}
    assert texts(local, merge({"a.yaml": A}, {}, local)) == {}


@pytest.mark.parametrize(
    ("policy", "kept", "kind"),
    [
        (Policy(), True, Kind.COLLISION),
        (Policy(on_conflict=OnConflict.UPSTREAM), False, Kind.COLLISION),
        (
            Policy(choices={("a.yaml", "ConfigMap/a", "", "resource"): "upstream"}),
            False,
            Kind.COLLISION,
        ),
        (Policy(protected=(Target("ConfigMap/a"),)), True, Kind.WITHHELD),
        (Policy(protected=(Target("*", parse_pattern("data.D")),)), True, Kind.WITHHELD),
        (
            Policy(
                protected=(Target("ConfigMap/a"),),
                choices={("a.yaml", "ConfigMap/a", "", "resource"): "upstream"},
            ),
            False,
            Kind.COLLISION,
        ),
        (Policy(scope=(Target("Deployment/*"),)), True, Kind.WITHHELD),
    ],
)
def test_policy_on_deletion(policy: Policy, kept: bool, kind: Kind) -> None:
    local: Files = {"a.yaml": MINE}
    result = merge({"a.yaml": A}, {}, local, policy)
    assert texts(local, result) == (local if kept else {})
    assert [d.kind for d in result.decisions] == [kind]


def test_deleted_resource_comes_back_if_upstream_is_to_win() -> None:
    policy = Policy(on_conflict=OnConflict.UPSTREAM)
    result = merge({"a.yaml": A}, {"a.yaml": UP}, {}, policy)
    assert texts({}, result) == {"a.yaml": UP}
    assert [d.rule for d in collisions(result)] == [Rule.EDIT_DELETE]


def test_protected_fields_stay_in_untouched_files() -> None:
    policy = Policy(protected=(Target("*", parse_pattern("data.B")),))
    upstream: Files = {"a.yaml": UP.replace("C: c", "C: new")}
    result = merge({"a.yaml": A}, upstream, {"a.yaml": A}, policy)
    assert texts({"a.yaml": A}, result) == {"a.yaml": A.replace("C: c", "C: new")}


def test_moved_by_upstream() -> None:
    local: Files = {"x.yaml": MINE + "---\n" + resource("rest")}
    original: Files = {"x.yaml": A + "---\n" + resource("rest")}
    result = merge(original, {"x.yaml": resource("rest"), "a.yaml": UP}, local)
    assert texts(local, result) == {"x.yaml": resource("rest"), "a.yaml": BOTH}
    assert Rule.MOVED in {d.rule for d in result.decisions}


def test_moved_here_gets_upstreams_edit() -> None:
    local: Files = {"mine/a.yaml": MINE}
    result = merge({"x.yaml": A}, {"x.yaml": UP}, local)
    assert texts(local, result) == {"mine/a.yaml": BOTH}


def test_moved_here_within_the_directory_and_rewritten() -> None:
    local: Files = {"mine.yaml": resource("a", "data:\n  A: mine\n")}
    original: Files = {"x.yaml": resource("a", "data:\n  A: a\n")}
    upstream: Files = {"x.yaml": resource("a", "data:\n  A: a\n  Z: z\n")}
    result = merge(original, upstream, local)
    assert texts(local, result) == {"mine.yaml": resource("a", "data:\n  A: mine\n  Z: z\n")}


def test_moved_to_different_places() -> None:
    local: Files = {"mine.yaml": MINE}
    result = merge({"x.yaml": A}, {"theirs.yaml": UP}, local)
    assert texts(local, result) == {"mine.yaml": BOTH}
    [decision] = collisions(result)
    assert decision.rule is Rule.MOVED and "theirs.yaml" in decision.note


def test_variants_in_other_directories_are_not_taken_for_moves() -> None:
    original: Files = {"base/a.yaml": A}
    local: Files = {"base/a.yaml": MINE}
    patch = resource("a", "data:\n  Z: z\n")
    result = merge(original, {"base/a.yaml": A, "over/a.yaml": patch}, local)
    assert texts(local, result) == {"base/a.yaml": MINE, "over/a.yaml": patch}


@pytest.mark.parametrize("comment", ["metadata: # kpt-merge: /a", "metadata:"])
def test_renamed_here(comment: str) -> None:
    mine = MINE.replace("name: a", "name: b").replace("metadata:", comment)
    result = merge({"x.yaml": A}, {"x.yaml": UP}, {"x.yaml": mine})
    assert texts({"x.yaml": mine}, result) == {"x.yaml": mine.replace("B: b", "B: new")}


@pytest.mark.parametrize("comment", ["metadata: # kpt-merge: /{}", "metadata:"])
def test_renamed_by_upstream(comment: str) -> None:
    mine = MINE.replace("metadata:", comment.format("a"))
    result = merge({"x.yaml": A}, {"x.yaml": UP.replace("name: a", "name: b")}, {"x.yaml": mine})
    expected = BOTH.replace("name: a", "name: b").replace("metadata:", comment.format("b"))
    assert texts({"x.yaml": mine}, result) == {"x.yaml": expected}


def test_likeness_that_is_not_clear_is_not_guessed() -> None:
    upstream = "---\n".join(A.replace("name: a", f"name: {name}") for name in ("b", "c"))
    result = merge({"x.yaml": A}, {"x.yaml": upstream}, {"x.yaml": MINE})
    merged = texts({"x.yaml": MINE}, result)["x.yaml"]
    assert merged.count("kind: ConfigMap") == 3 and "D: mine" in merged
    assert any(d.rule is Rule.AMBIGUOUS and "ConfigMap/b" in d.note for d in result.decisions)


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        ("policy/v1beta1", "policy/v1", 1),
        ("extensions/v1beta1", "networking.k8s.io/v1", 1),
        ("old.example.com/v1", "new.example.com/v1", 1),
    ],
)
def test_api_changes_keep_one_resource(before: str, after: str, count: int) -> None:
    local: Files = {"x.yaml": MINE.replace("v1", before, 1)}
    upstream: Files = {"x.yaml": UP.replace("v1", after, 1)}
    result = merge({"x.yaml": A.replace("v1", before, 1)}, upstream, local)
    assert texts(local, result) == {"x.yaml": BOTH.replace("v1", after, 1)}


def test_same_kind_of_another_group_is_another_resource() -> None:
    original: Files = {"x.yaml": resource("a", "spec:\n  p: 1\n", kind="Service")}
    other = resource("a", "spec:\n  q: 2\n", kind="Service", version="serving.knative.dev/v1")
    local: Files = {"x.yaml": resource("a", "spec:\n  p: 2\n", kind="Service")}
    merged = texts(local, merge(original, {"x.yaml": other}, local))["x.yaml"]
    assert "p: 2" in merged and "q: 2" in merged


def test_copies_of_one_identity_are_paired_by_position() -> None:
    def twice(a: str, b: str) -> Files:
        return {
            "x.yaml": resource("t", f"data:\n  A: {a}\n")
            + "---\n"
            + resource("t", f"data:\n  B: {b}\n")
        }

    result = merge(twice("1", "1"), twice("2", "2"), twice("1", "1"))
    assert texts(twice("1", "1"), result) == twice("2", "2")
    local = twice("1", "9")
    result = merge(twice("1", "1"), twice("2", "1"), local)
    assert texts(local, result) == twice("2", "9")
    assert any("ConfigMap/t more than once" in said(d) for d in result.decisions)


def test_copies_whose_numbers_differ_lose_nothing() -> None:
    one, two = resource("t", "data:\n  A: 1\n"), resource("t", "data:\n  B: 1\n")
    local: Files = {"x.yaml": one + "---\n" + two.replace("B: 1", "B: mine")}
    upstream: Files = {"x.yaml": one.replace("A: 1", "A: 2")}
    result = merge({"x.yaml": one + "---\n" + two}, upstream, local)
    assert "B: mine" in texts(local, result)["x.yaml"]
    assert Rule.REPEATED_IDENTITY in {d.rule for d in result.decisions}


def test_new_documents_follow_their_neighbour() -> None:
    def stream(*names: str) -> Files:
        return {"x.yaml": "# head\n" + "---\n".join(resource(name) for name in names)}

    local = stream("a", "mine", "b")
    result = merge(stream("a", "b"), stream("a", "new", "b", "last"), local)
    assert texts(local, result) == stream("a", "mine", "new", "b", "last")


def test_added_by_both_in_one_directory() -> None:
    local: Files = {"mine.yaml": resource("q", "data:\n  A: a\n  X: x\n")}
    upstream: Files = {"theirs.yaml": resource("q", "data:\n  A: a\n  Y: y\n")}
    merged = texts(local, merge({}, upstream, local))
    assert set(merged) == {"mine.yaml"}
    assert "X: x" in merged["mine.yaml"] and "Y: y" in merged["mine.yaml"]


def test_new_resources_get_a_merge_comment_if_asked() -> None:
    upstream: Files = {"x.yaml": A, "y.yaml": "plain: 1\n"}
    result = merge({}, upstream, {}, merge_comments=True)
    marked = A.replace("metadata:", "metadata: # kpt-merge: /a")
    assert texts({}, result) == {"x.yaml": marked, "y.yaml": "plain: 1\n"}


def test_line_ends_and_marks_stay_when_upstream_is_taken() -> None:
    def crlf(text: str) -> str:
        return "\ufeff" + text.replace("metadata:", "metadata: # kpt-merge: /a").replace(
            "\n", "\r\n"
        )

    result = merge({"x.yaml": A}, {"x.yaml": UP}, {"x.yaml": crlf(A)})
    assert texts({"x.yaml": crlf(A)}, result) == {"x.yaml": crlf(UP)}


def test_lists_of_custom_resources_merge_by_the_keys_of_their_definition() -> None:
    crd = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  names: {kind: Widget}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              parts:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [id]
"""

    def widget(*parts: tuple[str, int]) -> str:
        items = "".join(f"  - id: {name}\n    n: {n}\n" for name, n in parts)
        version = "example.com/v1"
        return resource("w", f"spec:\n  parts:\n{items}", kind="Widget", version=version)

    local: Files = {"crd.yaml": crd, "w.yaml": widget(("b", 2), ("a", 1))}
    original: Files = {"crd.yaml": crd, "w.yaml": widget(("a", 1), ("b", 1))}
    upstream: Files = {"crd.yaml": crd, "w.yaml": widget(("a", 2), ("b", 1))}
    result = merge(original, upstream, local)
    assert texts(local, result)["w.yaml"] == widget(("b", 2), ("a", 2))
