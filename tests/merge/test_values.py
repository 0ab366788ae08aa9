"""Fields, kinds of nodes, nulls, strings, fields that exclude each other, anchors."""

from __future__ import annotations

import pytest

from pkgupdate.errors import DocumentError
from pkgupdate.merge.policy import OnConflict

from .helpers import merge

POD = "apiVersion: v1\nkind: Pod\nspec:\n  volumes:\n  - name: t\n    "
UNIONS = ("emptyDir: {}\n", "secret: {secretName: s}\n", "hostPath: {path: /}\n")

CASES = {
    "kind changed by upstream": ("a: x\n", "a: {k: 1}\n", "a: x\n", "a: {k: 1}\n", ["applied"]),
    "kind changed by local": ("a: x\n", "a: x\n", "a: [1]\n", "a: [1]\n", ["kept"]),
    "kind changed by both": ("a: x\n", "a: {k: 1}\n", "a: [1]\n", "a: {k: 1}\n", ["collision"]),
    "scalar becomes a map on both sides": (
        "a: x\n",
        "a: {k: 1, u: 1}\n",
        "a: {k: 1, l: 1}\n",
        "a: {k: 1, l: 1, u: 1}\n",
        ["agreed", "kept", "applied"],
    ),
    "null clears a field": (
        "a: 1\nb: 1\n",
        "a: null\nb: 1\n",
        "a: 1\nb: 2\n",
        "a: null\nb: 2\n",
        None,
    ),
    "null stays null": ("a:\nb: 1\n", "a:\nb: 2\n", "a:\nb: 1\n", "a:\nb: 2\n", ["applied"]),
    "null and absent differ": ("a: 1\n", "a:\n", "{}\n", "{}\n", ["collision"]),
    "type changes, text does not": ("a: 1\n", 'a: "1"\n', "a: 1\n", 'a: "1"\n', ["applied"]),
    "empty map is a value": (
        "a: {k: 1}\nb: 1\n",
        "b: 1\n",
        "a: {}\nb: 1\n",
        "a: {}\nb: 1\n",
        ["collision"],
    ),
    "last field goes": ("a: {k: 1}\n", "a: {}\n", "a: {k: 1}\n", "a: {}\n", ["applied"]),
    "lines collide": (
        "a: |\n  1\n  2\n  3\n",
        "a: |\n  u\n  2\n  3\n",
        "a: |\n  l\n  2\n  3x\n",
        "a: |\n  u\n  2\n  3x\n",
        ["collision"],
    ),
    "deleted lines against edited ones": (
        "a: |\n  1\n  2\n  3\n",
        "a: |\n  1\n  3\n",
        "a: |\n  1\n  2x\n  3\n",
        "a: |\n  1\n  2x\n  3\n",
        ["collision"],
    ),
    "strings of one line": ("a: x y\n", "a: x z\n", "a: w y\n", "a: x z\n", ["collision"]),
    "compact JSON": (
        """a: '{"x":1,"y":[1,2]}'\n""",
        """a: '{"x":2,"y":[1,2]}'\n""",
        """a: '{"x":1,"y":[1,2,3]}'\n""",
        """a: '{"x":2,"y":[1,2,3]}'\n""",
        ["applied"],
    ),
    "indented JSON": (
        'a: |\n  {\n    "x": 1,\n    "y": 2\n  }\n',
        'a: |\n  {\n    "x": 1,\n    "y": 2,\n    "z": 3\n  }\n',
        'a: |\n  {\n    "x": 5,\n    "y": 2\n  }\n',
        'a: |\n  {\n    "x": 5,\n    "y": 2,\n    "z": 3\n  }\n',
        ["applied"],
    ),
    "JSON that collides": ("a: '[1]'\n", "a: '[2]'\n", "a: '[3]'\n", "a: '[2]'\n", ["collision"]),
    "one union member for another": (*(POD + m for m in (*UNIONS, UNIONS[1])), ["collision"]),
    "union changed on one side": (
        *(POD + UNIONS[i] for i in (0, 1, 0, 1)),
        ["applied", "applied"],
    ),
    "alias keeps following": (
        "a: &x 1\nb: *x\n",
        "a: &x 2\nb: *x\n",
        "a: &x 1\nb: *x\nc: *x\n",
        "a: &x 2\nb: *x\nc: *x\n",
        ["applied", "kept"],
    ),
    "alias replaced by what it stood for": (
        "a: &x {k: 1}\nb: *x\n",
        "a: &x {k: 2}\nb: {k: 1}\n",
        "a: &x {k: 1}\nb: *x\n",
        "a: &x {k: 2}\nb: {k: 1}\n",
        ["applied", "applied"],
    ),
    "alias for what is written out on both other sides": (
        "a: 1\nb: 1\n",
        "a: &x 1\nb: *x\n",
        "a: 1\nb: 1\nc: 1\n",
        "a: 1\nb: 1\nc: 1\n",
        ["kept"],
    ),
    "alias written out locally": (
        "a: &x 1\nb: *x\n",
        "a: &x 2\nb: *x\n",
        "a: 1\nb: 1\n",
        "a: &x 2\nb: *x\n",
        ["applied", "applied"],
    ),
    "anchor in another place": (
        "a: &x 1\nb: *x\n",
        "c: &x 2\nb: *x\n",
        "a: &x 1\nb: *x\n",
        "c: 2\nb: 2\n",
        ["applied", "applied", "applied"],
    ),
    "no original": (None, "a: 1\nb: 2\n", "a: 1\nb: 3\n", "a: 1\nb: 2\n", ["agreed", "collision"]),
    "only comments locally": ("", "a: 1\n", "# hi\n", "# hi\na: 1\n", ["applied"]),
    "root is a scalar": ("1\n", "2\n", "3\n", "2\n", ["collision"]),
    "keys that are no strings": (
        "1: a\ntrue: b\n",
        "1: c\ntrue: b\n",
        "1: a\ntrue: d\n",
        "1: c\ntrue: d\n",
        None,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_values(name: str) -> None:
    original, upstream, local, expected, kinds = CASES[name]
    merged = merge(original, upstream, local)
    assert merged.text == expected
    if kinds is not None:
        assert [d.kind for d in merged.decisions] == kinds


@pytest.mark.parametrize(
    ("who", "upstream", "local", "expected"),
    [
        (OnConflict.UPSTREAM, "a: {x: 2}\nb: 1\n", "b: 1\n", "a: {x: 2}\nb: 1\n"),
        (OnConflict.UPSTREAM, "b: 1\n", "a: {x: 2}\nb: 1\n", "b: 1\n"),
        (OnConflict.LOCAL, "a: {x: 2}\nb: 1\n", "a: {x: 3}\nb: 1\n", "a: {x: 3}\nb: 1\n"),
        (OnConflict.RULES, "a: {x: 2}\nb: 1\n", "a: {x: 3}\nb: 1\n", "a: {x: 2}\nb: 1\n"),
    ],
)
def test_one_side_wins_every_collision(who, upstream, local, expected) -> None:
    merged = merge("a: {x: 1}\nb: 1\n", upstream, local, on_conflict=who)
    assert merged.text == expected
    assert [d.kind for d in merged.decisions] == ["collision"]


def test_exclusive_fields_name_the_alternatives() -> None:
    merged = merge(*(POD + member for member in UNIONS))
    assert merged.told == ["collision exclusive spec.volumes[name=t]"]
    assert merged.decisions[0].note == "emptyDir vs hostPath vs secret"


def test_exclusive_fields_where_local_wins() -> None:
    sides = [POD + member for member in UNIONS]
    assert merge(*sides, on_conflict=OnConflict.LOCAL).text == sides[2]


def test_repeated_key_where_no_merge_is_needed() -> None:
    merged = merge(
        "a: 1\nb: {c: 1, c: 2}\n", "a: 2\nb: {c: 1, c: 2}\n", "a: 1\nz: 1\nb: {c: 1, c: 2}\n"
    )
    assert merged.text == "a: 2\nz: 1\nb: {c: 1, c: 2}\n"


def test_repeated_key_in_a_map_that_both_sides_changed() -> None:
    with pytest.raises(DocumentError) as caught:
        merge("b: {c: 1, c: 2}\n", "b: {c: 1, c: 3}\n", "a: 1\nb: {c: 4, c: 2}\n")
    assert caught.value.code == "duplicate-key"
    assert str(caught.value.where) == "file.yaml:2 resource b"
    assert "'c'" in caught.value.what


def test_deep_documents() -> None:
    def deep(value: str) -> str:
        return "{a: " * 120 + value + "}" * 120 + "\n"

    merged = merge(deep("[1, 2]"), deep("[1, 3]"), deep("[0, 2]"))
    assert merged.text == deep("[0, 3]")
