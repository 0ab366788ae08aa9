"""The compatible mode without kpt at hand: what it turns off, and which faults it does not take."""

from __future__ import annotations

import pytest

from .helpers import merge, merge_kptfile

CASES = {
    "positional list": ("l: [1, 2]\n", "l: [1, 2, 3]\n", "l: [0, 1, 2]\n", "l: [1, 2, 3]\n"),
    "names are not inferred": (
        "l: [{name: p, v: 1}]\n",
        "l: [{name: p, v: 1, u: 1}]\n",
        "l: [{name: p, v: 2}]\n",
        "l: [{name: p, v: 1, u: 1}]\n",
    ),
    "lines": ("a: |\n  1\n  2\n", "a: |\n  u\n  2\n", "a: |\n  1\n  l\n", "a: |\n  u\n  2\n"),
    "JSON": ("a: '[1, 2]'\n", "a: '[0, 2]'\n", "a: '[1, 3]'\n", "a: '[0, 2]'\n"),
    "local deletion": (
        "a: {x: 1, y: 1}\nb: 1\n",
        "a: {x: 2, y: 1}\nb: 1\n",
        "b: 1\n",
        "b: 1\na: {x: 2, y: 1}\n",
    ),
    "upstream deletion": ("a: {x: 1}\nb: 1\n", "b: 1\n", "a: {x: 2}\nb: 1\n", "b: 1\n"),
    "new keys at the end": (
        "a: 1\nb: 1\n",
        "a: 1\nu: 1\nb: 1\n",
        "a: 1\nb: 1\nl: 1\n",
        "a: 1\nb: 1\nl: 1\nu: 1\n",
    ),
    "nulls stay": ("a:\nb: 1\n", "a:\nb: 2\n", "a:\nb: 1\n", "a:\nb: 2\n"),
    "types": ("a: 1\n", "a: '1'\n", "a: 1\n", "a: '1'\n"),
}


@pytest.mark.parametrize("name", CASES)
def test_compatible_mode(name: str) -> None:
    *sides, expected = CASES[name]
    assert merge(*sides, kpt_compat=True).text == expected


def test_collisions_are_reported_all_the_same() -> None:
    merged = merge("l: [1]\n", "l: [2]\n", "l: [3]\n", kpt_compat=True)
    assert merged.told == ["collision edit-edit l"]


def test_registry_ports_are_part_of_the_name() -> None:
    def functions(tag: str, value: str) -> str:
        images = f"[{{image: 'l:5/a:{tag}', c: {value}}}, {{image: 'l:5/b:1'}}]"
        return f"kind: Kptfile\npipeline:\n  mutators: {images}\n"

    sides = functions("1", "1"), functions("2", "1"), functions("1", "2")
    assert merge_kptfile(*sides, kpt_compat=True).text == functions("2", "2")
