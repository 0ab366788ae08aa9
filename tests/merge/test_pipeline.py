from __future__ import annotations

import pytest

from pkgupdate.merge.pipeline import image_name, short_name
from pkgupdate.merge.policy import OnConflict

from .helpers import merge_kptfile

HEAD = "kind: Kptfile\npipeline:\n  mutators:\n"


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("f", "f"),
        ("f:v1", "f"),
        ("gcr.io/x/f:v1", "gcr.io/x/f"),
        ("localhost:5000/f", "localhost:5000/f"),
        ("localhost:5000/f:v1", "localhost:5000/f"),
        ("localhost:5000/f@sha256:ab", "localhost:5000/f"),
        ("localhost:5000/f:v1@sha256:ab", "localhost:5000/f"),
    ],
)
def test_image_without_tag_and_digest(image: str, name: str) -> None:
    assert image_name(image) == name


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ({"name": "n", "image": "a/b:1"}, "n"),
        ({"image": "a/b:1"}, "b"),
        ({"exec": "./fn/render --x y"}, "render"),
        ({"configMap": {}}, ""),
        ("odd", ""),
    ],
)
def test_short_name(function, name) -> None:
    assert short_name(function) == name


def functions(*texts: str) -> str:
    return HEAD + "".join(f"  - {{{text}}}\n" for text in texts)


