"""Conflict markers: written, read again, and what they promise."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pkgupdate.integrations.git.driver import merge_contents
from pkgupdate.integrations.git.markers import (
    MarkerForm,
    has_markers,
    read_conflicts,
    take_side,
    write_markers,
)
from pkgupdate.merge.sides import Sides

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "<<<", "- d"]), max_size=8).map(
    lambda lines: "".join(line + "\n" for line in lines)
)


@given(TEXTS, TEXTS, TEXTS, st.sampled_from(["merge", "diff3", "zdiff3"]), st.integers(7, 12))
def test_each_side_of_the_markers_is_one_text(
    base: str, theirs: str, ours: str, style: str, size: int
) -> None:
    form = MarkerForm(style, size)  # type: ignore[arg-type]
    marked, count = write_markers(Sides(base, theirs, ours), form)
    assert count == len(list(read_conflicts(marked)))
    assert has_markers(marked) == (count > 0) == (ours != theirs)
    assert take_side(marked, "ours") == ours
    assert take_side(marked, "theirs") == theirs


def test_one_block_has_the_smallest_lines_and_the_base() -> None:
    base, theirs, ours = "a\nb\nc\nd\n", "a\nX\nc\nd\n", "a\nY\nZ\nc\nd\n"
    marked, _ = write_markers(Sides(base, theirs, ours), MarkerForm("diff3"))
    assert marked == ("a\n<<<<<<< ours\nY\nZ\n||||||| base\nb\n=======\nX\n>>>>>>> theirs\nc\nd\n")
    (conflict,) = read_conflicts(marked)
    assert (conflict.start, conflict.end) == (1, 9)
    assert (conflict.ours, conflict.base, conflict.theirs) == ("Y\nZ\n", "b\n", "X\n")


def test_differences_in_a_span_are_one_block() -> None:
    sides = Sides("", "1\nb\n3\nd\n4\n", "2\nb\n5\nd\n6\n")
    marked, count = write_markers(sides, MarkerForm(), [(0, 3)])
    assert count == 2
    assert marked == (
        "<<<<<<< ours\n2\nb\n5\n=======\n1\nb\n3\n>>>>>>> theirs\nd\n"
        "<<<<<<< ours\n6\n=======\n4\n>>>>>>> theirs\n"
    )


def test_line_ends() -> None:
    marked, _ = write_markers(Sides("", "a\r\nb\r\n", "a\r\nc"), MarkerForm())
    assert marked == "a\r\n<<<<<<< ours\r\nc\r\n=======\r\nb\r\n>>>>>>> theirs\r\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n", True),
        ("<<<<<<<\n=======\n>>>>>>>\n", True),
        ("<<<<<<<< a\n1\n========\n2\n>>>>>>>> b\n", True),
        ("Title\n=======\ntext\n", False),
        ("<<<<<<< a\n1\n", False),
        ("<<<<<<< a\n1\n=======\n2\n", False),
        ("x <<<<<<< a\n=======\n>>>>>>> b\n", False),
        ("<<<<<<<a\n=======\n>>>>>>> b\n", False),
    ],
)
def test_what_counts_as_markers(text: str, expected: bool) -> None:
    assert has_markers(text) is expected


def test_blocks_inside_blocks() -> None:
    text = "<<<<<<< a\n<<<<<<< c\n1\n=======\n2\n>>>>>>> d\n=======\n3\n>>>>>>> b\n"
    (conflict,) = read_conflicts(text)
    assert conflict.theirs == "3\n"


KEYS = st.sampled_from(["one", "two", "three", "four"])
LEAVES = st.one_of(st.integers(0, 3), st.sampled_from(["x", "y: z", "", "long\ntext\nhere\n"]))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.dictionaries(KEYS, inner, max_size=3), st.lists(inner, max_size=3)),
    max_leaves=8,
)
MAPS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)


@settings(max_examples=150, deadline=None)
@given(MAPS, MAPS, MAPS)
def test_any_three_versions(base: object, theirs: object, ours: object) -> None:
    """Both sides of a marked result are YAML, and swapping the sides swaps them."""
    texts = [yaml.safe_dump(data, sort_keys=False).encode() for data in (base, theirs, ours)]
    marked, merged = merge_contents(Sides(*texts), "x.yaml", MarkerForm())
    assert yaml.safe_load(take_side(marked.decode(), "ours")) == yaml.safe_load(merged.local)
    assert yaml.safe_load(take_side(marked.decode(), "theirs")) == yaml.safe_load(merged.upstream)
    _, swapped = merge_contents(Sides(texts[0], texts[2], texts[1]), "x.yaml", MarkerForm())
    assert swapped.is_clean == merged.is_clean
    if ours == theirs:
        assert merged.is_clean and yaml.safe_load(merged.local) == ours
    if base == theirs:
        assert merged.is_clean and merged.local.encode() == texts[2]
