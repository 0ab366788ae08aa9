"""JSON merge patches (with the examples of RFC 7386) and JSON patches."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pkgupdate.patch import json_merge, json_patch
from pkgupdate.patch.conflicts import merge_conflict
from pkgupdate.patch.errors import PatchError
from pkgupdate.patch.values import same

from . import shapes

RFC_7386 = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"a": "foo"}, None, None),
    ({"a": "foo"}, "bar", "bar"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]


@pytest.mark.parametrize(("original", "patch", "result"), RFC_7386)
def test_merge_patch_of_the_rfc(original: Any, patch: Any, result: Any) -> None:
    assert same(json_merge.apply(original, patch), result)


def test_merge_patch_takes_lists_as_they_are() -> None:
    assert json_merge.apply({}, {"a": [{"b": None}, None]}) == {"a": [{"b": None}, None]}


def test_merge_patch_tells_numbers_apart() -> None:
    assert json_merge.create({"a": 1, "b": 1, "c": 0}, {"a": 1.0, "b": True, "c": 0}) == {
        "a": 1.0,
        "b": True,
    }


class TestThreeWayMergePatch:
    def test_adds_changes_and_deletes(self) -> None:
        original = {"a": 1, "b": {"c": 1, "d": 1}, "gone": {"x": 1}}
        current = {"a": 1, "b": {"c": 2, "d": 1, "server": 1}, "gone": {"x": 1}, "server": {}}
        modified = {"a": 2, "b": {"c": 1}, "new": {}}
        patch = json_merge.create_three_way(original, modified, current)
        assert patch == {"a": 2, "b": {"c": 1, "d": None}, "gone": None, "new": {}}
        assert json_merge.apply(current, patch) == {
            "a": 2,
            "b": {"c": 1, "server": 1},
            "server": {},
            "new": {},
        }

    @pytest.mark.parametrize(
        ("left", "right", "place"),
        [
            ({"a": 1, "b": {"c": 1}}, {"b": {"d": 2}}, None),
            ({"a": {"b": 1}}, {"a": {"b": None}}, ("a", "b")),
            ({"a": {"b": 1}}, {"a": None}, ("a",)),
            ({"a": [1, 2]}, {"a": [1]}, ("a",)),
            ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ("a", 1, "b")),
            ({"a": [1, 2]}, {"a": [1, 2]}, None),
        ],
    )
    def test_conflicts(self, left: Any, right: Any, place: Any) -> None:
        assert merge_conflict(left, right) == place


def versions(seed: int) -> tuple[Any, Any]:
    rng = random.Random(seed)
    api_version, kind = rng.choice(list(shapes.KINDS))
    shape = shapes.root_shape(shapes.KINDS[api_version, kind])
    original = shapes.resource(rng, api_version, kind)
    return original, shapes.complete(shapes.changed(rng, original, shape), api_version, kind)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32))
def test_apply_undoes_create(seed: int) -> None:
    original, modified = versions(seed)
    merge, operations = json_merge.create(original, modified), json_patch.create(original, modified)
    assert same(json_merge.apply(original, merge), modified)
    assert same(json_patch.apply(original, operations), modified)
    assert json_merge.create(modified, modified) == {}
    assert json_patch.create(modified, modified) == []


def test_json_patch_tells_numbers_apart() -> None:
    assert json_patch.create({"a": 1}, {"a": True})
    assert json_patch.create({"a": 1}, {"a": 1.0})


@pytest.mark.parametrize(
    ("operations", "code"),
    [
        ([{"op": "remove", "path": "/nope"}], "json-patch-failed"),
        ([{"op": "test", "path": "/a", "value": "other"}], "json-patch-failed"),
        ([{"op": "add", "path": "/x/y", "value": "other"}], "json-patch-failed"),
        ([{"op": "nope", "path": "/a"}], "patch-format"),
        ([{"op": "add", "path": "/a"}], "patch-format"),
        (["add"], "patch-format"),
    ],
)
def test_json_patch_errors_show_no_value(operations: Any, code: str) -> None:
    resource = {"a": "s3cr3t"}
    with pytest.raises(PatchError) as caught:
        json_patch.apply(resource, operations)
    assert caught.value.code == code
    assert "s3cr3t" not in str(caught.value)
    assert resource == {"a": "s3cr3t"}