CASES = {
    "by name, images repeat": (
        ["name: a, image: f:1, c: 1", "name: b, image: f:1"],
        ["name: a, image: f:1, c: 2", "name: b, image: f:1"],
        ["name: x, image: f:1", "name: a, image: f:1, c: 1", "name: b, image: f:1, d: 1"],
        ["name: x, image: f:1", "name: a, image: f:1, c: 2", "name: b, image: f:1, d: 1"],
        0,
    ),
    "by image, tag and digest do not count": (
        ["image: 'r:5/f:1', c: 1"],
        ["image: 'r:5/f:2', c: 1"],
        ["image: 'r:5/f@sha256:1', c: 2"],
        ["image: 'r:5/f:2', c: 2"],
        1,
    ),
    "by command": (
        ["exec: ./a"],
        ["exec: ./a, c: 1"],
        ["exec: ./a", "exec: ./b"],
        ["exec: ./a, c: 1", "exec: ./b"],
        0,
    ),
    "deleted locally, edited upstream": (
        ["image: f:1", "image: g:1"],
        ["image: f:2", "image: g:1"],
        ["image: g:1"],
        ["image: g:1"],
        1,
    ),
    "selectors are one value": (
        ["image: f:1, selectors: [{kind: A}]"],
        ["image: f:1, selectors: [{kind: A}, {kind: B}]"],
        ["image: f:1, selectors: [{kind: A}, {kind: C}]"],
        ["image: f:1, selectors: [{kind: A}, {kind: B}]"],
        1,
    ),
    "moved to another registry": (
        ["image: a/f:1, c: 1"],
        ["image: b/f:2, c: 1"],
        ["image: a/f:1, c: 2"],
        ["image: b/f:2, c: 2"],
        0,
    ),
    "moved on both sides": (
        ["image: a/f:1, c: 1"],
        ["image: b/f:1, c: 1"],
        ["image: b/f:1, c: 1"],
        ["image: b/f:1, c: 1"],
        0,
    ),
    "two candidates for a move": (
        ["image: a/f:1"],
        ["image: b/f:1", "image: c/f:1"],
        ["image: a/f:1"],
        ["image: b/f:1", "image: c/f:1"],
        0,
    ),
    "no key, changed upstream only": (
        ["image: f:1", "image: f:1, c: 1"],
        ["image: f:1", "image: f:1, c: 2"],
        ["image: f:1", "image: f:1, c: 1"],
        ["image: f:1", "image: f:1, c: 2"],
        0,
    ),
    "no key, changed locally only": (
        ["image: f:1", "image: f:1, c: 1"],
        ["image: f:1", "image: f:1, c: 1"],
        ["image: f:1, c: 1"],
        ["image: f:1, c: 1"],
        0,
    ),
    "no key, lost functions": (
        ["image: f:1", "image: f:1, c: 1"],
        ["image: f:1", "image: f:1, c: 2"],
        ["image: f:1, c: 3", "image: f:1, c: 1", "image: g:1"],
        ["image: f:1", "image: f:1, c: 2"],
        2,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_pipeline(name: str) -> None:
    original, upstream, local, expected, collisions = CASES[name]
    merged = merge_kptfile(functions(*original), functions(*upstream), functions(*local))
    assert merged.text == functions(*expected)
    assert len(merged.collisions) == collisions


@pytest.mark.parametrize(
    "upstream", ["", "pipeline: {}\n", "pipeline:\n", "pipeline:\n  mutators: []\n"]
)
def test_pipeline_deleted_upstream_leaves_what_was_changed_here(upstream: str) -> None:
    original = functions("image: f:1, c: 1", "image: g:1", "image: h:1")
    head = original.partition("pipeline:")[0]
    local = functions("image: f:1, c: 2", "image: g:1", "image: mine:1", "image: h:1")
    merged = merge_kptfile(original, head + upstream, local)
    assert merged.text == functions("image: f:1, c: 2", "image: mine:1")
    [collision] = merged.collisions
    assert collision.function == "f"


NO_KEY = (
    functions("image: f:1", "image: f:1, c: 1"),
    functions("image: f:1", "image: f:1, c: 2"),
    functions("image: f:1, c: 3", "image: f:1, c: 1", "image: g:1"),
)


def test_lost_functions_are_reported_whole() -> None:
    merged = merge_kptfile(*NO_KEY)
    assert [(d.function, d.local) for d in merged.collisions] == [
        ("f", {"image": "f:1", "c": merged.collisions[0].local["c"]}),
        ("g", {"image": "g:1"}),
    ]


def test_chosen_function_is_not_lost() -> None:
    lost = merge_kptfile(*NO_KEY).collisions[1]
    merged = merge_kptfile(*NO_KEY, choices={lost.key: "local"})
    assert merged.data["pipeline"]["mutators"][2] == {"image": "g:1"}


def test_local_wins_the_list() -> None:
    merged = merge_kptfile(*NO_KEY, on_conflict=OnConflict.LOCAL)
    assert (merged.text, len(merged.collisions)) == (NO_KEY[2], 1)


def test_align_loses_none() -> None:
    merged = merge_kptfile(*NO_KEY, pipeline_fallback="align")
    assert merged.text == functions("image: f:1, c: 3", "image: f:1, c: 2", "image: g:1")
    assert not merged.collisions


def test_decisions_about_a_function_carry_its_short_name() -> None:
    sides = [functions(f"image: x.io/set-labels:v1, c: {value}") for value in (1, 2, 3)]
    assert [d.function for d in merge_kptfile(*sides).decisions] == ["set-labels"]


def test_config_kinds_exclude_each_other() -> None:
    config = ["configMap: {a: 1}", "configPath: p.yaml", "configMap: {a: 2}"]
    sides = [functions(f"image: f:1, {text}") for text in config]
    merged = merge_kptfile(*sides)
    assert merged.text == sides[1]
    assert merged.decisions[0].note == "configMap vs configPath"
    assert merge_kptfile(*sides, on_conflict=OnConflict.LOCAL).text == sides[2]


IDENTITY = "kind: Kptfile\nmetadata:\n  name: {0}\n  namespace: {0}\n  labels: {{l: {1}}}\n"
UPSTREAM = "upstream:\n  git: {{ref: {0}}}\nupstreamLock:\n  git: {{ref: {0}}}\n"


def test_root_package_keeps_its_identity_without_a_word() -> None:
    original, upstream, local = ((IDENTITY + UPSTREAM).format(x, y) for x, y in ("a1", "b2", "c1"))
    merged = merge_kptfile(original, upstream, local)
    assert merged.text == local.replace("l: 1", "l: 2")
    assert merged.told == ["applied upstream-only metadata.labels.l"]


def test_root_package_takes_no_upstream_section() -> None:
    merged = merge_kptfile(
        "kind: Kptfile\n", "kind: Kptfile\n" + UPSTREAM.format("a"), "kind: Kptfile\n"
    )
    assert merged.decisions == []


def test_dependent_subpackage_merges_its_name() -> None:
    original, upstream = (IDENTITY.format(x, 1) for x in "ab")
    assert merge_kptfile(original, upstream, original, is_root=False).text == upstream


@pytest.mark.parametrize("text", ["pipeline: []", "pipeline: x", "pipeline: {mutators: {a: 1}}"])
@pytest.mark.parametrize("other", ["pipeline: {mutators: [1, x]}", "pipeline:", "x: 1"])
def test_odd_shapes_are_values_like_any_other(text: str, other: str) -> None:
    texts = [f"kind: Kptfile\n{t}\n" for t in (text, other, "pipeline: {mutators: [{}, []]}")]
    for original in texts:
        for upstream in texts:
            for local in texts:
                merged = merge_kptfile(original, upstream, local)
                assert merged.text
