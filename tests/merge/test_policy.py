"""Protected paths, scope, choices."""

from __future__ import annotations

import pytest
from yaml import safe_dump as dump
from yaml import safe_load

from pkgupdate.document.values import MISSING, from_plain
from pkgupdate.merge.decisions import Choice, FreeValue
from pkgupdate.merge.policy import OnConflict, Policy, Target
from pkgupdate.paths import parse_pattern

from .helpers import PLACE, merge


def target(path: str, resource: str = "*") -> tuple[Target, ...]:
    return (Target(resource, parse_pattern(path)),)


SPEC = "spec: {a: 1, b: 1}\nx: 1\n"

PROTECTED = {
    "change": ("spec.a", SPEC, "spec: {a: 2, b: 2}\nx: 1\n", "spec: {a: 1, b: 2}\nx: 1\n"),
    "everything below": ("spec", SPEC, "spec: {a: 2, c: 2}\nx: 2\n", "spec: {a: 1, b: 1}\nx: 2\n"),
    "pattern": ("**.a", SPEC, "spec: {a: 2, b: 2}\nx: 1\n", "spec: {a: 1, b: 2}\nx: 1\n"),
    "deletion around it": ("spec.a", SPEC, "x: 1\n", "spec: {a: 1}\nx: 1\n"),
    "replacement around it": ("spec.a", SPEC, "spec: 5\nx: 2\n", "spec: {a: 1, b: 1}\nx: 2\n"),
    "addition around it": ("spec.a", "x: 1\n", SPEC, "spec:\n  b: 1\nx: 1\n"),
    "item of a list": (
        "l[name=p].v",
        "l: [{name: p, v: 1}, {name: q, v: 1}]\n",
        "l: [{name: p, v: 2}, {name: q, v: 2}]\n",
        "l: [{name: p, v: 1}, {name: q, v: 2}]\n",
    ),
    "order": (
        "l",
        "l: [{name: p}, {name: q}]\n",
        "l: [{name: q}, {name: p}]\n",
        "l: [{name: p}, {name: q}]\n",
    ),
    "the whole resource": ("", SPEC, "spec: 5\ny: 1\n", SPEC),
}


@pytest.mark.parametrize("name", PROTECTED)
def test_protected(name: str) -> None:
    path, original, upstream, expected = PROTECTED[name]
    merged = merge(original, upstream, original, protected=target(path))
    assert merged.text.replace("x: 1\nspec:\n  b: 1\n", "spec:\n  b: 1\nx: 1\n") == expected
    withheld = [d for d in merged.decisions if d.kind == "withheld"]
    assert withheld
    assert all(d.rule == "protected" and not d.edits for d in withheld)


def test_protected_wins_over_on_conflict_and_is_no_collision() -> None:
    merged = merge(
        "a: 1\n", "a: 2\n", "a: 3\n", on_conflict=OnConflict.UPSTREAM, protected=target("a")
    )
    assert (merged.text, merged.told) == ("a: 3\n", ["withheld protected a"])


def test_protection_of_another_resource() -> None:
    merged = merge("a: 1\n", "a: 2\n", "a: 1\n", protected=target("a", "apps/*"))
    assert merged.text == "a: 2\n"


def test_protected_text_is_not_merged_by_lines() -> None:
    original = "a: |\n  1\n  2\n  3\n"
    local = original.replace("3", "l")
    merged = merge(original, original.replace("1", "u"), local, protected=target("a"))
    assert (merged.text, merged.told) == (local, ["withheld protected a"])


def test_protected_exclusive_fields() -> None:
    pod = "apiVersion: v1\nkind: Pod\nspec:\n  volumes:\n  - name: t\n    "
    sides = [pod + source for source in ("emptyDir: {}\n", "nfs: {}\n", "secret: {}\n")]
    for path in ("spec.volumes", "spec.volumes[name=t].secret", "spec.**.nfs"):
        merged = merge(*sides, protected=target(path))
        assert (merged.text, [d.kind for d in merged.decisions]) == (sides[2], ["withheld"])
    assert merge(*sides, protected=target("spec.**.image")).text == sides[1]


SCOPE = {
    "change": ("spec.a", SPEC, "spec: {a: 2, b: 2}\nx: 2\n", "spec: {a: 2, b: 1}\nx: 1\n"),
    "addition": ("spec.a", "x: 1\n", "spec: {a: 2, b: 2}\nx: 2\n", "x: 1\nspec:\n  a: 2\n"),
    "deletion": ("spec.a", SPEC, "x: 1\n", "spec: {b: 1}\nx: 1\n"),
    "nothing in it": ("y", SPEC, "spec: 5\n", SPEC),
}


@pytest.mark.parametrize("name", SCOPE)
def test_scope(name: str) -> None:
    path, original, upstream, expected = SCOPE[name]
    merged = merge(original, upstream, original, scope=target(path))
    text = merged.text
    if text.startswith("spec:\n"):
        text = text.replace("spec:\n  a: 2\nx: 1\n", "x: 1\nspec:\n  a: 2\n")
    assert text == expected
    assert any(d.kind == "withheld" and d.rule == "scope" for d in merged.decisions)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("upstream", "a: 2\nb: 1\n"),
        ("local", "a: 3\nb: 1\n"),
        (FreeValue(from_plain({"c": 4})), "a:\n  c: 4\nb: 1\n"),
        (FreeValue(MISSING), "b: 1\n"),
    ],
)
def test_choice_wins_over_everything(choice, expected) -> None:
    policy = Policy(
        on_conflict=OnConflict.LOCAL,
        protected=target("a"),
        choices={(PLACE.file, PLACE.resource, "a", "value"): choice},
    )
    merged = merge("a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 3\nb: 1\n", policy)
    assert (merged.text, merged.told) == (expected, ["collision choice a"])


def test_choices_are_taken_by_the_key_of_a_decision() -> None:
    sides = ("l: [{name: p, v: 1}]\n", "l: [{name: p, v: 2}]\n", "l: [{name: p, v: 3}]\n")
    (decision,) = merge(*sides).decisions
    assert merge(*sides, choices={decision.key: "local"}).text == sides[2]


@pytest.mark.parametrize(
    ("choice", "chosen_json", "chosen_lines"),
    [("upstream", 2, "up"), ("local", 3, "here")],
)
def test_a_choice_within_a_string_is_only_about_what_collides(
    choice: Choice, chosen_json: int, chosen_lines: str
) -> None:
    json = """{{"a": {}, "b": {}, "c": {}}}"""
    lines = "{}\n\nsame\n\n{}\n\nsame\n\n{}\n"
    sides = [
        dump({"json": json.format(*numbers), "lines": lines.format(*words)})
        for numbers, words in (
            ((1, 1, 1), ("x", "x", "x")),
            ((2, 2, 1), ("up", "up", "x")),
            ((3, 1, 3), ("here", "x", "here")),
        )
    ]
    choices = {(PLACE.file, PLACE.resource, key, "value"): choice for key in ("json", "lines")}
    merged = merge(*sides, choices=choices)
    assert safe_load(merged.text) == {
        "json": json.format(chosen_json, 2, 3),
        "lines": lines.format(chosen_lines, "up", "here"),
    }
    assert merged.told == ["collision json json", "collision text lines"]
